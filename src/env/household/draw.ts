/** Spread draws. */
import type { Rng } from "../../base/index.ts";
import type { Spread } from "./dial-input.ts";

/** A whole number of the spread: below the middle in half of the draws, above it in the other half. */
export function drawSpread([least, middle, most]: Spread, rng: Rng): number {
  return rng.float() < 0.5 ? least + rng.int(middle - least + 1) : middle + rng.int(most - middle + 1);
}
