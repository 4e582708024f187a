/**
 * How likely the model that plays finds its own words, as a second thing that a scorer may look at: slips of its hand are
 * words that it hardly believed in. Fitted beside the head's output on tasks kept apart.
 *
 *   chance = sigmoid(slope z + mean m + least l + shift);   m, l: mean and least log-probability of its own tokens so far
 */
import { EngineError } from "limbeck-base/base/errors";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";
import { endOfTurn } from "limbeck-policy/policy/local/chat-dialect";
import { sigmoid } from "./losses.ts";
import type { Platt } from "./measures.ts";

/** Special tokens that stand before and at the end of what the model says. */
export interface AnswerMarks {
  readonly begin: number;
  readonly end: number;
}

/** Of the tokens before each place, aligned with the tokens; 0 where there are none. */
export interface OwnWords {
  readonly mean: Float32Array;
  readonly least: Float32Array;
}

/** Refuses models whose chat template marks no start of an answer by a special token. */
export function answerMarks({ chat, tokenizer }: Pick<LocalModel, "chat" | "tokenizer">): AnswerMarks {
  const begin = chat?.encodePrompt([{ role: "user", content: "a" }]).at(-1);
  if (chat !== undefined && tokenizer !== undefined && [...tokenizer.specials.values()].includes(begin ?? -1))
    return { begin: begin as number, end: endOfTurn(chat, tokenizer) };
  throw new EngineError(
    "needs-unmet",
    "The model's chat template puts no special token before an answer, so that its own words cannot be told apart. Train the scorer without likelihood.",
  );
}

/** 1 for the tokens of answers, their end included. */
export function ownTokens(ids: Int32Array, { begin, end }: AnswerMarks): Uint8Array {
  const mask = new Uint8Array(ids.length);
  let isOwn = false;
  for (const [at, id] of ids.entries()) {
    if (isOwn) mask[at] = 1;
    if (id === begin) isOwn = true;
    else if (id === end) isOwn = false;
  }
  return mask;
}

/** With the model as it plays, so without the adapter of a scorer. A row's last token has no prediction after it and is not read. */
export async function ownWordsOf(
  model: Pick<LocalModel, "score">,
  marks: AnswerMarks,
  rows: readonly { readonly ids: Int32Array }[],
  signal?: AbortSignal,
): Promise<OwnWords[]> {
  const asked = rows.map(({ ids: all }) => {
    const ids = all.subarray(0, -1);
    return { ids, mask: ownTokens(ids, marks) };
  });
  const speaking = asked.filter(({ mask }) => mask.includes(1));
  const found = await model.score(speaking, { statistics: ["logprob"], ...(signal === undefined ? {} : { signal }) });
  const logprobs = new Map(speaking.map((row, at) => [row, found[at]?.logprob]));
  return asked.map((row) => running(row.mask, logprobs.get(row) ?? new Float32Array(row.ids.length)));
}

/** One place more than there are tokens. */
function running(mask: Uint8Array, logprobs: ArrayLike<number>): OwnWords {
  const [mean, least] = [new Float32Array(mask.length + 1), new Float32Array(mask.length + 1)];
  let [total, count, worst] = [0, 0, 0];
  for (let at = 0; at <= mask.length; at += 1) {
    mean[at] = count === 0 ? 0 : total / count;
    least[at] = worst;
    if (mask[at] !== 1) continue;
    const own = logprobs[at] as number;
    total += own;
    count += 1;
    worst = Math.min(worst, own);
  }
  return { mean, least };
}

/** What a head's output is worth, with the own words where they count. */
export function chanceOf({ slope, shift, likelihood }: Platt, output: number, mean = 0, least = 0): number {
  const words = likelihood === undefined ? 0 : likelihood.mean * mean + likelihood.least * least;
  return sigmoid(slope * output + words + shift);
}

/** Logistic regression of labels on outputs and own words, by Newton's method; a little weight on zero keeps it finite. */
export function fitWithWords(
  examples: readonly { readonly output: number; readonly mean: number; readonly least: number }[],
  labels: readonly number[],
): Platt {
  const features = examples.map(({ output, mean, least }) => [output, mean, least, 1]);
  let weights = [1, 0, 0, 0];
  for (let round = 0; round < 50; round += 1) {
    const gradient = weights.map((weight) => 0.01 * weight);
    const curve = weights.map((_, row) => weights.map((__, column) => (row === column ? 0.01 : 0)));
    for (const [at, own] of features.entries()) {
      const p = sigmoid(dot(weights, own));
      const error = p - (labels[at] as number);
      for (const [row, value] of own.entries()) {
        gradient[row] = (gradient[row] as number) + error * value;
        const line = curve[row] as number[];
        for (const [column, other] of own.entries())
          line[column] = (line[column] as number) + p * (1 - p) * value * other;
      }
    }
    const step = solved(curve, gradient);
    weights = weights.map((weight, at) => weight - (step[at] as number));
    if (step.every((one) => Math.abs(one) < 1e-9)) break;
  }
  const [slope, mean, least, shift] = weights as [number, number, number, number];
  if (!weights.every(Number.isFinite)) return { slope: 1, shift: 0 };
  return { slope, shift, likelihood: { mean, least } };
}

function dot(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, at) => sum + value * (right[at] as number), 0);
}

/** Gauss and Jordan, with the largest pivot. */
function solved(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, at) => [...row, right[at] as number]);
  for (const column of rows.keys()) {
    const below = [...rows.keys()].slice(column);
    const pivot = below.reduce((best, row) =>
      Math.abs(rows[row]?.[column] ?? 0) > Math.abs(rows[best]?.[column] ?? 0) ? row : best,
    );
    [rows[column], rows[pivot]] = [rows[pivot] as number[], rows[column] as number[]];
    const own = rows[column];
    for (const [at, other] of rows.entries()) {
      if (at === column) continue;
      const share = (other[column] as number) / (own[column] as number);
      rows[at] = other.map((value, place) => value - share * (own[place] as number));
    }
  }
  return rows.map((row, at) => (row.at(-1) as number) / (row[at] as number));
}
