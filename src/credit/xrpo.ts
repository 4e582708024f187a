/**
 * XRPO's advantage sharpening: right answers that the policy found unlikely get more.
 *
 *   A' = A + min(max(lambda * (1 - eta), 0), kappa * A)      eta = exp(s - mean of s), s the mean log-probability
 */
import { option } from "../base/index.ts";
import { defineCredit, type CreditRow, type IndexedBatch } from "./credit.ts";
import { answers } from "./examples.ts";
import { outcomeAdvantages } from "./outcome.ts";
import { meanLogprob } from "./mean-logprob.ts";
import { rowScores } from "./scores.ts";
import { deviation, epsilon, invalidPenalty, singleton } from "./shared-options.ts";

export const xrpo = defineCredit({
  info: {
    title: "XRPO (advantage sharpening)",
    paper: "XRPO, arXiv 2510.06672",
    confidence: "paper",
    formula: [
      "s_i = mean log-probability of the row's tokens;   eta_i = exp(s_i - mean of s over the task's rows)",
      "rows of successful trajectories with A > 0: A + min(max(lambda * (1 - eta), 0), kappa * A);   A is GRPO's",
    ],
    meaning: "Pushes harder on right answers that were unlikely, so that they are not forgotten.",
    departures: ["lambda and kappa are ours. Its allocator of rollouts is not here: it belongs to rollouts."],
  },
  needs: ["oldLogprobs", "success"],
  options: {
    lambda: option.number(2, "bonus for each part of likelihood below the group's", { least: 0 }),
    kappa: option.number(0.5, "largest bonus, as a share of the advantage", { least: 0 }),
    normByStd: option.flag(true, "divide by the group's deviation"),
    singleton: singleton("raw"),
    deviation: deviation("unbiased"),
    epsilon: epsilon(1e-6),
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: true, scale: "same", zeroSum: false },
  example: {
    about: "Two right answers, the second of them unlikely, and two wrong ones.",
    batch: answers(
      [1, 1, 0, 0],
      [-0.2, -0.9, -0.5, -0.6].map((logprob) => ({ logprobs: { old: [logprob] } })),
    ),
    options: { normByStd: false },
  },
  compute: (batch, options) => {
    const group = { ...options, scale: options.normByStd, countTrajectoryOnce: false };
    const { advantages, metrics } = outcomeAdvantages(batch, rowScores(batch, options.invalidPenalty), group);
    const rarity = likelihoods(batch);
    const bonus = advantages.map((advantage, at) => {
      const right = batch.trajectories.get((batch.rows[at] as CreditRow).trajectory)?.success === true;
      if (!right || advantage <= 0) return 0;
      return Math.min(Math.max(options.lambda * (1 - (rarity[at] as number)), 0), options.kappa * advantage);
    });
    return { terms: { outcome: { weight: 1, perRow: advantages }, rarity: { weight: 1, perRow: bonus } }, metrics };
  },
});

/** eta: a row's geometric mean probability over that of its task's rows. Rows without tokens count nowhere. */
function likelihoods({ rows, index }: IndexedBatch): Float64Array {
  const means = rows.map(meanLogprob);
  const sums = new Float64Array(index.tasks);
  const sizes = new Float64Array(index.tasks);
  for (const [at, value] of means.entries()) {
    if (index.tokens[at] === 0) continue;
    const task = index.taskOf[at] as number;
    sums[task] = (sums[task] as number) + value;
    sizes[task] = (sizes[task] as number) + 1;
  }
  return Float64Array.from(means, (value, at) => {
    const task = index.taskOf[at] as number;
    return index.tokens[at] === 0 ? 1 : Math.exp(value - (sums[task] as number) / (sizes[task] as number));
  });
}
