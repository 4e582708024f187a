/** Two policies on the same tasks: what the tasks share cancels, and what is left is the difference of the policies. */
import { boundedDifference } from "limbeck-base/base/statistics/share";
import { EngineError } from "limbeck-base/base/errors";
import { signTest, type SignTestResult } from "limbeck-base/base/statistics/paired-tests";
import { tInterval } from "limbeck-base/base/statistics/student-t";
import type { Interval } from "limbeck-base/base/statistics/interval";
import { byTask } from "limbeck-base/trajectory/rows";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { isSeen } from "limbeck-base/trajectory/tally";

export interface PolicyComparison {
  /** Tasks of which both were seen; others, and episodes that were lost, are left out. */
  readonly tasks: number;
  /** Success of the first less that of the second, mean over tasks. */
  readonly difference: number;
  readonly low: number;
  readonly high: number;
  /** Tasks on which the first had the larger share of solved tries, the smaller one, the same. */
  readonly sign: SignTestResult;
  /** Whether the interval excludes 0. */
  readonly separated: boolean;
  /** Steps of the first less those of the second, over tasks that both solved; null without any. */
  readonly steps: (Interval & { readonly difference: number; readonly tasks: number }) | null;
}

/**
 * Two policies on the tasks that both played.
 *
 * @example
 * const left = await evaluate({ env: "household", policy: "expert", tasks: 4 });
 * const right = await evaluate({ env: "household", policy: "wanderer", tasks: 4 });
 * console.log(comparePolicies(left.trajectories, right.trajectories).difference); // 0
 */
export function comparePolicies(
  left: readonly Trajectory[],
  right: readonly Trajectory[],
  confidence = 0.95,
): PolicyComparison {
  const others = new Map(byTask(right.filter(isSeen)).map(({ id, trajectories }) => [id, trajectories]));
  const pairs = byTask(left.filter(isSeen)).flatMap(({ id, trajectories }) => {
    const other = others.get(id);
    return other === undefined ? [] : [{ tries: trajectories, other }];
  });
  if (pairs.length === 0) {
    throw new EngineError(
      "no-shared-tasks",
      "The two have no task in common of which both were seen; evaluate both on the same tasks.",
    );
  }
  const differences = pairs.map(({ tries, other }) => shareOf(tries) - shareOf(other));
  const { difference, low, high } = boundedDifference(differences, confidence);
  const steps = pairs.flatMap(({ tries, other }) => {
    const [own, theirs] = [stepsOfSolved(tries), stepsOfSolved(other)];
    return own === undefined || theirs === undefined ? [] : [own - theirs];
  });
  const ofSteps = tInterval(steps, confidence);
  return {
    tasks: pairs.length,
    difference,
    low,
    high,
    sign: signTest(differences),
    separated: low > 0 || high < 0,
    steps:
      steps.length === 0
        ? null
        : { difference: ofSteps.mean, low: ofSteps.low, high: ofSteps.high, tasks: steps.length },
  };
}

function shareOf(tries: readonly Trajectory[]): number {
  return tries.filter(({ success }) => success === true).length / tries.length;
}

function stepsOfSolved(tries: readonly Trajectory[]): number | undefined {
  const solved = tries.filter(({ success }) => success === true);
  return solved.length === 0 ? undefined : solved.reduce((sum, { steps }) => sum + steps.length, 0) / solved.length;
}
