/** A conversation as the sampler sees it. */
import type { Rng } from "limbeck-base/base/rng";
import type { Sampling } from "../conversation-guards.ts";
import type { Sampled } from "../policy.ts";
import type { DraftTree } from "./draft/tree.ts";
import { copyStore } from "./key-value.ts";
import type { LaneRow } from "./lane.ts";
import type { Response } from "./response.ts";

export interface Sequence extends LaneRow {
  readonly rng: Rng;
  version: number;
  request: SampleRequest | undefined;
  temperature: number;
  draft: DraftTree;
  /** Guesses that are not checked in the pass; their drafter learns from the token that is drawn whether the first was right. */
  unchecked: DraftTree;
  /** The hidden state that its last token was drawn from, and how many tokens there were with it; where heads guess. */
  state: { readonly values: Float32Array; readonly count: number } | undefined;
  /** How many of its tokens the n-gram memory has taken in. */
  learned: number;
  closed: boolean;
}

/** A response that is being sampled. */
export interface SampleRequest {
  readonly response: Response;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (sampled: Sampled) => void;
  readonly reject: (error: unknown) => void;
}

/** Takes the last token back, and what guesses were made from. */
export function removeLast(sequence: Sequence): void {
  sequence.count -= 1;
  sequence.learned = Math.min(sequence.learned, sequence.count);
  sequence.state = undefined;
}

/** Where a peek has read everything: the last token is read again, since its logits are what is wanted. */
export function readLastAgain(sequence: Sequence): void {
  if (sequence.cached < sequence.count) return;
  sequence.cached = sequence.count - 1;
  Object.assign(sequence.store, copyStore(sequence.store, Math.min(sequence.cached, sequence.store.length)));
}

export function samplingOf({ closed, request }: Sequence): Sampling {
  return { closed, busy: request !== undefined };
}

/** Tokens that both have at their beginning; at least one is left, whose logits are wanted. */
export function sharedTokens(sequence: Sequence, other: Sequence): number {
  const limit = Math.min(sequence.count - 1, other.count);
  let same = 0;
  while (same < limit && sequence.tokens[same] === other.tokens[same]) same += 1;
  return same;
}
