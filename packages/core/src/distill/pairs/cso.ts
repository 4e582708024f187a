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
    confidence: "code",
    source:
      "kiaia/CSO @ 55e10b4b; scripts/data_processing/verify_and_generate_dpo.py: find_candidate_pairs_for_verification, main",
    formula: [
      "of a failed episode: step t with action a; another action b from the very same point",
      "kept when an episode that took b there and went on by itself succeeded",
      "(point, b, a) is the pair; margin = share of successes after b",
      "with share: kept when at least so many of those that took b succeeded",
      "with control: dropped when as large a share of those that took a succeeded: then the step decided nothing; that share is taken off the margin",
    ],
    meaning:
      "Prefers an action to the one of a failed run only where the policy's own continuation turns failure into success.",
    departures: [
      "Which steps are tried, with which action, is the business of the rollout strategy (counterfactual): what a judge scored is not asked again here.",
      "Independent episodes that met the same point count as alternatives too, and every alternative that succeeded makes a pair; the published code knows one continuation of the best candidate, and writes one pair of a prompt. An alternative that failed is a rejected side too, and where each of two actions once succeeded and once failed both pairs are made, b over a and a over b (option control drops both).",
      "In the released scripts the selected candidate is always the one with the best score, so their test that it scored below 0.5 and another above 0.6 passes none; here the original action is the one that the failed run took, as the paper has it.",
      "Two answers are one way where their actions are the same text, whatever was said before them; published code takes two candidates for two.",
      "A pair stands after the very tokens that the policy had read; published pairs have all messages as one text with their roles in brackets, and the answer as thought and code.",
      "Success is the world's; published code compares final answers as texts or numbers (within 1e-6). An action that was imposed is never the rejected side.",
      "share, control and the margin are ours.",
    ],
  },
  level: "step",
  options: {
    share: option.share(0, "least share of continuations that succeed; 0: one is enough"),
    control: option.flag(false, "drops a step whose original action succeeds as often when it is walked on again"),
  },
  find: (trajectories, { share, control }, forest = createForest(trajectories)) =>
    crossingsOf(trajectories, forest).flatMap(({ task, ways }) =>
      ways.flatMap((original) => {
        // An imposed action that failed is no mistake of the policy.
        const failed = original.takers.filter(
          ({ trajectory, step }) => hasFailed(trajectory) && step.info?.["source"] === undefined,
        );
        const before = succeeded(original);
        if (failed.length === 0 || (control && before >= Math.max(share, Number.MIN_VALUE))) return [];
        return alternatives(forest, task, { ...original, takers: failed }, ways, {
          share,
          before: control ? before : 0,
        });
      }),
    ),
});

interface Asked {
  readonly share: number;
  /** Share of successes of the original action, where it is looked at. */
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
    // One that succeeded itself, so that the pair can be shown to flip: a branch of another may have done so later.
    const better = { takers: way.takers.filter(hasSucceeded) };
    if (better.takers.length === 0) return [];
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
