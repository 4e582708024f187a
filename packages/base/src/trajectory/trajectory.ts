/**
 * The nouns everything hangs on. Plain types; `schema.ts` guards the border.
 *
 * A set of trajectories is a forest: a branch holds only its own steps and names the step of its parent that its first
 * step replaces. Exact tokens are first-class: nothing sampled is ever tokenised again.
 */
import type { PlainError } from "../base/errors.ts";
import type { Json, JsonObject } from "../base/json.ts";

export type { Json, JsonObject };

/** What an agent is asked to do. Everything about an episode follows from it, so the same task replays the same world. */
export interface Task {
  readonly id: string;
  readonly env: string;
  readonly seed: number;
  readonly goal: string;
  /** "train", "valid", "test" or a name of the environment's own. */
  readonly split: string;
  /** What else the environment needs to open it. */
  readonly data?: JsonObject;
}

/** A number, or the reason why there is none. A failed judge or a lost environment is never a zero. */
export type Score =
  | { readonly kind: "scored"; readonly value: number }
  | { readonly kind: "unscored"; readonly why: string };

/** One named judgement, of the whole trajectory, of one step, or of tokens inside the step's response. */
export interface Reward {
  readonly name: string;
  /** Who gave it: an environment, a judge, a person. */
  readonly source: string;
  readonly score: Score;
  readonly step?: number;
  /** Token positions inside the step's response, end exclusive. */
  readonly tokens?: { readonly start: number; readonly end: number };
  readonly comment?: string;
}

/** How an episode ended; "done" would lose what bootstrapping needs. */
export type Ending = "terminated" | "truncated" | "failed";

/**
 * Token arrays of equal length. `mask` is 1 where the policy produced the token. Statistics of tokens the policy did
 * not produce are 0.
 */
export interface TokenStream {
  readonly ids: Int32Array;
  readonly mask: Uint8Array;
  /** Log-probability under the policy itself, at temperature 1 and without restrictions. */
  readonly logprobs?: Float32Array;
  /** Log-probability under the distribution it was drawn from (temperature, allowed set). */
  readonly sampledLogprobs?: Float32Array;
  /** Policy version that produced the token. */
  readonly versions?: Int32Array;
  readonly temperatures?: Float32Array;
  /** Weight of the token in a loss. */
  readonly weights?: Float32Array;
  /** Where sampling was restricted: the allowed ids of token t are ids[offsets[t]] to ids[offsets[t + 1]]; none: free. */
  readonly allowed?: { readonly offsets: Int32Array; readonly ids: Int32Array };
}

/**
 * A step's response inside a stream, end exclusive; what stands before `start` is what the policy had read.
 * Spans of one stream follow each other in the order of the steps and do not overlap.
 */
export interface Span {
  readonly stream: number;
  readonly start: number;
  readonly end: number;
}

export interface Usage {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly cachedTokens?: number;
  readonly modelCalls?: number;
  readonly costUsd?: number;
}

export interface Timing {
  /** ISO 8601 in UTC. */
  readonly startedAt?: string;
  readonly durationMs?: number;
  readonly policyMs?: number;
  readonly envMs?: number;
}

/** A call as the model wrote it. Arguments that were not a JSON object are kept as the raw text. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject | string;
}

/** One message of a chat. Content parts that are not text (images, files) are kept as JSON. */
export interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly JsonObject[];
  readonly name?: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly toolCallId?: string;
  /** Further fields of an interchange format, by name. */
  readonly extra?: JsonObject;
}

export interface Step {
  /** Position in the episode, from 0; a branch goes on counting from its parent. */
  readonly index: number;
  /** What the agent saw before it acted. */
  readonly observation: string;
  /** Equal keys mean equal states, as far as the environment or the importer can tell. */
  readonly stateKey: string;
  /** The full prompt text, and the same without retrieved skills or memory. */
  readonly prompt?: string;
  readonly basePrompt?: string;
  readonly action: string;
  readonly valid: boolean;
  readonly reward: Score;
  readonly span?: Span;
  /** The chat messages that were new to the model at this step, and its reply, where the agent was a chat. */
  readonly messages?: readonly Message[];
  readonly reply?: Message;
  readonly usage?: Usage;
  readonly timing?: Timing;
  readonly info?: JsonObject;
}

export interface Parent {
  readonly trajectory: string;
  /** The parent's step that the branch's first step replaces. */
  readonly step: number;
  /** Set when the branch left inside that step's response: how many of its tokens are shared. */
  readonly token?: number;
}

/** Which policy acted. */
export interface PolicyRef {
  readonly name: string;
  readonly version?: number;
  readonly model?: string;
}

export interface Trajectory {
  readonly id: string;
  readonly task: Task;
  /** Trajectories of one group are compared with each other. */
  readonly group: string;
  readonly parent?: Parent;
  readonly steps: readonly Step[];
  readonly streams: readonly TokenStream[];
  readonly ending: Ending;
  readonly reward: Score;
  /** Null when it is unknown. */
  readonly success: boolean | null;
  readonly rewards: readonly Reward[];
  readonly policy: PolicyRef;
  readonly usage?: Usage;
  readonly timing?: Timing;
  /** What came after the last action: the last observation, and its messages in a chat. */
  readonly closing?: { readonly observation: string; readonly messages?: readonly Message[] };
  /** Tool definitions the agent was given. */
  readonly tools?: readonly JsonObject[];
  /** Why it failed, when `ending` is "failed". */
  readonly failure?: PlainError;
  readonly info?: JsonObject;
}

/** Trajectories that are compared with each other. */
export interface Group {
  readonly id: string;
  readonly trajectories: readonly Trajectory[];
}
