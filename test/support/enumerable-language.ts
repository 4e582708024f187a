/**
 * A language small enough to count out: two words, a fixed length, and a logit for every prefix. Every response can be
 * listed with its exact chance, so that expectations over them are sums.
 */
import { createRng } from "../../packages/base/src/base/rng.ts";
import type { Objective, TrainRow } from "../../packages/policy/src/policy/objective.ts";

/** The logit of word 1 after each prefix, written as "" or "01". */
export type Logits = ReadonlyMap<string, number>;

export type Response = readonly number[];

export function responses(length: number): Response[] {
  return Array.from({ length: 2 ** length }, (_, number) =>
    Array.from({ length }, (_word, place) => (number >> (length - 1 - place)) & 1),
  );
}

/** Normal draws of this size for every prefix; `around` are the logits that they are added to. */
export function drawLogits(length: number, seed: string, size: number, around?: Logits): Logits {
  const rng = createRng(seed);
  const prefixes = Array.from({ length }, (_, at) => responses(at).map((one) => one.join(""))).flat();
  return new Map(prefixes.map((prefix) => [prefix, (around?.get(prefix) ?? 0) + size * rng.normal()]));
}

export function chanceOfOne(logits: Logits, prefix: string): number {
  return 1 / (1 + Math.exp(-(logits.get(prefix) ?? 0)));
}

/** Log-probability of each word. */
export function logprobsOf(logits: Logits, response: Response): number[] {
  return response.map((word, at) => {
    const one = chanceOfOne(logits, response.slice(0, at).join(""));
    return Math.log(word === 1 ? one : 1 - one);
  });
}

export function chanceOf(logits: Logits, response: Response): number {
  return Math.exp(logprobsOf(logits, response).reduce((sum, one) => sum + one, 0));
}

/** Mean of `worth` over the responses that go on from a prefix. */
export function valueOf(
  logits: Logits,
  length: number,
  worth: (response: Response) => number,
  prefix: Response,
): number {
  if (prefix.length === length) return worth(prefix);
  const one = chanceOfOne(logits, prefix.join(""));
  return (
    one * valueOf(logits, length, worth, [...prefix, 1]) + (1 - one) * valueOf(logits, length, worth, [...prefix, 0])
  );
}

/** How the words' log-probabilities are weighed, spread over the logits: d(log p of the word) = word - chance of 1. */
export function onLogits(logits: Logits, response: Response, weights: readonly number[]): Map<string, number> {
  return new Map(
    response.map((word, at) => {
      const prefix = response.slice(0, at).join("");
      return [prefix, (weights[at] as number) * (word - chanceOfOne(logits, prefix))];
    }),
  );
}

/** What each word's log-probability is pushed by where an objective learns from one response of an older policy. */
export function pushes(
  objective: Objective,
  { now, old }: { readonly now: Logits; readonly old: Logits },
  response: Response,
  advantages: readonly number[],
): number[] {
  const column = (values: readonly number[]): Float64Array => Float64Array.from([0, ...values]);
  const row: TrainRow = {
    ids: new Int32Array(response.length + 1),
    mask: Uint8Array.from([0, ...response.map(() => 1)]),
    advantages: column(advantages),
    oldLogprobs: column(logprobsOf(old, response)),
  };
  const held = () => ({ logprob: [column(logprobsOf(now, response))] });
  const { weights } = objective.compute(held(), held(), [row]);
  return [...(weights.logprob?.[0] ?? [])].slice(1).map((weight) => -weight);
}

/** Means and variances, by logit and in sum, of gradients over responses that are drawn from these logits. */
export function momentsOf(
  drawnFrom: Logits,
  all: readonly Response[],
  gradientOf: (response: Response) => ReadonlyMap<string, number>,
): { readonly mean: Map<string, number>; readonly variances: Map<string, number>; readonly variance: number } {
  const mean = new Map<string, number>();
  const squares = new Map<string, number>();
  const add = (sums: Map<string, number>, prefix: string, value: number): void => {
    sums.set(prefix, (sums.get(prefix) ?? 0) + value);
  };
  for (const response of all) {
    const chance = chanceOf(drawnFrom, response);
    for (const [prefix, value] of gradientOf(response)) {
      add(mean, prefix, chance * value);
      add(squares, prefix, chance * value ** 2);
    }
  }
  const variances = new Map([...squares].map(([prefix, sum]) => [prefix, sum - (mean.get(prefix) ?? 0) ** 2]));
  return { mean, variances, variance: [...variances.values()].reduce((sum, own) => sum + own, 0) };
}
