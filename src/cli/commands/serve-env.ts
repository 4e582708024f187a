/** `limbeck serve-env`: one of our worlds for anyone who speaks the OpenEnv protocol. */
import { withoutUndefined } from "../../base/fields.ts";
import type { EnvServer } from "../../env/openenv/index.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import {
  addressOptions,
  forOption,
  givenAccess,
  givenPort,
  givenTime,
  givenTls,
  problemSink,
  serveUntilOver,
} from "../listening.ts";
import { cleanLine } from "../look/clean-text.ts";
import { maybeCount } from "../model/open-given.ts";
import { loadWorldPart } from "../natives.ts";
import { chosenWorld, givenValues, worldOption } from "../play/world-options.ts";
import { flag, text } from "../options.ts";

const DEFAULT_PORT = "8000";

export const serveEnv: Command = {
  group: "learn",
  summary: "Serve a world to other programs, in the OpenEnv protocol",
  usage: "--env ID [--set NAME=VALUE…] [--port NUMBER] [--host ADDRESS]",
  description:
    "One connection to /ws plays one episode at a time; reset takes a seed, or a split and the number of a task. Observations carry the admissible actions, the state's key and the ending. snapshot and restore, announced in /metadata, copy an episode, so that limbeck forks over the wire.\n" +
    "Beyond this machine (--host) it needs a key, in LIMBECK_OPENENV_KEY, which clients send as a bearer token; --open lets everybody in, for clients that cannot send one. It speaks plain HTTP unless --tls-cert and --tls-key are given. Ctrl-C ends it.",
  options: {
    ...worldOption,
    ...addressOptions(DEFAULT_PORT),
    open: flag("Ask nobody for a key, whatever the address"),
    sessions: text("N", "Episodes at the same time. Default: 256"),
    for: forOption,
  },
  examples: [
    "limbeck serve-env --env household --set dial=tiny",
    "limbeck rollout --env openenv --env-set url=ws://127.0.0.1:8000 --policy bundled --count 8",
    "LIMBECK_OPENENV_KEY=… limbeck serve-env --env shop --host 0.0.0.0 --port 8000",
  ],
  jsonFields: {
    event: "listening, problem or stopped",
    url: "address of the server",
    world: "the world that is served",
    key: "whether a key is asked for",
    message: "problem: what went wrong",
  },
  natives: ["openenv"],
  run: serve,
};

async function serve(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const { startEnvServer } = await import("../../env/openenv/index.ts");
  const { demonstratorsOf } = await import("../../env/world.ts");
  const { packageVersion } = await import("../../base/package-info.ts");
  const { id, world } = await chosenWorld(invocation, "serve-env");
  await loadWorldPart(world);
  const env = await world.create(givenValues(invocation, "set"));
  const lastsMs = givenTime(invocation, "for");
  const access = await givenAccess(invocation);
  const key = io.env["LIMBECK_OPENENV_KEY"] || undefined;
  const started = await startEnvServer({
    env,
    demonstrators: demonstratorsOf(world, env),
    version: packageVersion(),
    port: givenPort(invocation, DEFAULT_PORT),
    tls: await givenTls(invocation),
    ...access,
    open: invocation.flag("open"),
    onProblem: problemSink(invocation),
    ...withoutUndefined({ maxSessions: maybeCount(invocation, "sessions"), host: invocation.text("host"), key }),
  });
  const told = (): void => announce(invocation, started, id, key !== undefined || access.tokens !== undefined);
  await serveUntilOver(invocation, started, { announce: told, lastsMs, audit: access.audit });
  if (invocation.json) invocation.printJson({ event: "stopped", url: started.url });
  return EXIT.done;
}

function announce(invocation: Invocation, { url }: EnvServer, world: string, key: boolean): void {
  if (invocation.json) {
    invocation.printJson({ event: "listening", url, world, key });
    return;
  }
  const { style } = invocation;
  const address = url.replace(/^http/, "ws");
  invocation.print(`Serving ${style.bold(cleanLine(world))}${key ? ", with a key" : ""}. Play in it:`);
  invocation.print(`  limbeck rollout --env openenv --env-set url=${style.cyan(address)}`);
  invocation.note(style.dim("Other clients of OpenEnv connect to /ws there. Ctrl-C ends it."));
}
