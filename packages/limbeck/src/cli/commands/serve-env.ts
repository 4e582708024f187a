/** `limbeck serve-env`: one of our worlds for anyone who speaks the OpenEnv protocol. */
import { withoutUndefined } from "limbeck-base/base/fields";
import { input } from "limbeck-base/base/input";
import { envPart } from "limbeck-worlds/env.part";
import { defineCommand } from "../command-of.ts";
import { problemEvent, serve, serverInputs, type Serving } from "../listening.ts";
import { cleanLine } from "limbeck-base/base/clean-text";

const urlFact = { url: "address of the server" };

export const serveEnv = defineCommand({
  group: "learn",
  summary: "Serve a world to other programs, in the OpenEnv protocol",
  usage: "--env ID [options]",
  description:
    "One connection to /ws plays one episode at a time; reset takes a seed, or a split and the number of a task. Observations carry the admissible actions, the state's key and the ending. snapshot and restore, announced in /metadata, copy an episode, so that limbeck forks over the wire.\n" +
    "Beyond this machine (--host) it needs a key, in LIMBECK_OPENENV_KEY, which clients send as a bearer token; --open lets everybody in, for clients that cannot send one. It speaks plain HTTP unless --tls-cert and --tls-key are given. Ctrl-C ends it.",
  input: {
    env: input.part(envPart, "ID", "The environment"),
    envOptions: input.values(
      "NAME=VALUE",
      "An option of the environment; numbers, true, false and JSON are read as such",
      { flag: "set" },
    ),
    ...serverInputs(8000),
    open: input.flag("Ask nobody for a key, whatever the address"),
    sessions: input.count("N", "Episodes at the same time. Default: 256"),
  },
  examples: [
    "limbeck serve-env --env household --set dial=tiny",
    "limbeck rollout --env openenv --env-set url=ws://127.0.0.1:8000 --policy bundled --count 8",
    "LIMBECK_OPENENV_KEY=… limbeck serve-env --env shop --host 0.0.0.0 --port 8000",
  ],
  events: {
    listening: { ...urlFact, world: "the world that is served", key: "whether a key is asked for" },
    problem: problemEvent,
    stopped: urlFact,
  },
  natives: () => ["openenv"],
  run: async (input, frame) => {
    const { startEnvServer } = await import("limbeck-worlds/openenv/server");
    const { givenWorld } = await import("../../run/given-parts.ts");
    const { id, env, world } = await givenWorld("serve-env", { ...input, experts: undefined }, frame);
    const key = frame.environment["LIMBECK_OPENENV_KEY"] || undefined;
    const { port, open, sessions: maxSessions } = input;
    const options = { env, port, open, demonstrators: world.demonstrators ?? {} };
    const start = (own: Serving) => startEnvServer({ ...own, ...options, ...withoutUndefined({ maxSessions, key }) });
    const { url } = await serve(input, frame, start, ({ url }, { tokens }) => {
      const keyed = key !== undefined || tokens !== undefined;
      frame.emit({ event: "listening", url, world: id, key: keyed });
      frame.print(`Serving ${frame.style.bold(cleanLine(id))}${keyed ? ", with a key" : ""}. Play in it:`);
      const address = frame.style.cyan(url.replace(/^http/, "ws"));
      frame.print(`  limbeck rollout --env openenv --env-set url=${address}`);
      frame.note(frame.style.dim("Other clients of OpenEnv connect to /ws there. Ctrl-C ends it."));
    });
    frame.emit({ event: "stopped", url });
  },
});
