/**
 * TableMind's rank-aware objective (RAPO): a better trajectory that the policy finds less likely than a worse one gets
 * its advantage multiplied.
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
    confidence: "inferred",
    formula: [
      "A = z(outcome over the task's trajectories);   s = mean log-probability of a trajectory's tokens",
      "misranked: A' = factor * A where some trajectory of the task has a smaller outcome and a larger s",
      "pairs: A' = (1 + (factor - 1) * share) * A,   share of the other side (outcome above threshold, or not) for which s(above) - s(other) < margin",
    ],
    meaning: "Pushes harder where the policy prefers the worse of two rollouts.",
    departures: [
      "From a catalogue description: the factor, and multiplying the better one only, are ours.",
      "Published code pairs each trajectory above a threshold with each below it, and multiplies both, with factor 1.1, margin 0.5, threshold 1 for rewards above 1, and 0 for a group of one. Option rule: pairs.",
    ],
  },
  needs: ["oldLogprobs"],
  options: {
    rule: option.choice(
      "misranked",
      ["misranked", "pairs"],
      "better and less likely than another, or by pairs as in published code",
    ),
    margin: option.number(0.5, "with pairs: by how much the better side is to be likelier"),
    threshold: option.number(0.5, "with pairs: outcome above which a trajectory is a good one"),
    factor: option.number(1.5, "of a trajectory that is better and less likely than another", { least: 1 }),
    ...comparison("raw", "the trajectories of one task"),
  },
  laws: { shift: true, scale: "same", zeroSum: false },
  example: {
    about: "The right answer is less likely than a wrong one.",
    batch: answers(
      [1, 0, 0],
      [-0.9, -0.2, -1.5].map((logprob) => ({ logprobs: { old: [logprob] } })),
    ),
  },
  compute: (batch, options) => {
    const { advantages, metrics } = trajectoryAdvantages(batch, options);
    const misranked = options.rule === "pairs" ? pairShares(batch, options) : misrankedTrajectories(batch);
    const perTrajectory = advantages.map((value, at) => (1 + (options.factor - 1) * real(misranked, at)) * value);
    return {
      terms: { ranked: { weight: 1, perRow: onRows(batch, perTrajectory) } },
      metrics: { ...metrics, misranked: misranked.reduce((sum, one) => sum + one, 0) },
    };
  },
});

/** 1 where some trajectory of the task has a smaller outcome and a larger likelihood. */
function misrankedTrajectories(batch: IndexedBatch): Float64Array {
  const { outcomeOf } = batch.index;
  const means = trajectoryLogprobs(batch);
  const found = new Float64Array(means.length);
  for (const members of groupMembers(trajectoryGroups(batch))) {
    const sorted = members.toSorted((left, right) => real(outcomeOf, left) - real(outcomeOf, right));
    // The largest likelihood among strictly worse ones, and among those up to here: n log n for a task.
    let [worse, soFar] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const [place, at] of sorted.entries()) {
      if (outcomeOf[at] !== outcomeOf[sorted[place - 1] ?? -1]) worse = soFar;
      if (worse > real(means, at)) found[at] = 1;
      soFar = Math.max(soFar, real(means, at));
    }
  }
  return found;
}

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
