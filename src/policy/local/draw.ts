/**
 * Drawing a token from a prediction, with the exact log-probability of what was drawn under both distributions: the policy's
 * own, and the one after temperature, allowed set, top-k, top-p and min-p, in this order.
 */
import { EngineError } from "../../base/errors.ts";
import { COLDEST } from "../policy.ts";

export interface DrawOptions {
  /** Below `COLDEST` the most likely token is taken; its probability under the sampling distribution is then 1. */
  readonly temperature: number;
  readonly topK?: number | undefined;
  readonly topP?: number | undefined;
  readonly minP?: number | undefined;
  /** Token ids that may be drawn. Default: all. */
  readonly allowed?: ArrayLike<number> | undefined;
}

export interface Drawn {
  readonly id: number;
  readonly logprob: number;
  readonly sampledLogprob: number;
}

/** What a model says of the next token. */
export interface Prediction {
  readonly logprobs: Float32Array;
  /** After temperature; not used where the temperature is 0. */
  readonly probabilities: Float32Array;
  /** The hidden state that it was made from, where somebody asked for it. It is overwritten by the next pass. */
  readonly state?: Float32Array;
}

/** `uniform` is one draw in [0, 1). Ties keep the order of ids, so that equal probabilities give equal results. */
export function draw({ logprobs, probabilities }: Prediction, options: DrawOptions, uniform: number): Drawn {
  const { allowed, temperature } = options;
  if (temperature < COLDEST) {
    const id = best(logprobs, allowed);
    checkPossible(logprobs[id] as number);
    return { id, logprob: logprobs[id] as number, sampledLogprob: 0 };
  }
  if (allowed === undefined && options.topK === undefined && options.topP === undefined && options.minP === undefined) {
    const id = drawPlain(probabilities, uniform);
    return { id, logprob: logprobs[id] as number, sampledLogprob: Math.log(probabilities[id] as number) };
  }
  const kept = restrict(logprobs, options);
  const weights = kept.map(({ weight }) => weight);
  const sum = weights.reduce((left, right) => left + right, 0);
  const { id, weight } = kept[pickIndex(weights, uniform * sum)] as Candidate;
  return { id, logprob: logprobs[id] as number, sampledLogprob: Math.log(weight / sum) };
}

interface Candidate {
  readonly id: number;
  /** exp((logprob - largest) / temperature) */
  readonly weight: number;
}

/** Rounding may leave a little beyond the last probability; it belongs to the last token that has any. */
function drawPlain(probabilities: Float32Array, uniform: number): number {
  let left = uniform;
  let last = 0;
  for (let id = 0; id < probabilities.length; id += 1) {
    const probability = probabilities[id] as number;
    if (probability === 0) continue;
    left -= probability;
    if (left < 0) return id;
    last = id;
  }
  return last;
}

function restrict(logprobs: Float32Array, options: DrawOptions): Candidate[] {
  const { temperature, topK, topP, minP } = options;
  const ids = options.allowed === undefined ? Array.from(logprobs.keys()) : Array.from(options.allowed);
  const largest = logprobs[best(logprobs, ids)] as number;
  checkPossible(largest);
  let kept = ids.map((id) => ({ id, weight: Math.exp(((logprobs[id] as number) - largest) / temperature) }));
  if (topK !== undefined || topP !== undefined)
    kept.sort((left, right) => right.weight - left.weight || left.id - right.id);
  if (topK !== undefined) kept = kept.slice(0, topK);
  if (topP !== undefined) kept = nucleus(kept, topP);
  // The largest weight is 1, so a share of the largest probability is a share of 1.
  if (minP !== undefined) kept = kept.filter(({ weight }) => weight >= minP);
  return kept;
}

/** The fewest most likely candidates whose probabilities reach the share; always at least one. */
function nucleus(sorted: readonly Candidate[], share: number): Candidate[] {
  const sum = sorted.reduce((total, { weight }) => total + weight, 0);
  let reached = 0;
  const count = sorted.findIndex(({ weight }) => {
    reached += weight;
    return reached >= share * sum;
  });
  return sorted.slice(0, count < 0 ? sorted.length : count + 1);
}

function pickIndex(weights: readonly number[], target: number): number {
  let left = target;
  const index = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  return index < 0 ? weights.length - 1 : index;
}

function best(logprobs: Float32Array, ids: ArrayLike<number> | undefined): number {
  const count = ids?.length ?? logprobs.length;
  let found = ids?.[0] ?? 0;
  for (let index = 1; index < count; index += 1) {
    const id = ids?.[index] ?? index;
    if ((logprobs[id] as number) > (logprobs[found] as number)) found = id;
  }
  return found;
}

/** A policy with zeros in its distribution may not be able to say any of what it is confined to. */
function checkPossible(largest: number): void {
  if (largest > -Infinity) return;
  throw new EngineError(
    "impossible-allowed",
    "The policy gives none of the allowed tokens any probability; allow what it can say, or leave `allowed` out.",
  );
}
