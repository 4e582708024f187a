/** One client's side of a served world: its messages in, answers out, without a word about sockets. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { parseJson, type JsonObject } from "limbeck-base/base/json";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Env, Episode, StepResult } from "limbeck-core/env/env";
import type { Demonstrator } from "limbeck-core/env/expert";
import { ResetData, SnapshotData, StepData, type OwnObservation, type WireErrorCode } from "./wire.ts";

/** What the connections of a server share. */
export interface ServedWorld {
  readonly env: Env;
  /** Who may be asked for advice, by id; the expert first. */
  readonly demonstrators?: Readonly<Record<string, Demonstrator>>;
  /** The task a client without a wish is given: they are handed out in order. */
  readonly nextIndex: () => number;
  /** States that clients keep, by a name that cannot be guessed. */
  readonly snapshots: Map<string, Kept>;
  readonly onProblem?: ((message: string) => void) | undefined;
}

interface Kept {
  readonly playing: Playing;
  readonly last: OwnObservation;
}

interface Playing {
  readonly episode: Episode;
  readonly episodeId: string;
  readonly steps: number;
}

/** `close` means that the connection ends after the answer, which may be none. */
export interface Reply {
  readonly message?: JsonObject;
  readonly close?: boolean;
}

export interface EnvSession {
  handle(text: string): Promise<Reply>;
  close(): Promise<void>;
}

const MAX_SNAPSHOTS_PER_CLIENT = 256;
const MAX_SNAPSHOTS = 4_096;
/** The client's own fault: it named or wrote something that does not exist. */
const CLIENTS_FAULT: ReadonlySet<string> = new Set(["unknown-name", "bad-input", "bad-option"]);

const Incoming = z.looseObject({ type: z.string(), data: z.record(z.string(), z.unknown()).default({}) });
const Framed = z.looseObject({ type: z.string().catch("") });

/** What one client has: its episode, and the snapshots that it took. */
interface Desk {
  playing: Playing | undefined;
  last: OwnObservation | undefined;
  readonly own: Set<string>;
}

type Handlers = Readonly<Record<string, (data: Record<string, unknown>) => Promise<Reply>>>;

export function createSession(world: ServedWorld): EnvSession {
  const desk: Desk = { playing: undefined, last: undefined, own: new Set() };
  const handlers: Handlers = { ...episodeHandlers(world, desk), ...snapshotHandlers(world, desk) };
  return {
    handle: async (text) => {
      const framed = Framed.safeParse(parseJson(text));
      if (!framed.success) return problem("INVALID_JSON", "A message is a JSON object with a type.");
      const { type } = framed.data;
      const handler = Object.hasOwn(handlers, type) ? handlers[type] : undefined;
      if (handler === undefined) return problem("UNKNOWN_TYPE", `Unknown message type: ${type.slice(0, 80)}`);
      try {
        return await handler(Incoming.parse(framed.data).data);
      } catch (error) {
        return refusalOf(error, world);
      }
    },
    close: async () => {
      const left = [...desk.own];
      desk.own.clear();
      await Promise.all(left.map((snapshot) => drop(world, snapshot)));
      await desk.playing?.episode.close();
      desk.playing = undefined;
    },
  };
}

async function begin(desk: Desk, next: Playing, observation: OwnObservation): Promise<void> {
  const before = desk.playing;
  [desk.playing, desk.last] = [next, observation];
  await before?.episode.close();
}

function started({ playing }: Desk): Playing {
  if (playing !== undefined) return playing;
  throw new EngineError("not-started", 'There is no episode yet; send {"type": "reset"} first.');
}

function episodeHandlers(world: ServedWorld, desk: Desk): Handlers {
  return {
    reset: async (given) => {
      const data = ResetData.parse(given);
      const task = await chooseTask(world, data);
      const episode = await world.env.open(task);
      await begin(desk, { episode, episodeId: data.episode_id ?? randomUUID(), steps: 0 }, ownObservation(episode));
      return observationReply(episode, undefined);
    },
    step: async (given) => {
      const { text } = StepData.parse(given);
      const current = started(desk);
      const { episode } = current;
      const result = await episode.step(text);
      desk.playing = { ...current, steps: current.steps + 1 };
      if (result.ending === "failed") {
        throw EngineError.from(episode.failure ?? { code: "world-lost", message: "The world was lost." });
      }
      desk.last = ownObservation(episode, result);
      return observationReply(episode, result);
    },
    state: async () => ({
      message: {
        type: "state",
        data: {
          episode_id: desk.playing?.episodeId ?? null,
          step_count: desk.playing?.steps ?? 0,
          task_id: desk.playing?.episode.task.id ?? null,
          split: desk.playing?.episode.task.split ?? null,
        },
      },
    }),
    close: async () => ({ close: true }),
    mcp: async (given) => {
      const { id } = given;
      const known = typeof id === "number" || typeof id === "string" ? id : null;
      const error = { code: -32_601, message: "This world has no tools over MCP; act with step." };
      return { message: { type: "mcp", data: { jsonrpc: "2.0", id: known, error } } };
    },
    irreversible: async (given) => {
      const { text } = StepData.parse(given);
      const { episode } = started(desk);
      const irreversible = episode.ending === undefined && (await episode.irreversible?.(text)) === true;
      return { message: { type: "irreversible", data: { irreversible } } };
    },
  };
}

