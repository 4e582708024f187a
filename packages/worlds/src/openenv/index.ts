/** OpenEnv: worlds of any server that speaks its protocol, and our worlds for anyone who does. */
import { EngineError } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import { defineWorld, nonNull } from "limbeck-core/env/world";
import { createOpenEnv } from "./client.ts";

const count = { least: 1, whole: true } as const;

export const openenv = defineWorld({
  id: "openenv",
  info: { title: "OpenEnv", meaning: "The world of any OpenEnv server, over its socket." },
  part: "openenv",
  options: {
    url: option.text(null, "address of the server: ws://127.0.0.1:8000"),
    key: option.text(null, "bearer token, where the server asks for one (LIMBECK_OPENENV_KEY)"),
    maxSteps: option.limit(null, "steps until an episode is cut off; none: what the server announces, else 100", {
      ...count,
      most: 1_000_000,
    }),
    tasks: option.limit(null, "tasks of each split, on servers that announce none; none: without end", count),
    goal: option.text(null, "what is asked, on servers that announce no tasks; none: their description"),
    action: option.text(null, "field of the action that the agent's text goes to; none: the only one"),
    text: option.text(null, "field of the observation that the agent reads; none: the only text, else all as JSON"),
    admissible: option.text(null, "field of the observation that lists the admissible actions"),
    successAt: option.limit(null, "reward from which an ended episode counts as a success"),
    reset: { kind: "map", of: { kind: "json" }, default: {}, meaning: "more arguments for reset" },
    replayable: option.flag(
      false,
      "whether repeating the same actions is harmless and gives the same answers; then episodes can fork",
    ),
    timeoutMs: option.number(60_000, "time for one answer", count),
    connectTimeoutMs: option.number(10_000, "time for connecting", count),
    attempts: option.number(8, "connections to begin an episode, while the server is full or away", count),
    delayMs: option.count(250, "pause before the second of them, doubled each time up to 5 seconds", 0),
  },
  addresses: ["url"],
  create: async ({ url, key, reset, ...rest }) => {
    if (url === null) {
      throw new EngineError("bad-options", "The address of an OpenEnv server is needed: url=ws://HOST:PORT.");
    }
    // From the surroundings, so that neither a list of processes nor a stored run shows it.
    const token = key ?? process.env["LIMBECK_OPENENV_KEY"] ?? null;
    return await createOpenEnv({ url, reset, ...nonNull({ key: token, ...rest }) });
  },
});
