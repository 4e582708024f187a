/**
 * TableMind's rank-aware objective (RAPO): right and wrong trajectories are paired, and where the right one is not clearly
 * likelier both learn more.
 */
import { option } from "limbeck-base/base/option";
import { trajectoriesOf } from "./batch-index.ts";
import { entry, groupMembers, real } from "./columns.ts";
import { defineCredit, type IndexedBatch } from "./credit.ts";
import { answers } from "./examples.ts";
import { onRows, trajectoryAdvantages, trajectoryGroups } from "./groups.ts";
import { comparison } from "./shared-options.ts";
import { meanLogprob } from "./tokens.ts";

export const tablemind = defineCredit({
  info: {
    title: "TableMind (rank-aware advantages)",
    paper: "TableMind: An Autonomous Programmatic Agent for Tool-Augmented Table Reasoning",
    confidence: "code",
    source: "lennendd/TableMind-Repo @ af03dcc8; agent_r1/src/core_algos.py: compute_rank_grpo_advantage",
    formula: [
      "A = z(outcome over the task's trajectories);   s = mean log-probability of a trajectory's tokens",
      "A' = (1 + (factor - 1) * share) * A,   share of the other side (outcome above threshold, or not) for which s(above) - s(other) < margin",
    ],
    meaning: "Pushes harder where the policy does not clearly prefer the better of two rollouts.",
    departures: [
      "The published threshold is 1, for rewards of format and accuracy from 0 to 2, so that a right answer in a wrong form is on the other side; here it is 0.5, for outcomes from 0 to 1, and a right answer is above.",
      "Published code computes all of it anew in each micro-batch of an update, over the rows of a question that are in it (its script has 2 rows, and a row that is alone with its question there gets 0), with the log-probabilities of the present policy; here it is computed once, over all trajectories of the task, with those of the policy that played.",
      "The published trainer can first keep only the worst and the best few of a question's answers (filter_groups.k, without a value in its script, which plays 8 at temperature 0.99); here all are compared and trained. The script's loss adds up tokens and divides by a constant (aggregation seq-mean-token-sum-norm), clips at 0.8 and 1.28 and bounds negative advantages at 10; a training here takes the mean over tokens, clips at its clipLow and clipHigh and bounds at 3 (dualClip).",
    ],
  },
  needs: ["oldLogprobs"],
  options: {
    margin: option.number(0.5, "by how much the better side is to be likelier"),
    threshold: option.number(0.5, "outcome above which a trajectory is a good one"),
    factor: option.number(1.1, "of a trajectory all of whose pairs are unclear", { least: 1 }),
    ...comparison("zero", "the trajectories of one task"),
  },
  laws: { shift: false, scale: "neither", zeroSum: false },
  example: {
    about: "The right answer is less likely than a wrong one.",
    batch: answers(
      [1, 0, 0],
      [-0.9, -0.2, -1.5].map((logprob) => ({ logprobs: { old: [logprob] } })),
    ),
  },
  compute: (batch, options) => {
    const { advantages, metrics } = trajectoryAdvantages(batch, options);
    const unclear = pairShares(batch, options);
    const perTrajectory = advantages.map((value, at) => (1 + (options.factor - 1) * real(unclear, at)) * value);
    return {
      terms: { ranked: { weight: 1, perRow: onRows(batch, perTrajectory) } },
      metrics: { ...metrics, misranked: unclear.reduce((sum, one) => sum + one, 0) },
    };
  },
});

/** Share of the task's trajectories on the other side of the threshold that are too likely, or too unlikely, beside it. */
function pairShares(
  batch: IndexedBatch,
  { margin, threshold }: { readonly margin: number; readonly threshold: number },
): Float64Array {
  const means = trajectoryLogprobs(batch);
  const isGood = (at: number): boolean => real(batch.index.outcomeOf, at) > threshold;
  const shares = new Float64Array(means.length);
  for (const members of groupMembers(trajectoryGroups(batch))) {
    for (const at of members) {
      const across = members.filter((other) => isGood(other) !== isGood(at));
      const lead = (other: number): number => (isGood(at) ? 1 : -1) * (real(means, at) - real(means, other));
      shares[at] = across.filter((other) => lead(other) < margin).length / Math.max(across.length, 1);
    }
  }
  return shares;
}

function trajectoryLogprobs(batch: IndexedBatch): Float64Array {
  return Float64Array.from(trajectoriesOf(batch), ([, steps]) =>
    meanLogprob(Array.from(steps, (at) => entry(batch.rows, at))),
  );
}
