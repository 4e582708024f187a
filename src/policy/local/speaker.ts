/** A conversation as the sampler sees it. */
import type { Rng } from "../../base/index.ts";
import type { Sampling } from "../conversation-guards.ts";
import type { Sampled } from "../policy.ts";
import type { DraftTree } from "./draft/tree.ts";
import { copyStore } from "./key-value.ts";
import type { LaneRow } from "./lane.ts";
import type { Response } from "./response.ts";

export interface Speaker extends LaneRow {
  readonly rng: Rng;
  version: number;
  turn: Turn | undefined;
  temperature: number;
  draft: DraftTree;
  /** Guesses that are not checked in the pass; whoever made them learns from what is said whether the first was right. */
  hunch: DraftTree;
  /** The hidden state that its last word was said from, and how many tokens there were with it; where heads guess. */
  state: { readonly values: Float32Array; readonly count: number } | undefined;
  /** How many of its tokens the memory of words has taken in. */
  learned: number;
  closed: boolean;
}

/** A response that is being said. */
export interface Turn {
  readonly response: Response;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (sampled: Sampled) => void;
  readonly reject: (error: unknown) => void;
}

export function push(speaker: Speaker, id: number): void {
  if (speaker.count === speaker.tokens.length) {
    const grown = new Int32Array(speaker.tokens.length * 2);
    grown.set(speaker.tokens);
    speaker.tokens = grown;
  }
  speaker.tokens[speaker.count] = id;
  speaker.count += 1;
}

/** Takes the last token back, and what guesses were made from. */
export function unsay(speaker: Speaker): void {
  speaker.count -= 1;
  speaker.learned = Math.min(speaker.learned, speaker.count);
  speaker.state = undefined;
}

/** Where a peek has read everything: the last token is read again, since its logits are what is wanted. */
export function readLastAgain(speaker: Speaker): void {
  if (speaker.cached < speaker.count) return;
  speaker.cached = speaker.count - 1;
  Object.assign(speaker.store, copyStore(speaker.store, Math.min(speaker.cached, speaker.store.length)));
}

export function samplingOf({ closed, turn }: Speaker): Sampling {
  return { closed, busy: turn !== undefined };
}

/** Tokens that both have at their beginning; at least one is left, whose logits are wanted. */
export function sharedTokens(speaker: Speaker, other: Speaker): number {
  const limit = Math.min(speaker.count - 1, other.count);
  let same = 0;
  while (same < limit && speaker.tokens[same] === other.tokens[same]) same += 1;
  return same;
}
