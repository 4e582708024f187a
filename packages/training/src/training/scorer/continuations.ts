/**
 * Labels by Monte Carlo continuation, as Math-Shepherd makes them (arXiv 2312.08935): where episodes were left and played
 * on from the same state, the share of those ways that succeed is what the state is worth.
 */
import { mean } from "limbeck-base/base/statistics/summary";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";

/** The name of the labels. */
export const CONTINUATIONS = "continuations";

/** By trajectory and step: the share of successes among it and all that left it before that step. */
export function continuationShares(
  trajectories: readonly Trajectory[],
): ReadonlyMap<string, ReadonlyMap<number, number>> {
  const byId = new Map(trajectories.map((one) => [one.id, one]));
  const ways = new Map<string, Map<number, number[]>>();
  for (const { parent, success } of trajectories) {
    const left = parent === undefined ? undefined : byId.get(parent.trajectory);
    // In the middle of an answer another state was left.
    if (parent === undefined || left === undefined || parent.token !== undefined || success === null) continue;
    const steps = ways.get(left.id) ?? new Map<number, number[]>();
    const own = left.success === null ? [] : [Number(left.success)];
    steps.set(parent.step, [...(steps.get(parent.step) ?? own), Number(success)]);
    ways.set(left.id, steps);
  }
  return new Map([...ways].map(([id, steps]) => [id, new Map([...steps].map(([step, known]) => [step, mean(known)]))]));
}
