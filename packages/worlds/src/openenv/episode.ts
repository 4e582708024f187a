/** One episode over a connection of its own. A lost connection is a lost world, never a reward of 0. */
import { createHash } from "node:crypto";
import { z } from "zod";
import { EngineError, errorData, isAbort, throwIfAborted, type PlainError } from "limbeck-base/base/errors";
import { isObject, canonicalJson, type Json, type JsonObject } from "limbeck-base/base/json";
import { scored, scoreValue, unscored } from "limbeck-base/trajectory/score";
import type { Score, Task, Ending } from "limbeck-base/trajectory/trajectory";
import type { Episode, StepResult } from "limbeck-core/env/env";
import { episodeClosed, episodeEnded } from "limbeck-core/env/episode-error";
import { isIrreversible, type ActionCodec } from "./action-codec.ts";
import { begin, type ConnectOptions } from "./connect.ts";
import { refusal, type Socket } from "./socket.ts";
import { cleanText } from "./text.ts";
import { OwnObservation, type ClientMessage, type ObservationData, type ServerMessage } from "./wire.ts";

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

/** An episode on the way; its socket is given back as soon as there is nothing left to play. */
interface Play {
  now: Moment;
  socket: Socket | undefined;
}

async function leave(play: Play): Promise<void> {
  const open = play.socket;
  play.socket = undefined;
  await open?.close();
}

export function createEpisode(parts: EpisodeParts, start: Moment, connection: Socket | undefined): Episode {
  const { task } = parts;
  const play: Play = { now: start, socket: connection };
  let closed = false;
  const view = (): ReturnType<typeof viewOf> => viewOf(parts, play.now);

  return {
    task,
    get observation() {
      return play.now.reading.text;
    },
    get stateKey() {
      return play.now.reading.key;
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
      return play.now.failure;
    },
    get tools() {
      return play.now.reading.tools ?? parts.tools;
    },
    get irreversible() {
      if (!play.now.reading.irreversible) return undefined;
      const over = view().ending !== undefined;
      return async (action: string) => !over && (await isIrreversible(parts.codec, play.socket, action));
    },
    admissible: () => view().admissible,
    step: async (action, { signal } = {}) => {
      if (closed) throw episodeClosed(task);
      const { ending } = view();
      if (ending !== undefined || play.socket === undefined) throw episodeEnded(task, ending ?? "failed");
      throwIfAborted(signal);
      return await stepOn(parts, play, play.socket, action, signal);
    },
    fork: async () => {
      if (closed) throw episodeClosed(task);
      // There is nothing left to play, so nothing on the server has to be copied.
      const { now, socket } = play;
      return createEpisode(parts, now, socket === undefined ? undefined : await forkSocket(parts, now, socket));
    },
    close: async () => {
      closed = true;
      await leave(play);
    },
  };
}

async function stepOn(
  parts: EpisodeParts,
  play: Play,
  socket: Socket,
  action: string,
  signal: AbortSignal | undefined,
): Promise<StepResult> {
  const encoded = parts.codec.encode(action);
  const refuse = (why: string): StepResult => {
    const { now } = play;
    const reading = { ...now.reading, text: cleanText(why, 2_000), reward: scored(0) };
    play.now = { ...now, steps: now.steps + 1, reading };
    return resultOf(parts, play.now, { valid: false });
  };
  const taken = async (data: JsonObject): Promise<StepResult> => {
    const answer = await socket.ask({ type: "step", data }, signal);
    if (answer.type === "error" && answer.data.code === "VALIDATION_ERROR") return refuse(refusedText(answer));
    play.now = advanced(parts, play.now, data, answer);
    return resultOf(parts, play.now, { valid: play.now.reading.valid });
  };
  let result: StepResult;
  try {
    result = encoded.ok ? await taken(encoded.data) : refuse(encoded.why);
  } catch (error) {
    play.now = { ...play.now, failure: errorData(error), steps: play.now.steps + 1 };
    await leave(play);
    // What the server did with a request that was given up is unknown; the caller asked for it.
    if (isAbort(error)) throw error;
    return resultOf(parts, play.now, { valid: false });
  }
  // An ended episode needs no world any more, and servers have few places.
  if (result.ending !== undefined) await leave(play);
  return result;
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
    const described = cleanText(typeof description === "string" ? description : "", 4_000);
    return [{ type: "function", function: { name: cleanText(name, 200), description: described, parameters } }];
  });
}

