/** The contract of a writer: what is wanted, what it is about, how an answer is read, and what stands there without one. */
import type { Usage } from "../../trajectory/index.ts";

export type WritingKind = "skill" | "reflection" | "correction" | "reason";

export interface Writing<Value> {
  readonly kind: WritingKind;
  /** What is wanted, in our words. */
  readonly wanted: string;
  /** What it is about, in anybody's words: it is quoted. */
  readonly material: readonly string[];
  /** What was asked of the agent: things that it names are no concern of the screen. */
  readonly goal?: string;
  /** Longest answer. Default: the writer's. */
  readonly maxTokens?: number;
  /** The value of an answer; undefined where it is none, and then it is asked for once more. */
  readonly read: (text: string) => Value | undefined;
  /** What is read of it by models, for the screen. Default: nothing. */
  readonly textsOf?: (value: Value) => readonly string[];
  /** What stands there without a model. Default: nothing. */
  readonly template?: () => Promise<Value | undefined> | Value | undefined;
}

export interface Written<Value> {
  readonly value: Value | undefined;
  readonly by: "model" | "template" | "nobody";
  /** Why the model's text was not used. */
  readonly why?: string;
  readonly usage?: Usage;
}

export interface Writer {
  readonly id: string;
  /** Never rejects, unless it is cancelled. */
  write<Value>(writing: Writing<Value>, options?: { readonly signal?: AbortSignal }): Promise<Written<Value>>;
}
