/**
 * A judge that learns from labelled texts in seconds: a linear model over the words of a text and over pairs of words of
 * different lines. A pair it has never learnt from counts nothing, so that it has no opinion of what it does not know.
 *
 *   s(text) = sum of w over its features;   chance = sigmoid(s)
 *   labels: log(1 + exp(s)) - y s;   pairs: log(1 + exp(s_worse - s_better));   choices: -log softmax(s)_chosen
 *
 * Each feature has a step of its own, which shrinks with what it has moved (Adagrad).
 */
import { createRng, shuffle } from "limbeck-base/base/rng";
import { sigmoid } from "../scorer/losses.ts";

export interface LabelledText {
  readonly text: string;
  /** From 0 (bad) to 1 (good). */
  readonly label: number;
}

/** Texts of which one was chosen. */
export interface Choice {
  readonly texts: readonly string[];
  readonly chosen: number;
}

export interface WordJudgeOptions {
  readonly seed: number | string;
  /** What another one has learnt. Default: nothing. */
  readonly weights?: ReadonlyMap<string, number>;
}

export interface WordJudge {
  /** All that it needs to be made again. */
  learnt(): ReadonlyMap<string, number>;
  learn(examples: readonly LabelledText[], epochs: number): void;
  /** The better text first. */
  learnPairs(pairs: readonly (readonly [string, string])[], epochs: number): void;
  learnChoices(choices: readonly Choice[], epochs: number): void;
  /** How good a text is: the chance that it is. */
  chance(text: string): number;
  /** How likely each of these is chosen. */
  chances(texts: readonly string[]): number[];
}

const RATE = 0.3;
/** Pulls weights to 0, a little with every step. */
const DECAY = 1e-3;
/** What a text is read up to; nothing behind it counts. */
const MOST_WORDS = 64;

export function createWordJudge({ seed, weights: given }: WordJudgeOptions): WordJudge {
  const weights = new Map(given);
  const moved = new Map<string, number>();
  const read = new Map<string, readonly string[]>();
  let learnt = 0;
  const featuresOf = (text: string): readonly string[] => {
    const known = read.get(text) ?? features(text);
    if (read.size < 20_000) read.set(text, known);
    return known;
  };
  const score = (text: string): number =>
    featuresOf(text).reduce((total, feature) => total + (weights.get(feature) ?? 0), 0);
  /** One step against `slope`, the derivative of the loss by the text's score. */
  const pull = (text: string, slope: number): void => {
    const own = featuresOf(text);
    const each = slope / Math.sqrt(own.length);
    for (const feature of own) {
      const before = weights.get(feature) ?? 0;
      const gradient = each + DECAY * before;
      const total = (moved.get(feature) ?? 1e-4) + gradient * gradient;
      moved.set(feature, total);
      weights.set(feature, before - (RATE * gradient) / Math.sqrt(total) / Math.sqrt(own.length));
    }
  };
  const epochsOver = <Item>(items: readonly Item[], epochs: number, step: (item: Item) => void): void => {
    for (let epoch = 0; epoch < epochs; epoch += 1) {
      learnt += 1;
      for (const item of shuffle(items, createRng(`judge ${seed} ${learnt}`))) step(item);
    }
  };
  const shares = (texts: readonly string[]): number[] => {
    const scores = texts.map(score);
    const largest = Math.max(...scores);
    const powers = scores.map((one) => Math.exp(one - largest));
    const total = powers.reduce((left, right) => left + right, 0);
    return powers.map((power) => power / total);
  };
  return {
    learnt: () => weights,
    learn: (examples, epochs) =>
      epochsOver(examples, epochs, ({ text, label }) => pull(text, sigmoid(score(text)) - label)),
    learnPairs: (pairs, epochs) =>
      epochsOver(pairs, epochs, ([better, worse]) => {
        const slope = sigmoid(score(worse) - score(better));
        pull(better, -slope);
        pull(worse, slope);
      }),
    learnChoices: (choices, epochs) =>
      epochsOver(choices, epochs, ({ texts, chosen }) => {
        for (const [at, share] of shares(texts).entries()) pull(texts[at] as string, share - (at === chosen ? 1 : 0));
      }),
    chance: (text) => sigmoid(score(text)),
    chances: shares,
  };
}

/** Words by line, pairs over lines, and whether a number of one line stands in another. */
function features(text: string): string[] {
  const lines = text
    .toLowerCase()
    .split("\n")
    .map((line) => line.match(/[a-z]+|\d+/g)?.slice(0, MOST_WORDS) ?? []);
  const found = new Set<string>([""]);
  const shown = (word: string): string => (/\d/.test(word) ? "#" : word);
  for (const [at, words] of lines.entries()) {
    for (const word of words) found.add(`${at} ${shown(word)}`);
    for (let other = at + 1; other < lines.length; other += 1) {
      const later = lines[other] ?? [];
      for (const word of words) {
        for (const next of later) if (!/\d/.test(word + next)) found.add(`${at} ${word} ${other} ${next}`);
      }
      const numbers = later.filter((word) => /\d/.test(word));
      if (numbers.length > 0)
        found.add(`${at} ${other} ${numbers.every((number) => words.includes(number)) ? "same" : "other"} number`);
    }
    // The position in the last line shows the role.
    if (at === lines.length - 1) for (const [place, word] of words.entries()) found.add(`${place}: ${shown(word)}`);
  }
  const last = lines.at(-1) ?? [];
  for (const words of lines.slice(0, -1))
    for (const word of words)
      for (const [place, next] of last.entries()) if (!/\d/.test(word + next)) found.add(`${word} ${place}: ${next}`);
  return [...found];
}
