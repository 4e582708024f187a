/** OpenEnv: worlds of any server that speaks its protocol, and our worlds for anyone who does. */
import { z } from "zod";
import { EngineError } from "../../base/index.ts";
import type { World } from "../world.ts";
import { createOpenEnv, type OpenEnvOptions } from "./client.ts";

const OptionsSchema = z.strictObject({
  url: z.string().min(1),
  key: z.string().min(1).optional(),
  maxSteps: z.number().int().min(1).max(1_000_000).optional(),
  tasks: z.number().int().min(1).optional(),
  goal: z.string().min(1).optional(),
  action: z.string().min(1).optional(),
  text: z.string().min(1).optional(),
  admissible: z.string().min(1).optional(),
  successAt: z.number().optional(),
  reset: z.record(z.string(), z.json()).optional(),
  replayable: z.boolean().optional(),
  timeoutMs: z.number().int().min(1).optional(),
  connectTimeoutMs: z.number().int().min(1).optional(),
  attempts: z.number().int().min(1).optional(),
  delayMs: z.number().int().min(0).optional(),
});

export const openenv: World = {
  summary: "The world of any OpenEnv server, over its socket.",
  part: "openenv",
  options: {
    url: "address of the server: ws://127.0.0.1:8000",
    key: "bearer token, where the server asks for one (LIMBECK_OPENENV_KEY)",
    maxSteps: "steps until an episode is cut off (what the server announces, else 100)",
    tasks: "tasks of each split, on servers that announce none (without end)",
    goal: "what the agent is asked to do, on servers that announce no tasks (their description)",
    action: "field of the action that the agent's text goes to (the only one)",
    text: "field of the observation that the agent reads (the only one if it is a text, else all as JSON)",
    admissible: "field of the observation that lists the admissible actions",
    successAt: "reward from which an ended episode counts as a success",
    reset: "more arguments for reset: {…}",
    replayable:
      "whether repeating the same actions is harmless and gives the same answers; then episodes can fork (false)",
    timeoutMs: "time for one answer (60000)",
    connectTimeoutMs: "time for connecting (10000)",
    attempts: "connections to begin an episode, while the server is full or away (8)",
    delayMs: "pause before the second of them, doubled each time up to 5 seconds (250)",
  },
  addresses: ["url"],
  create: async (options = {}) => {
    if (options["url"] === undefined) {
      throw new EngineError("bad-options", "The address of an OpenEnv server is needed: url=ws://HOST:PORT.");
    }
    const parsed = OptionsSchema.safeParse(options);
    if (!parsed.success) {
      throw new EngineError("bad-option", `Options of openenv: ${z.prettifyError(parsed.error)}`, {
        details: { known: Object.keys(openenv.options) },
      });
    }
    // From the surroundings, so that neither a list of processes nor a stored run shows it.
    const key = parsed.data.key ?? process.env["LIMBECK_OPENENV_KEY"];
    const given = Object.entries({ ...parsed.data, key }).filter(([, value]) => value !== undefined);
    return await createOpenEnv(Object.fromEntries(given) as unknown as OpenEnvOptions);
  },
};

export { createOpenEnv, type OpenEnvOptions } from "./client.ts";
export { startEnvServer, type EnvServer, type EnvServerOptions } from "./server.ts";
