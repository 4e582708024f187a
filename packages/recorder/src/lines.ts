/**
 * What a recorder writes: one JSON object a line, for a file or an HTTP body. A call holds only the messages that were
 * new to the model; `after` names the call whose messages and reply come before them.
 */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** A call as the model wrote it. Arguments that were not a JSON object are kept as the raw text. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject | string;
}

export interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly JsonObject[];
  readonly name?: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly toolCallId?: string;
}

export interface CallUsage {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly cachedTokens?: number;
  readonly costUsd?: number;
}

/** What the agent was asked; without an id, equal openings are equal tasks. */
export interface TaskLine {
  readonly id?: string;
  readonly goal?: string;
  readonly env?: string;
  readonly seed?: number;
  readonly split?: string;
}

/** Who a call belongs to. */
export interface Origin {
  readonly task?: TaskLine;
  /** Trajectories of one group are compared with each other. Default: the task. */
  readonly group?: string;
  readonly agent?: string;
  /** The trajectory of the agent that called this one. */
  readonly caller?: string;
}

export interface Fault {
  readonly code: string;
  readonly message: string;
}

/** The agent gave up on an answer. The connection alone does not show why, so no reason is given. */
export const CLIENT_LEFT: Fault = {
  code: "client-left",
  message: "The agent closed the connection before the answer was complete.",
};
export const BROKEN_OFF: Fault = { code: "broken-off", message: "The provider broke off its answer." };

export function unreachable(why: string): Fault {
  return { code: "provider-unreachable", message: `The provider could not be reached: ${why}` };
}

/** One call of a model. */
export interface CallLine extends Origin {
  readonly limbeck: "call";
  readonly v: 1;
  readonly trajectory: string;
  readonly call: string;
  readonly after?: string;
  readonly provider?: string;
  readonly model?: string;
  /** ISO 8601 in UTC. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly firstChunkMs?: number;
  readonly messages: readonly Message[];
  /** Ids of the skills that an injector put into the system prompt; missing without one. */
  readonly skills?: readonly string[];
  /** Missing when the model gave no answer. */
  readonly reply?: Message;
  readonly finish?: string;
  readonly usage?: CallUsage;
  /** Tools in the shape of the OpenAI interface; only where they differ from those of the call before. */
  readonly tools?: readonly JsonObject[];
  readonly error?: Fault;
  /** The answer broke off. */
  readonly partial?: true;
}

/** The agent is done. */
export interface EndLine {
  readonly limbeck: "end";
  readonly v: 1;
  readonly trajectory: string;
  readonly ending?: "terminated" | "truncated" | "failed";
  readonly error?: Fault;
}

/** An outcome, whenever it became known. */
export interface FeedbackLine extends Feedback {
  readonly limbeck: "feedback";
  readonly v: 1;
  readonly trajectory: string;
}

export interface Feedback {
  readonly success?: boolean;
  readonly score?: number;
  /** Named rewards. */
  readonly rewards?: Readonly<Record<string, number>>;
  readonly comment?: string;
  /** Who says so: "person", the name of a judge or of a test. Default: "feedback". */
  readonly source?: string;
}

export type RecordLine = CallLine | EndLine | FeedbackLine;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Undefined where the text is not a JSON object. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A list of objects; anything else in it is left out. */
export function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function textOr(value: unknown, other: string): string {
  return typeof value === "string" ? value : other;
}

/** A whole number of tokens, or nothing. */
export function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Text that is a JSON object becomes one; what the model wrote wrongly stays as it wrote it. */
export function callArguments(value: unknown): JsonObject | string {
  if (isObject(value)) return value;
  if (typeof value !== "string") return value === undefined || value === null ? {} : JSON.stringify(value);
  return parseObject(value) ?? value;
}

/** Usage without the unknown fields. */
export function usageOf(fields: Readonly<Record<keyof CallUsage, number | undefined>>): CallUsage | undefined {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}
