/** One episode over a connection of its own. A lost connection is a lost world, never a reward of 0. */
import { z } from "zod";
import { EngineError, errorData, isAbort, isObject, throwIfAborted, type PlainError } from "../../base/index.ts";
import {
  scored,
  scoreValue,
  unscored,
  type Json,
  type JsonObject,
  type Score,
  type Task,
} from "../../trajectory/index.ts";
import type { Episode, OpenOptions, StepResult } from "../env.ts";
import { episodeClosed, episodeEnded } from "../episode-error.ts";
import type { ActionCodec } from "./action-codec.ts";
import { begin, type ConnectOptions } from "./connect.ts";
import { isIrreversible } from "./irreversible.ts";
import { readObservation, type Reading, type ReadingOptions } from "./reading.ts";
import { refusal, type Socket } from "./socket.ts";
import { cleaned } from "./text.ts";
import type { ClientMessage, ObservationData, ServerMessage } from "./wire.ts";

export interface EpisodeParts {
  readonly task: Task;
  readonly connect: ConnectOptions;
  /** The message that begins it, so that it can begin again elsewhere. */
  readonly reset: ClientMessage;
  readonly codec: ActionCodec;
  /** Tools the server listed, where it has any. */
  readonly tools: readonly JsonObject[] | undefined;
  /** Whether it is one of our servers, with everything in the observation. */
  readonly own: boolean;
  readonly snapshot: boolean;
  readonly replayable: boolean;
  readonly maxSteps: number;
  readonly successAt: number | undefined;
  readonly reading: ReadingOptions;
}

/** An action the server answered with an observation, and that observation. */
interface Past {
  readonly data: JsonObject;
  readonly key: string;
  readonly reward: Score;
}

/** Everything about an episode but its connection; immutable, so that a fork can have it too. */
interface Moment {
  readonly reading: Reading;
  readonly total: Score;
  readonly steps: number;
  readonly past: readonly Past[];
  readonly failure: PlainError | undefined;
}

export function firstMoment(parts: EpisodeParts, first: ObservationData): Moment {
  const reading = readObservation(first, parts.own, parts.reading);
  return { reading: { ...reading, reward: scored(0) }, total: scored(0), steps: 0, past: [], failure: undefined };
}

export function createEpisode(parts: EpisodeParts, start: Moment, connection: Socket | undefined): Episode {
  const { task } = parts;
  let now = start;
  let socket = connection;
  let closed = false;
  const view = (): ReturnType<typeof viewOf> => viewOf(parts, now);

  const part = async (): Promise<void> => {
    const open = socket;
    socket = undefined;
    await open?.close();
  };
  const lose = async (error: unknown): Promise<StepResult> => {
    now = { ...now, failure: errorData(error), steps: now.steps + 1 };
    await part();
    return resultOf(parts, now, { valid: false });
  };
  const refuse = (why: string): StepResult => {
    now = { ...now, steps: now.steps + 1, reading: { ...now.reading, text: cleaned(why, 2_000), reward: scored(0) } };
    return resultOf(parts, now, { valid: false });
  };

  const step = async (action: string, options: OpenOptions = {}): Promise<StepResult> => {
    if (closed) throw episodeClosed(task);
    const { ending } = view();
    if (ending !== undefined || socket === undefined) throw episodeEnded(task, ending ?? "failed");
    throwIfAborted(options.signal);
    const encoded = parts.codec.encode(action);
    let result: StepResult;
    if (encoded.ok) {
      try {
        const answer = await socket.ask({ type: "step", data: encoded.data }, options.signal);
        if (answer.type === "error" && answer.data.code === "VALIDATION_ERROR") result = refuse(refusedText(answer));
        else {
          now = advanced(parts, now, encoded.data, answer);
          result = resultOf(parts, now, { valid: now.reading.valid });
        }
      } catch (error) {
        const gone = await lose(error);
        // What the server did with a request that nobody waited for is unknown; the caller asked for it.
        if (isAbort(error)) throw error;
        return gone;
      }
    } else result = refuse(encoded.why);
    // An ended episode needs no world any more, and servers have few places.
    if (result.ending !== undefined) await part();
    return result;
  };

  return {
    task,
    get observation() {
      return now.reading.text;
    },
    get stateKey() {
      return now.reading.key;
    },
    get ending() {
      return view().ending;
    },
    get reward() {
      return view().reward;
    },
    get success() {
      return view().success;
    },
    get failure() {
      return now.failure;
    },
    get tools() {
      return now.reading.tools ?? parts.tools;
    },
    get irreversible() {
      if (!now.reading.irreversible) return undefined;
      const over = view().ending !== undefined;
      return async (action: string) => !over && (await isIrreversible(parts.codec, socket, action));
    },
    admissible: () => view().admissible,
    step,
    fork: async () => {
      if (closed) throw episodeClosed(task);
      // There is nothing left to play, so nothing on the server has to be copied.
      if (socket === undefined) return createEpisode(parts, now, undefined);
      return createEpisode(parts, now, await forkSocket(parts, now, socket));
    },
    close: async () => {
      closed = true;
      await part();
    },
  };
}

