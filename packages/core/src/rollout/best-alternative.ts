/** CSO: of several first actions the one that a judge of steps likes best, where it likes the original one little. */
import { createForest } from "limbeck-base/trajectory/forest";
import { wholeEpisode } from "limbeck-base/trajectory/whole-episode";
import { throwIfAborted } from "limbeck-base/base/errors";
import { judgeFinished } from "../walk/judge.ts";
import type { Scope, Walk } from "./strategy.ts";

export interface Thresholds {
  /** The original scored less. */
  readonly below: number;
  /** The best alternative scores more. */
  readonly above: number;
}

/** The best of the alternatives, by index, if it is worth a continuation; of equals the first. */
export function bestAlternative(
  original: number,
  scores: readonly (number | null)[],
  { below, above }: Thresholds,
): number | undefined {
  if (original >= below) return undefined;
  let best: number | undefined;
  let most = Math.max(above, original);
  for (const [at, score] of scores.entries()) {
    if (score !== null && score > most) [best, most] = [at, score];
  }
  return best;
}

/** What the judge gives the first step of a branch that has taken it; null: no opinion. */
export async function firstStepScore(
  { judge, signal, purse }: Scope,
  walk: Walk,
  branch: Walk,
  step: number,
): Promise<number | null> {
  if (judge === undefined || branch.steps[0]?.index !== step) return null;
  const trajectory = wholeEpisode(createForest([walk.trajectory(), branch.trajectory()]), branch.id);
  const { task, steps } = trajectory;
  const { stepScores } = await judgeFinished(judge, { task, trajectory, steps }, purse, signal);
  throwIfAborted(signal);
  return stepScores?.[step] ?? null;
}
