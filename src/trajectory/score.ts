/** Small words for scores. */
import type { Score } from "./trajectory.ts";

export function scored(value: number): Score {
  return { kind: "scored", value };
}

export function unscored(why: string): Score {
  return { kind: "unscored", why };
}

/** The value, or undefined when unscored. */
export function scoreValue(score: Score): number | undefined {
  return score.kind === "scored" ? score.value : undefined;
}
