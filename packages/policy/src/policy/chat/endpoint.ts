/** What stands behind a chat model: one attempt at a time. Retries, limits, budgets and the cache are not its business. */
import { EngineError } from "limbeck-base/base/errors";
import type { JsonObject } from "limbeck-base/base/json";
import type { Message, ToolCall } from "limbeck-base/trajectory/trajectory";
import type { TextSampled, TextScoreRow, TokenLogprob } from "../text-policy.ts";

export interface ChatEndpoint {
  /** Names the model and where it lives, without anything secret; part of the key of the cache. */
  readonly id: string;
  readonly model: string;
  send(request: ChatRequest, signal: AbortSignal): Promise<ChatAnswer>;
  score(row: TextScoreRow, signal: AbortSignal): Promise<ScoredReply>;
}

export interface ChatRequest {
  readonly messages: readonly Message[];
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topK?: number;
  readonly topP?: number;
  readonly minP?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  /** Definitions of tools: `{name, description?, parameters}`. */
  readonly tools?: readonly JsonObject[];
  /** Further fields of the request, in the words of OpenAI's chat completions; what is set above comes before them. */
  readonly fields?: JsonObject;
  /** Asks for the log-probability of each token. */
  readonly logprobs?: boolean;
  /** A JSON schema that the reply must fit, where the server can enforce one. */
  readonly jsonSchema?: JsonObject;
}

/** Counts are missing where the server does not give them. */
export interface TokenCounts {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly cachedTokens?: number;
}

export interface ChatAnswer {
  readonly text: string;
  readonly reasoning?: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: TextSampled["ending"];
  readonly logprobs?: readonly TokenLogprob[];
  readonly counts: TokenCounts;
}

export interface ScoredReply {
  readonly tokens: TokenLogprob[];
  readonly counts: TokenCounts;
}

/** Why an attempt failed, and whether another may help. */
interface Failure {
  readonly code: "chat-refused" | "chat-failed" | "chat-bad-response";
  readonly status?: number;
  readonly retryable: boolean;
  /** How long the server asked to be left alone. */
  readonly retryAfterMs?: number;
}

export function attemptFailed(message: string, { code, ...details }: Failure): EngineError {
  return new EngineError(code, message, { details });
}

export function badResponse(id: string, why: string): EngineError {
  return attemptFailed(`${id} answered with something that is not a chat completion: ${why}.`, {
    code: "chat-bad-response",
    retryable: true,
  });
}

const FINISH: Readonly<Record<string, ChatAnswer["finishReason"]>> = {
  length: "length",
  tool_calls: "tool-calls",
  "tool-calls": "tool-calls",
  function_call: "tool-calls",
  content_filter: "filtered",
  "content-filter": "filtered",
};

/** What a server calls the end of a reply, in our words; anything it invents is a stop. */
export function finishReasonOf(name: string): ChatAnswer["finishReason"] {
  return Object.hasOwn(FINISH, name) ? (FINISH[name] as ChatAnswer["finishReason"]) : "stop";
}

// Text of a server on its way into an error: without keys, without control characters, and short.

const LONGEST = 300;
/** Words that look like keys even if they are not ours: a server may quote another one. */
const KEY_LIKE = /\b(?:sk|pk|rk|key|gsk|xai)[-_][\w-]{8,}|\bBearer\s+[^\s"',]+/gi;

export function redact(text: string, secrets: readonly (string | undefined)[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret === undefined || secret === "") continue;
    for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
      clean = clean.replaceAll(form, "[key]");
    }
  }
  clean = clean
    .replace(KEY_LIKE, "[key]")
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  return clean.length > LONGEST ? `${clean.slice(0, LONGEST)}…` : clean;
}

/** An address without user name, password, query and fragment, any of which may hold a key. */
export function publicAddress(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
