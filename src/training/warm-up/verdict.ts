/** What came of a warm-up, in honest words, and what to try where it did not get there. */
import type { WordCheck } from "./word-check.ts";

export interface Figures {
  readonly none: number;
  /** Null without a demonstration to advise from. */
  readonly right: number | null;
  readonly wrong: number | null;
}

export interface WarmUpVerdict {
  /** Whether it succeeds often enough to learn from its own attempts. */
  readonly succeeds: boolean;
  /** Whether advice changes what it does; null where that was not measured. */
  readonly follows: boolean | null;
  readonly words: readonly string[];
}

/** Below this, most groups of attempts fail throughout and teach nothing. */
export const LEAST_SUCCESS = 0.1;
/** What advice must change at least: right advice helps so much, or wrong advice harms so much. */
const LEAST_EFFECT = 0.1;
/** A tokenizer that cuts more finely spells the world's words. */
const POOR_TOKENS_PER_WORD = 3;

export interface Judged {
  readonly words: WordCheck;
  /** Whether the tokenizer was learnt from this world. */
  readonly newWords: boolean;
  /** Success above which little is left to learn. */
  readonly most: number;
}

export function judge({ none, right, wrong }: Figures, { words: check, newWords, most }: Judged): WarmUpVerdict {
  const succeeds = none >= LEAST_SUCCESS;
  const follows =
    right === null || wrong === null ? null : right - none >= LEAST_EFFECT || none - wrong >= LEAST_EFFECT;
  // What stands between two spaces may be a whole call in JSON: with words of this world nothing is left to mend.
  const poor = !newWords && (check.tokensPerWord > POOR_TOKENS_PER_WORD || check.unknown > 0);
  return {
    succeeds,
    follows,
    words: [
      ...(succeeds
        ? []
        : [
            `It did not get there: success ${none.toFixed(2)} without advice, and a training needs about ${LEAST_SUCCESS}. Try more --demonstrations, more --steps, a smaller --learning-rate, easier tasks, or another --base.`,
          ]),
      ...(!succeeds && newWords
        ? [
            "New words may take from a bundled base how to say again what it has read. Where answers name what stands in the messages, try --base research --words base.",
          ]
        : []),
      ...(none > most
        ? [
            `It stands at ${none.toFixed(2)} already, so a training has little left to raise. Give harder tasks, or train on.`,
          ]
        : []),
      ...(poor
        ? [
            `The base spells this world's words (${check.tokensPerWord.toFixed(1)} tokens each). Try --words new, which learns them from the demonstrations.`,
          ]
        : []),
      ...(follows === true && (right ?? 0) - none < LEAST_EFFECT
        ? [
            `Advice changes what it does, but right advice does not help it yet: ${(right ?? 0).toFixed(2)} with right and ${(wrong ?? 0).toFixed(2)} with wrong advice, ${none.toFixed(2)} without. A recipe with a teacher may gain little; --recipe grpo needs none.`,
          ]
        : []),
      ...(follows === false
        ? [
            `It does not follow advice: ${(right ?? 0).toFixed(2)} with right and ${(wrong ?? 0).toFixed(2)} with wrong advice, ${none.toFixed(2)} without. Train with --recipe grpo, which needs none, or raise --advice.`,
          ]
        : []),
    ],
  };
}