function advanced(parts: EpisodeParts, before: Moment, data: JsonObject, answer: ServerMessage): Moment {
  const { shown } = parts.connect.address;
  if (answer.type === "error") throw refusal(answer, shown);
  if (answer.type !== "observation") {
    throw new EngineError("server-nonsense", `The OpenEnv server at ${shown} answered "step" with "${answer.type}".`);
  }
  const reading = readObservation(answer.data, parts.own, parts.reading);
  const { key, reward } = reading;
  const total = added(before.total, reward);
  return { ...before, reading, total, steps: before.steps + 1, past: [...before.past, { data, key, reward }] };
}

function added(total: Score, reward: Score): Score {
  const [left, right] = [scoreValue(total), scoreValue(reward)];
  if (left === undefined) return total;
  return right === undefined ? reward : scored(left + right);
}

function viewOf(parts: EpisodeParts, { reading, total, steps, failure }: Moment) {
  if (failure !== undefined) {
    const admissible = (reading.admissible ?? parts.codec.choices) === undefined ? undefined : [];
    return { ending: "failed", reward: unscored(failure.message), success: null, admissible } as const;
  }
  const spent = reading.ending === undefined && steps >= parts.maxSteps;
  const ending = spent ? "truncated" : reading.ending;
  const value = scoreValue(total);
  const judged = parts.successAt !== undefined && ending !== undefined && value !== undefined;
  const success = reading.success ?? (judged ? value >= (parts.successAt ?? 0) : null);
  const listed = reading.admissible ?? parts.codec.choices;
  const over = ending !== undefined && listed !== undefined;
  return { ending, reward: total, success, admissible: over ? [] : listed };
}

function resultOf(parts: EpisodeParts, now: Moment, { valid }: { readonly valid: boolean }): StepResult {
  const { ending, success, reward } = viewOf(parts, now);
  const { text, reward: earned, info } = now.reading;
  return {
    observation: text,
    reward: now.failure === undefined ? earned : reward,
    valid,
    ending,
    success,
    ...(info === undefined ? {} : { info }),
  };
}

function refusedText({ data }: Extract<ServerMessage, { type: "error" }>): string {
  const errors = z
    .array(z.object({ loc: z.array(z.unknown()).default([]), msg: z.string() }))
    .safeParse(data["errors"]);
  const said = (errors.data ?? []).map(({ loc, msg }) =>
    loc.length === 0 ? msg : `${loc.map(String).join(".")}: ${msg}`,
  );
  return `The action was refused. ${said.length === 0 ? data.message : said.join("; ")}`;
}

