/** How a tokenizer reads the texts of a world: how finely it cuts them, and whether episodes fit the context; and what came of a warm-up with it. */
import { EngineError } from "limbeck-base/base/errors";
import { mean } from "limbeck-base/base/statistics/summary";
import type { Dialect } from "limbeck-policy/policy/dialect";
import type { TrainRow } from "limbeck-policy/policy/objective";
import type { Tokenizer } from "limbeck-policy/policy/local/tokenizer";
import type { Lesson } from "./lesson.ts";

export interface WordCheck {
  /** Tokens of a word, on average over the texts; 1 would be a tokenizer that knows every word. */
  readonly tokensPerWord: number;
  /** Share of the words that come back as another text, since the tokenizer has no token for a part of them. */
  readonly unknown: number;
  /** Different words of more than `FINE_CUT` tokens, the most frequent first, at most eight; and how many there are. */
  readonly cutWords: readonly string[];
  readonly cutCount: number;
  /** Tokens of an episode: the mean and the longest; and of the longest answer. */
  readonly meanTokens: number;
  readonly mostTokens: number;
  readonly mostAnswerTokens: number;
  readonly contextLength: number;
  /** Lessons that do not fit, of all; they are left out. */
  readonly tooLong: number;
  readonly lessons: number;
}

/** A word of more tokens than this is spelt rather than read. */
export const FINE_CUT = 5;
const SHOWN_WORDS = 8;
/** Where more lessons than this do not fit, the model cannot play the world. */
const MOST_TOO_LONG = 0.1;

export interface CheckedModel {
  readonly tokenizer: Tokenizer;
  readonly dialect: Dialect;
  readonly contextLength: number;
}

export function checkWords(
  lessons: readonly Lesson[],
  rows: readonly TrainRow[],
  { tokenizer, dialect, contextLength }: CheckedModel,
): WordCheck {
  const counts = new Map<string, number>();
  for (const { decisions } of lessons) {
    for (const { message, action } of decisions) {
      for (const [word] of `${message} ${action}`.matchAll(/\S+/g)) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  // Within a text a word stands behind a space, which most tokenizers write into it.
  const words = [...counts].map(([word, count]) => {
    const ids = tokenizer.encode(` ${word}`);
    return { word, count, tokens: ids.length, known: tokenizer.decode(ids).trim() === word };
  });
  const total = words.reduce((sum, { count }) => sum + count, 0);
  const share = (value: (word: (typeof words)[number]) => number): number =>
    total === 0 ? 0 : words.reduce((sum, word) => sum + word.count * value(word), 0) / total;
  const cut = words.filter(({ tokens }) => tokens > FINE_CUT).sort((left, right) => right.count - left.count);
  const lengths = rows.map(({ ids }) => ids.length);
  const actions = new Set(lessons.flatMap(({ decisions }) => decisions.map(({ action }) => action)));
  return {
    tokensPerWord: share(({ tokens }) => tokens),
    unknown: share(({ known }) => (known ? 0 : 1)),
    cutWords: cut.slice(0, SHOWN_WORDS).map(({ word }) => word),
    cutCount: cut.length,
    meanTokens: mean(lengths),
    mostTokens: lengths.reduce((most, length) => Math.max(most, length), 0),
    mostAnswerTokens: [...actions].reduce((most, action) => Math.max(most, dialect.reply(action).length), 0),
    contextLength,
    tooLong: lengths.filter((length) => length > contextLength).length,
    lessons: lessons.length,
  };
}

export function requireRoom({ tooLong, lessons, mostTokens, meanTokens, contextLength }: WordCheck): void {
  if (tooLong <= MOST_TOO_LONG * lessons) return;
  throw new EngineError(
    "needs-unmet",
    `${tooLong} of ${lessons} episodes do not fit the model's context of ${contextLength} tokens: they have ${Math.round(meanTokens)} on average and ${mostTokens} at most. Let the world say less, give tasks that end sooner, or take a --base with a longer context.`,
    { details: { tooLong, lessons, mostTokens, contextLength } },
  );
}

/** One or two lines for a person. */
export function wordLines(check: WordCheck): readonly string[] {
  const { tokensPerWord, unknown, cutWords, cutCount, meanTokens, mostTokens, contextLength, tooLong } = check;
  const lost = unknown === 0 ? "" : `, ${(100 * unknown).toFixed(1)}% of the words cannot be written`;
  const left = tooLong === 0 ? "" : `; ${tooLong} lessons are longer and left out`;
  return [
    `Words: ${tokensPerWord.toFixed(1)} tokens each${lost}. Episodes: ${Math.round(meanTokens)} tokens, ${mostTokens} at most, of a context of ${contextLength}${left}.`,
    ...(cutCount === 0
      ? []
      : [
          `${cutCount} words of more than ${FINE_CUT} tokens: ${cutWords.join(", ")}${cutCount > SHOWN_WORDS ? ", …" : ""}`,
        ]),
  ];
}

// What came of a warm-up, in honest words, and what to try where it did not get there.

interface Figures {
  /** What can be had without learning. Default: 0. */
  readonly floor?: number;
  readonly none: number;
  /** Null where no way to advise was shown. */
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

/** Below this share of what is left above the floor, most groups of attempts are alike and teach nothing. */
const LEAST_SUCCESS = 0.1;
/** What advice must change at least: right advice helps so much, or wrong advice harms so much. */
const LEAST_EFFECT = 0.1;
/** A tokenizer that cuts more finely spells the world's words. */
const POOR_TOKENS_PER_WORD = 3;

interface Judged {
  readonly words: WordCheck;
  /** Whether the tokenizer was learnt from this world. */
  readonly newWords: boolean;
  /** Success above which little is left to learn. */
  readonly most: number;
}

export function judge(
  { floor = 0, none, right, wrong }: Figures,
  { words: check, newWords, most }: Judged,
): WarmUpVerdict {
  const least = floor + LEAST_SUCCESS * (1 - floor);
  const succeeds = none >= least;
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
            `It did not get there: success ${none.toFixed(2)} without advice, and a training needs about ${Number(least.toFixed(2))}${floor > 0 ? ` (${floor.toFixed(2)} can be had without learning)` : ""}. Try more --demonstrations, more --steps, a smaller --learning-rate, easier tasks, or another --base.`,
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
