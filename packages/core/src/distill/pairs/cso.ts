/**
 * Verified critical steps: a step of a failed episode for which another action is known to end in success, walked to the
 * end by the policy itself.
 */
import { option } from "limbeck-base/base/option";
import { createForest, type Forest } from "limbeck-base/trajectory/forest";
import { outcomeOf } from "limbeck-base/trajectory/outcome";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { crossingsOf, type Taker, type Way } from "./crossings.ts";
import { definePairSource, type Pair } from "./pair.ts";
import { stepPair } from "./step-pairs.ts";

export const cso = definePairSource({
  info: {
    title: "Verified critical steps (CSO)",
    paper: "Verified Critical Step Optimization for LLM Agents",
    confidence: "inferred",
    formula: [
      "of a failed episode: step t with action a; another action b from the very same point",
      "kept when at least share of the episodes that took b there and went on by themselves succeeded",
      "dropped when as large a share of those that took a succeeded: then the step decided nothing",
      "(point, b, a) is the pair; margin = difference of the shares",
    ],
    meaning:
      "Prefers an action to the one of a failed run only where the policy's own continuation turns failure into success.",
    departures: [
      "From the abstract. Which steps are tried is the business of the rollout strategy (counterfactual: lowest step scores, or least likely answers).",
      "Continuations of the original action count as a control; where there are none, the failed run alone stands for it.",
    ],
  },
  level: "step",
  options: {
    share: option.share(0.5, "least share of continuations that succeed"),
  },
  find: (trajectories, { share }, forest = createForest(trajectories)) =>
    crossingsOf(trajectories, forest).flatMap(({ task, ways }) =>
      ways.flatMap((original) => {
        // An imposed action that failed is no mistake of the policy.
        const failed = original.takers.filter(
          ({ trajectory, step }) => hasFailed(trajectory) && step.info?.["source"] === undefined,
        );
        const before = succeeded(original);
        if (failed.length === 0 || before >= Math.max(share, Number.MIN_VALUE)) return [];
        return alternatives(forest, task, { ...original, takers: failed }, ways, { share, before });
      }),
    ),
});

interface Asked {
  readonly share: number;
  /** Share of successes of the original action. */
  readonly before: number;
}

function alternatives(
  forest: Forest,
  task: string,
  original: Way,
  ways: readonly Way[],
  { share, before }: Asked,
): Pair[] {
  return ways.flatMap((way) => {
    if (way.action === original.action) return [];
    const after = succeeded(way);
    if (after === 0 || after < share) return [];
    // One that succeeded itself, so that the pair can be shown to flip; a branch of it may have been the only one.
    const better = {
      takers: [...way.takers.filter(hasSucceeded), ...way.takers.filter((taker) => !hasSucceeded(taker))],
    };
    return stepPair(forest, task, better, original, after - before) ?? [];
  });
}

/** Share of successes among the scored episodes that went this way; 0 where there are none. */
function succeeded({ outcomes }: Way): number {
  return outcomes.length === 0 ? 0 : outcomes.filter(({ success }) => success === true).length / outcomes.length;
}

function hasSucceeded({ trajectory }: Taker): boolean {
  return outcomeOf(trajectory).success === true;
}

function hasFailed(trajectory: Trajectory): boolean {
  const { success, reward } = outcomeOf(trajectory);
  return success === false && scoreValue(reward) !== undefined;
}