// From what a server answers to what an agent sees. Our own servers say everything; of others it is worked out.

interface Reading {
  readonly text: string;
  readonly key: string;
  readonly valid: boolean;
  readonly ending: Ending | undefined;
  readonly success: boolean | null;
  readonly reward: Score;
  readonly admissible: readonly string[] | undefined;
  readonly tools: readonly JsonObject[] | undefined;
  readonly info: JsonObject | undefined;
  /** Whether the server can be asked what cannot be taken back. */
  readonly irreversible: boolean;
}

interface ReadingOptions {
  /** The field the agent reads. Default: the only field if it is a text, else the observation as JSON. */
  readonly text?: string | undefined;
  /** The field that lists the admissible actions. */
  readonly admissible?: string | undefined;
}

/** Reads an answer; throws "server-nonsense" where one of our servers does not send what it announced. */
function readObservation(data: ObservationData, own: boolean, options: ReadingOptions): Reading {
  return own ? readOwn(data) : readForeign(data, options);
}

function readOwn({ observation, reward, done }: ObservationData): Reading {
  const parsed = OwnObservation.safeParse(observation);
  if (!parsed.success || done !== (parsed.data.ending !== null)) {
    throw new EngineError("server-nonsense", "The server sent an observation without the fields it announced.");
  }
  const {
    text,
    valid,
    ending,
    success,
    admissible,
    state_key: key,
    unscored: why,
    tools,
    info,
    irreversible,
  } = parsed.data;
  return {
    text: cleanText(text),
    key,
    valid,
    ending: ending ?? undefined,
    success,
    reward: why === null ? scoreOf(reward) : unscored(cleanText(why, 500)),
    admissible: admissible ?? undefined,
    tools: tools ?? undefined,
    info: info ?? undefined,
    irreversible,
  };
}

function readForeign({ observation, reward, done }: ObservationData, options: ReadingOptions): Reading {
  const { success } = observation;
  return {
    text: cleanText(textOf(observation, options.text)),
    key: createHash("sha256").update(canonicalJson(observation)).digest("hex").slice(0, 32),
    valid: true,
    ending: done ? "terminated" : undefined,
    success: typeof success === "boolean" && done ? success : null,
    reward: scoreOf(reward),
    admissible: listOf(observation, options.admissible),
    tools: undefined,
    info: undefined,
    irreversible: false,
  };
}

/** No reward on a step means that the step earned nothing; a lost world says so otherwise. */
function scoreOf(reward: ObservationData["reward"]): Score {
  return scored(Number(reward ?? 0));
}

function textOf(observation: JsonObject, field: string | undefined): string {
  if (field !== undefined) {
    if (!Object.hasOwn(observation, field)) throw missingField(observation, field, "text");
    return asText(observation[field] ?? null);
  }
  const values = Object.values(observation);
  return values.length === 1 && typeof values[0] === "string" ? values[0] : JSON.stringify(observation);
}

function listOf(observation: JsonObject, field: string | undefined): readonly string[] | undefined {
  if (field === undefined) return undefined;
  const list = Object.hasOwn(observation, field) ? observation[field] : undefined;
  if (!Array.isArray(list)) throw missingField(observation, field, "admissible");
  return [...new Set(list.map(asText))];
}

function asText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function missingField(observation: JsonObject, field: string, option: string): EngineError {
  const there = Object.keys(observation)
    .map((name) => cleanText(name, 40))
    .join(", ");
  return new EngineError(
    "bad-option",
    `The observation has no ${option === "text" ? "field" : "list"} "${field}" (option ${option}). It has: ${there}.`,
  );
}
