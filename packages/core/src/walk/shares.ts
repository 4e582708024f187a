/** Arithmetic that strategies and searches share: the first of the largest, shares by softmax, and TreePO's continuations of each path. */

/** The first of those with the largest value; undefined where none is above `above`. */
export function firstLargest<Item>(
  items: Iterable<Item>,
  value: (item: Item) => number,
  above = Number.NEGATIVE_INFINITY,
): Item | undefined {
  let best: Item | undefined;
  let most = above;
  for (const item of items) {
    const own = value(item);
    if (own > most) [best, most] = [item, own];
  }
  return best;
}

/** exp(x) in shares that sum to 1. */
export function softmax(logits: readonly number[]): number[] {
  const most = Math.max(...logits);
  const raw = logits.map((logit) => Math.exp(logit - most));
  const total = raw.reduce((sum, value) => sum + value, 0);
  return raw.map((value) => value / total);
}

export type Sharing = "equal" | "unlikely" | "likely";

export interface WidthNow {
  readonly width: number;
  readonly fanOut: number;
  readonly active: number;
  readonly finished: number;
  /** Paths that have finished in this round. */
  readonly finishedNow: number;
}

/** B = min(width - finished, fanOut * finishedNow + fanOut * active). */
export function childBudget({ width, fanOut, active, finished, finishedNow }: WidthNow): number {
  return Math.max(0, Math.min(width - finished, fanOut * (finishedNow + active)));
}

/** softmax(-(lp - min) / T): paths that were less likely weigh more; "likely" turns it round, "equal" looks at nothing. */
export function pathWeights(logprobs: readonly number[], sharing: Sharing, temperature: number): number[] {
  if (sharing === "equal") return logprobs.map(() => 1 / logprobs.length);
  const sign = sharing === "unlikely" ? -1 : 1;
  return softmax(logprobs.map((logprob) => (sign * logprob) / temperature));
}

/**
 * Children of each path. Every path gets one, and the rest is shared by largest remainder; equal shares give the
 * remainder to the last path. With fewer children than paths, those of the largest weight get one each.
 */
export function allocateChildren(budget: number, weights: readonly number[], sharing: Sharing): number[] {
  const count = weights.length;
  if (budget < count) {
    const order = [...weights.keys()].toSorted((left, right) => (weights[right] as number) - (weights[left] as number));
    const best = new Set(order.slice(0, Math.max(0, budget)));
    return weights.map((_, path) => (best.has(path) ? 1 : 0));
  }
  if (sharing === "equal") {
    const each = Math.floor(budget / count);
    return weights.map((_, path) => (path === count - 1 ? budget - each * (count - 1) : each));
  }
  const shares = weights.map((weight) => weight * (budget - count));
  const children = shares.map((share) => 1 + Math.floor(share));
  const rest = budget - children.reduce((sum, value) => sum + value, 0);
  const remainder = (path: number): number => (shares[path] as number) % 1;
  const order = [...shares.keys()].toSorted((left, right) => remainder(right) - remainder(left) || left - right);
  for (const path of order.slice(0, rest)) children[path] = (children[path] as number) + 1;
  return children;
}
