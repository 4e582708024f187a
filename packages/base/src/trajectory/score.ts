/** Small words for scores. */
import type { Score } from "./trajectory.ts";

/**
 * A known score.
 *
 * @example
 * console.log(scored(0.5)); // { kind: "scored", value: 0.5 }
 */
export function scored(value: number): Score {
  return { kind: "scored", value };
}

/**
 * No score, and why. Not knowing is not a zero.
 *
 * @example
 * console.log(unscored("the judge did not answer")); // { kind: "unscored", why: "the judge did not answer" }
 */
export function unscored(why: string): Score {
  return { kind: "unscored", why };
}

/**
 * The value, or undefined when unscored.
 *
 * @example
 * console.log(scoreValue(scored(0.5)), scoreValue(unscored("the judge did not answer"))); // 0.5 undefined
 */
export function scoreValue(score: Score): number | undefined {
  return score.kind === "scored" ? score.value : undefined;
}