function snapshotHandlers(world: ServedWorld, desk: Desk): Handlers {
  return {
    snapshot: async () => {
      const current = started(desk);
      if (desk.own.size >= MAX_SNAPSHOTS_PER_CLIENT || world.snapshots.size >= MAX_SNAPSHOTS) {
        throw new EngineError("too-many-snapshots", "There are too many snapshots; release some.");
      }
      const snapshot = randomUUID();
      const copy = { ...current, episode: await current.episode.fork() };
      world.snapshots.set(snapshot, { playing: copy, last: desk.last ?? ownObservation(copy.episode) });
      desk.own.add(snapshot);
      return { message: { type: "snapshot", data: { snapshot } } };
    },
    restore: async (given) => {
      const { snapshot } = SnapshotData.parse(given);
      const kept = world.snapshots.get(snapshot);
      if (kept === undefined) {
        throw new EngineError(
          "unknown-snapshot",
          "There is no such snapshot: it was released, or its client has left.",
        );
      }
      const episode = await kept.playing.episode.fork();
      await begin(desk, { ...kept.playing, episode }, kept.last);
      return observationReply(episode, undefined, kept.last);
    },
    release: async (given) => {
      const { snapshot } = SnapshotData.parse(given);
      // Only its own: a name that was overheard must not cost anybody a state.
      if (desk.own.delete(snapshot)) await drop(world, snapshot);
      return { message: { type: "released", data: { snapshot } } };
    },
  };
}

async function drop(world: ServedWorld, snapshot: string): Promise<void> {
  const kept = world.snapshots.get(snapshot);
  world.snapshots.delete(snapshot);
  await kept?.playing.episode.close();
}

function refusalOf(error: unknown, world: ServedWorld): Reply {
  if (error instanceof z.ZodError) {
    const errors = error.issues.map(({ path, message, code }) => ({ type: code, loc: path.map(String), msg: message }));
    return problem("VALIDATION_ERROR", "Invalid message", { errors });
  }
  if (!(error instanceof EngineError)) {
    // What went wrong inside is for the one who runs the server.
    world.onProblem?.(error instanceof Error ? error.message : String(error));
    return problem("EXECUTION_ERROR", "The world failed.");
  }
  const errors = [{ type: error.code, loc: [], msg: error.message }];
  return CLIENTS_FAULT.has(errorCode(error) ?? "")
    ? problem("VALIDATION_ERROR", error.message, { errors })
    : problem("EXECUTION_ERROR", error.message, { reason: error.code });
}

export function problem(code: WireErrorCode, message: string, more: JsonObject = {}): { readonly message: JsonObject } {
  return { message: { type: "error", data: { message, code, ...more } } };
}

function observationReply(episode: Episode, result: StepResult | undefined, given?: OwnObservation): Reply {
  const observation = given ?? ownObservation(episode, result);
  const reward = result === undefined ? null : (scoreValue(result.reward) ?? null);
  return {
    message: {
      type: "observation",
      data: { observation: { ...observation }, reward, done: observation.ending !== null },
    },
  };
}

function ownObservation(episode: Episode, result?: StepResult): OwnObservation {
  const { ending, reward } = { ending: episode.ending, reward: result?.reward };
  return {
    text: episode.observation,
    valid: result?.valid ?? true,
    ending: ending === undefined || ending === "failed" ? null : ending,
    success: episode.success,
    admissible: episode.admissible()?.slice() ?? null,
    state_key: episode.stateKey,
    unscored: reward?.kind === "unscored" ? reward.why : null,
    tools: episode.tools?.map((tool) => ({ ...tool })) ?? null,
    info: result?.info ?? null,
    irreversible: episode.irreversible !== undefined,
  };
}

/** By place in its split; by seed, which is a place taken round and round; or the next in line. */
export async function chooseTask({ env, nextIndex }: ServedWorld, data: ResetData): Promise<Task> {
  const split = data.split ?? Object.keys(env.splits)[0] ?? "train";
  const size = Object.hasOwn(env.splits, split) ? (env.splits[split] ?? 0) : Number.POSITIVE_INFINITY;
  const around = (place: number): number => (Number.isFinite(size) && size > 0 ? place % size : place);
  const index = data.index ?? around(data.seed ?? nextIndex());
  for await (const task of env.tasks(split, { offset: index, count: 1 })) {
    if (data.task === undefined || data.task === null || data.task === task.id) return task;
    throw new EngineError(
      "other-task",
      `Task ${index} of split "${split}" is "${task.id}", not "${data.task.slice(0, 200)}". The server was started with other options; list its tasks again.`,
    );
  }
  throw new EngineError("bad-input", `Split "${split}" of ${env.id} has ${size} tasks; there is no number ${index}.`);
}
