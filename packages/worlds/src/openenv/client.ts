/** Any OpenEnv server as an environment. */
import { EngineError } from "limbeck-base/base/errors";
import type { JsonObject } from "limbeck-base/base/json";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Env } from "limbeck-core/env/env";
import { unknownSplit } from "limbeck-core/env/episode-error";
import type { Demonstrator } from "limbeck-core/env/expert";
import { actionCodec } from "./action-codec.ts";
import { serverAddress, type ServerAddress } from "./address.ts";
import { begin, createPlaces } from "./connect.ts";
import { describeServer, listTasks, askAdvice, type Limits, type ServerDescription } from "./discover.ts";
import { createEpisode, firstMoment, toolsOf, type EpisodeParts } from "./episode.ts";
import { cleanText } from "./text.ts";
import type { Extension } from "./wire.ts";

export interface OpenEnvOptions {
  /** ws, wss, http or https; with or without /ws. */
  readonly url: string;
  /** Sent as a bearer token; our servers may ask for one. */
  readonly key?: string;
  /** Steps until an episode is cut off; what the server announces, else 100. */
  readonly maxSteps?: number;
  /** Tasks of each split of a server that announces none. Default: without end. */
  readonly tasks?: number;
  /** What the agent is asked to do, on a server that announces no tasks. Default: its description. */
  readonly goal?: string;
  /** The field of the action that the agent's text goes to. Default: the only one. */
  readonly action?: string;
  /** The field of the observation that the agent reads. */
  readonly text?: string;
  /** The field of the observation that lists the admissible actions. */
  readonly admissible?: string;
  /** An episode succeeded when it ended with at least this reward. Default: only a server can say. */
  readonly successAt?: number;
  /** More arguments for reset. */
  readonly reset?: JsonObject;
  /**
   * Whether the same actions after the same reset give the same answers and touch nothing outside. Only then can an
   * episode fork on a server without snapshots. Default: false.
   */
  readonly replayable?: boolean;
  /** For one answer. Default: 60 seconds. */
  readonly timeoutMs?: number;
  /** For connecting. Default: 10 seconds. */
  readonly connectTimeoutMs?: number;
  /** Connections to begin an episode, the first included. Default: 8. */
  readonly attempts?: number;
  /** Pause before the second of them, doubled each time up to 5 seconds. Default: 250. */
  readonly delayMs?: number;
}

/** Splits differ in their seeds, so that what is learnt on one can be tried on another. */
const FIRST_SEED: Readonly<Record<string, number>> = { train: 0, valid: 1_000_000_000, test: 1_500_000_000 };
const MAX_STEPS = 100;
const PAGE = 100;

/**
 * Asks the server what it is; episodes then connect for themselves.
 *
 * @example
 * import { startEnvServer } from "limbeck/env";
 *
 * const server = await startEnvServer({ env: await openEnv("countdown") });
 * const env = await createOpenEnv({ url: server.url });
 * console.log(env.id); // openenv
 * await server.close();
 */
export async function createOpenEnv(options: OpenEnvOptions): Promise<Env> {
  const { timeoutMs = 60_000, connectTimeoutMs = 10_000, attempts = 8, delayMs = 250 } = options;
  const address = serverAddress(options.url, options.key);
  const limits: Limits = { timeoutMs, connectTimeoutMs };
  const server = await describeServer(address, limits);
  const { extension } = server;
  const codec = actionCodec(server.actionSchema, extension === undefined ? options.action : "text");
  const maxSteps = Math.min(
    options.maxSteps ?? Number.POSITIVE_INFINITY,
    extension?.maxSteps ?? Number.POSITIVE_INFINITY,
  );
  const shared = {
    connect: { address, limits, attempts, delayMs, places: createPlaces() },
    codec,
    own: extension !== undefined,
    snapshot: extension?.snapshot === true,
    replayable: options.replayable === true,
    maxSteps: Number.isFinite(maxSteps) ? maxSteps : MAX_STEPS,
    successAt: options.successAt,
    reading: { text: options.text, admissible: options.admissible },
  };
  const splits = splitsOf(server, options.tasks);
  const demonstrators = serverDemonstrators(extension, address, limits);
  return {
    id: "openenv",
    summary: `${server.name} at ${address.shown}`,
    maxSteps: shared.maxSteps,
    splits,
    ...(demonstrators === undefined ? {} : { demonstrators }),
    tasks: (split, range = {}) => {
      if (!Object.hasOwn(splits, split)) throw unknownSplit("openenv", split, Object.keys(splits));
      const { offset = 0, count = Number.POSITIVE_INFINITY } = range;
      const end = Math.min(offset + count, splits[split] ?? 0);
      return extension === undefined
        ? foreignTasks(server, options.goal, split, offset, end)
        : ownTasks(server, { address, limits }, split, offset, end);
    },
    open: async (task, { signal } = {}) => {
      const reset = { type: "reset", data: resetData(task, server, options.reset ?? {}) } as const;
      const { socket, first } = await begin(shared.connect, reset, { signal });
      try {
        const tools = codec.kind === "tools" ? await toolsOf(socket) : codec.tools;
        const parts: EpisodeParts = { ...shared, task, reset, tools };
        const moment = firstMoment(parts, first);
        if (moment.reading.ending === undefined) return createEpisode(parts, moment, socket);
        throw new EngineError("reset-refused", `The world of task "${task.id}" had ended when it began.`);
      } catch (error) {
        await socket.close();
        throw error;
      }
    },
  };
}

