/**
 * The contract of a policy that has no token ids to show: a chat model behind a server. It mirrors `policy.ts`, with
 * messages where that has tokens, so that one loop can drive both. Nothing of it can be trained on by the token.
 */
import type { JsonObject } from "limbeck-base/base/json";
import type { Message, PolicyRef, ToolCall, Usage } from "limbeck-base/trajectory/trajectory";
import type { ConversationOptions } from "./policy.ts";

export interface TextPolicy {
  readonly ref: PolicyRef;
  open(options?: ConversationOptions): TextConversation;
  close(): Promise<void>;
}

export interface TextConversation {
  /** All messages so far; a reply is the last one once it has been sampled. */
  readonly messages: readonly Message[];
  /** Reads messages; they are sent with the next sample. */
  extend(messages: readonly Message[]): void;
  /** Says something. After a failure the conversation is as before, so the call may be repeated. */
  sample(options: TextSampleOptions): Promise<TextSampled>;
  /** An independent copy at this point. Its seed is split by the label, so that forks of one point differ. */
  fork(label: string | number): TextConversation;
  close(): void;
}

export interface TextSampleOptions {
  readonly maxTokens: number;
  /** Default: the server's default. */
  readonly temperature?: number;
  readonly topK?: number;
  readonly topP?: number;
  readonly minP?: number;
  /** Texts that end the reply; unlike a token policy's, they are not part of it. */
  readonly stop?: readonly string[];
  /** Definitions of tools that may be called: `{name, description?, parameters}`. */
  readonly tools?: readonly JsonObject[];
  /** Further fields of the request, for servers that take them. */
  readonly fields?: JsonObject;
  readonly signal?: AbortSignal;
}

export interface TextSampled {
  readonly text: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ToolCall[];
  /** What this reply took; where the server does not count, the counts are missing. */
  readonly usage: Usage;
  /** Log-probability of each token of the reply, where the server returns them. */
  readonly logprobs?: readonly TokenLogprob[];
  readonly version: number;
  /** "filtered": the server withheld the rest of the reply. */
  readonly ending: "stop" | "length" | "tool-calls" | "filtered";
}

export interface TokenLogprob {
  readonly text: string;
  readonly logprob: number;
}

/** Log-probabilities of given replies. */
export interface TextScorer {
  /** One list per row: the tokens of its reply, in order, as the server cuts them. */
  scoreText(rows: readonly TextScoreRow[], options?: TextScoreOptions): Promise<TokenLogprob[][]>;
}

export interface TextScoreRow {
  readonly messages: readonly Message[];
  readonly reply: string;
}

export interface TextScoreOptions {
  readonly signal?: AbortSignal;
}