/** A second connection in the same state. */
async function forkSocket(parts: EpisodeParts, now: Moment, socket: Socket): Promise<Socket> {
  if (parts.snapshot) return await restore(parts, now, socket);
  if (parts.replayable) return await replay(parts, now);
  throw new EngineError(
    "cannot-fork",
    `The server of task "${parts.task.id}" cannot copy its state: it announces no snapshots. If the same actions after the same reset are harmless and give the same answers, set replayable=true.`,
    { details: { task: parts.task.id } },
  );
}

async function restore(parts: EpisodeParts, now: Moment, socket: Socket): Promise<Socket> {
  const { shown } = parts.connect.address;
  const taken = await socket.ask({ type: "snapshot" });
  if (taken.type === "error") throw refusal(taken, shown);
  if (taken.type !== "snapshot") {
    throw new EngineError("server-nonsense", `${shown} answered "snapshot" with "${taken.type}".`);
  }
  const { snapshot } = taken.data;
  const restoring = { type: "restore", data: { snapshot } } as const;
  const copy = await begin(parts.connect, restoring, { holds: 1 }).catch(async (error: unknown) => {
    await release(socket, snapshot);
    throw error;
  });
  await release(socket, snapshot);
  return await same(parts, copy.socket, copy.first, now.reading.key, "The restored copy");
}

/** A snapshot that stays behind costs the server memory until the connection closes. */
async function release(socket: Socket, snapshot: string): Promise<void> {
  await socket.ask({ type: "release", data: { snapshot } }).catch(() => undefined);
}

async function replay(parts: EpisodeParts, now: Moment): Promise<Socket> {
  const begun = await begin(parts.connect, parts.reset, { holds: 1 });
  let { first } = begun;
  for (const [index, { data, key, reward }] of now.past.entries()) {
    const answer = await begun.socket.ask({ type: "step", data }).catch(async (error: unknown) => {
      await begun.socket.close();
      throw error;
    });
    const what = `Action ${index + 1} of ${now.past.length}, repeated,`;
    if (answer.type !== "observation") throw await diverged(parts, begun.socket, what);
    first = answer.data;
    const reading = readObservation(first, parts.own, parts.reading);
    const equal = reading.key === key && scoreValue(reading.reward) === scoreValue(reward);
    if (!equal) throw await diverged(parts, begun.socket, what);
  }
  return await same(parts, begun.socket, first, now.reading.key, "The repeated episode");
}

async function same(
  parts: EpisodeParts,
  socket: Socket,
  data: ObservationData,
  key: string,
  what: string,
): Promise<Socket> {
  if (readObservation(data, parts.own, parts.reading).key === key) return socket;
  throw await diverged(parts, socket, what);
}

async function diverged({ task }: EpisodeParts, socket: Socket, what: string): Promise<EngineError> {
  await socket.close();
  return new EngineError(
    "fork-diverged",
    `${what} of task "${task.id}" answered otherwise than the original, so this server cannot be forked. Leave replayable off.`,
    { details: { task: task.id } },
  );
}

/** The tools of a server whose actions are calls, as definitions for an agent. */
export async function toolsOf(socket: Socket): Promise<readonly JsonObject[] | undefined> {
  const request = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  const answer = await socket.ask({ type: "mcp", data: request });
  if (answer.type !== "mcp") return undefined;
  const { result } = answer.data;
  const tools = typeof result === "object" && result !== null && "tools" in result ? result["tools"] : undefined;
  if (!Array.isArray(tools)) return undefined;
  return tools.flatMap((tool: Json): JsonObject[] => {
    if (!isObject(tool)) return [];
    const { name, description } = tool;
    const parameters = tool["inputSchema"] ?? tool["input_schema"] ?? {};
    if (typeof name !== "string") return [];
    const described = cleaned(typeof description === "string" ? description : "", 4_000);
    return [{ type: "function", function: { name: cleaned(name, 200), description: described, parameters } }];
  });
}
