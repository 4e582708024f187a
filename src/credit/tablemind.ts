/**
 * TableMind's rank-aware objective (RAPO): a better trajectory that the policy finds less likely than a worse one gets
 * its advantage multiplied.
 *
 *   A' = factor * A where some trajectory of the task has less reward and a larger mean log-probability
 */
import { option } from "../base/index.ts";
import { defineCredit, type IndexedBatch } from "./credit.ts";
import { answers } from "./examples.ts";
import { deviation, epsilon, singleton } from "./shared-options.ts";
import { onRows, stepsOf, trajectoryAdvantages, trajectoryGroups } from "./trajectory-groups.ts";

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
    singleton: singleton("raw"),
    deviation: deviation("unbiased"),
    epsilon: epsilon(1e-6),
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
    const { advantages, metrics } = trajectoryAdvantages(batch, { ...options, scale: true });
    const misranked = options.rule === "pairs" ? pairShares(batch, options) : misrankedTrajectories(batch);
    const perTrajectory = advantages.map((value, at) => (1 + (options.factor - 1) * (misranked[at] as number)) * value);
    return {
      terms: { ranked: { weight: 1, perRow: onRows(batch, perTrajectory) } },
      metrics: { ...metrics, misranked: misranked.reduce((sum, one) => sum + one, 0) },
    };
  },
});

/** By outcome upwards, with the largest likelihood among strictly worse ones kept: n log n for a task. */
function misrankedTrajectories(batch: IndexedBatch): Float64Array {
  const { outcomeOf, trajectories } = batch.index;
  const { of } = trajectoryGroups(batch);
  const means = Float64Array.from({ length: trajectories }, (_, at) => trajectoryLogprob(batch, at));
  const order = [...outcomeOf.keys()].sort(
    (left, right) =>
      (of[left] as number) - (of[right] as number) || (outcomeOf[left] as number) - (outcomeOf[right] as number),
  );
  const found = new Float64Array(trajectories);
  let [worse, level] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [place, at] of order.entries()) {
    const before = order[place - 1];
    if (before === undefined || of[before] !== of[at])
      [worse, level] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
    else if (outcomeOf[before] !== outcomeOf[at]) worse = Math.max(worse, level);
    if (worse > (means[at] as number)) found[at] = 1;
    level =
      before !== undefined && of[before] === of[at] && outcomeOf[before] === outcomeOf[at]
        ? Math.max(level, means[at] as number)
        : (means[at] as number);
  }
  return found;
}

/** Share of the task's trajectories on the other side of the threshold that are too likely, or too unlikely, beside it. */
function pairShares(
  batch: IndexedBatch,
  { margin, threshold }: { readonly margin: number; readonly threshold: number },
): Float64Array {
  const { of, count } = trajectoryGroups(batch);
  const means = Float64Array.from({ length: batch.index.trajectories }, (_, at) => trajectoryLogprob(batch, at));
  const isGood = (at: number): boolean => (batch.index.outcomeOf[at] as number) > threshold;
  const sides = Array.from({ length: count }, () => ({ good: [] as number[], other: [] as number[] }));
  for (const [at, task] of of.entries()) sides[task]?.[isGood(at) ? "good" : "other"].push(means[at] as number);
  return means.map((own, at) => {
    const { good, other } = sides[of[at] as number] ?? { good: [], other: [] };
    const across = isGood(at) ? other : good;
    const isInverted = (mean: number): boolean => (isGood(at) ? own - mean : mean - own) < margin;
    return across.length === 0 ? 0 : across.filter(isInverted).length / across.length;
  });
}

function trajectoryLogprob(batch: IndexedBatch, trajectory: number): number {
  let [sum, count] = [0, 0];
  for (const at of stepsOf(batch, trajectory)) {
    const { mask, logprobs } = batch.rows[at] as IndexedBatch["rows"][number];
    for (let token = 0; token < mask.length; token += 1) {
      if (mask[token] === 0) continue;
      sum += logprobs?.old?.[token] ?? 0;
      count += 1;
    }
  }
  return count === 0 ? 0 : sum / count;
}