function splitsOf({ extension }: ServerDescription, tasks = Number.POSITIVE_INFINITY): Record<string, number> {
  if (extension === undefined) return Object.fromEntries(Object.keys(FIRST_SEED).map((split) => [split, tasks]));
  const sizes = Object.entries(extension.splits).map(([split, size]) => [split, size ?? Number.POSITIVE_INFINITY]);
  return Object.fromEntries(sizes) as Record<string, number>;
}

function resetData(task: Task, server: ServerDescription, more: JsonObject): JsonObject {
  const named = { ...more, episode_id: task.id.slice(0, 255) };
  if (server.extension === undefined) return { ...named, seed: task.seed };
  const index = task.data?.["index"];
  // Our servers know their tasks by place; the id shows whether it is still the same one.
  if (typeof index === "number") return { ...named, split: task.split, index, task: task.id };
  throw new EngineError("bad-input", `Task "${task.id}" was not listed by an OpenEnv server: its data has no index.`);
}

function* foreignTasks(
  { name, description }: ServerDescription,
  goal: string | undefined,
  split: string,
  offset: number,
  end: number,
): Iterable<Task> {
  const asked = goal ?? (description === "" ? "Do what the environment asks for." : description);
  const label = name.replaceAll(/[^\w-]+/g, "-");
  for (let index = offset; index < end; index += 1) {
    const seed = (FIRST_SEED[split] ?? 0) + index;
    yield { id: `${label}-${split}-${index}`, env: "openenv", seed, goal: asked, split };
  }
}

async function* ownTasks(
  server: ServerDescription,
  { address, limits }: { readonly address: ServerAddress; readonly limits: Limits },
  split: string,
  offset: number,
  end: number,
): AsyncIterable<Task> {
  for (let from = offset; from < end; from += PAGE) {
    const count = Math.min(PAGE, end - from);
    const page = await listTasks(address, { split, offset: from, count }, limits);
    for (const { id, seed, goal, index } of page) {
      const data = { world: server.name, index };
      yield { id: cleanText(id, 1_000), env: "openenv", seed, goal: cleanText(goal), split, data };
    }
    if (page.length < count) return;
  }
}

// Demonstrators of a server: what they would do is asked over HTTP, with all that was seen.

/** Draws of a demonstrator that guesses come from a number, which can be sent to the server. */
const SEEDS = 2 ** 31;

/** By id, in the server's order; undefined where it offers none. */
function serverDemonstrators(
  extension: Extension | undefined,
  address: ServerAddress,
  limits: Limits,
): Readonly<Record<string, Demonstrator>> | undefined {
  const offered = extension?.demonstrators ?? [];
  if (offered.length === 0) return undefined;
  return Object.fromEntries(
    offered.map(({ id, summary }) => [id, remoteDemonstrator(id, cleanText(summary, 500), address, limits)]),
  );
}

function remoteDemonstrator(id: string, summary: string, address: ServerAddress, limits: Limits): Demonstrator {
  return {
    id,
    summary,
    start: () => {
      throw new EngineError("needs-unmet", `The demonstrator ${id} lives on ${address.shown}: ask it by "advise".`);
    },
    advise: async (task, past, rng) => {
      const index = task.data?.["index"];
      if (typeof index !== "number") {
        throw new EngineError(
          "bad-input",
          `Task "${task.id}" was not listed by an OpenEnv server: its data has no index.`,
        );
      }
      const seen = past.map(({ action, observation, admissible }) => ({
        action: action ?? null,
        observation,
        admissible: admissible === undefined ? null : [...admissible],
      }));
      const place = { split: task.split ?? "train", index, task: task.id };
      return await askAdvice(address, { demonstrator: id, seed: rng.int(SEEDS), ...place, past: seen }, limits);
    },
  };
}
