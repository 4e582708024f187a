/** Weighted and spread draws. */
import type { Rng } from "../../base/index.ts";
import type { Spread } from "./dial-input.ts";

/** A whole number of the spread: below the middle in half of the draws, above it in the other half. */
export function drawSpread([least, middle, most]: Spread, rng: Rng): number {
  return rng.float() < 0.5 ? least + rng.int(middle - least + 1) : middle + rng.int(most - middle + 1);
}

/** One of the entries, with a chance in proportion to its weight; undefined when nothing has weight. */
export function drawWeighted<T>(entries: readonly (readonly [T, number])[], rng: Rng): T | undefined {
  let total = 0;
  for (const [, weight] of entries) total += weight;
  if (total <= 0) return undefined;
  let left = rng.float() * total;
  let last: T | undefined;
  for (const [item, weight] of entries) {
    if (weight <= 0) continue;
    last = item;
    left -= weight;
    if (left < 0) return item;
  }
  return last;
}
