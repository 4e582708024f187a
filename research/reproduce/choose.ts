/** Which settings go on: for every method the arm with the largest mean area under its validation curve. */
import type { ArenaSummary } from "../../packages/training/src/arena/summary.ts";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import type { Chosen, Tuned } from "./arms.ts";

/** Arms that failed in a seed are out; of equal ones the first stays. */
export function choose(tuned: readonly Tuned[], { accounts, arms }: Pick<ArenaSummary, "accounts" | "arms">): Chosen {
  const [primary] = accounts;
  const most = Math.max(0, ...arms.map(({ finished }) => finished));
  const complete = new Set(arms.filter(({ finished }) => finished === most).map(({ name }) => name));
  const area = (name: string): number =>
    mean(primary?.arms.filter((arm) => arm.name === name).map((arm) => arm.area.mean) ?? []);
  const chosen: Record<string, Tuned["arms"][number]> = {};
  for (const { method, arms: candidates } of tuned) {
    const [best] = candidates
      .filter(({ name }) => complete.has(name))
      .toSorted((left, right) => area(right.name) - area(left.name));
    if (best !== undefined) chosen[method] = best;
  }
  return chosen;
}
