/** XRPO's advantage sharpening: right answers that the policy found unlikely get more. */
import { option } from "limbeck-base/base/option";
import { columnOf, entry, groupMeans, onMembers, real } from "./columns.ts";
import { defineCredit, type IndexedBatch } from "./credit.ts";
import { answers } from "./examples.ts";
import { outcomeAdvantages, taskGroups } from "./groups.ts";
import { hasSucceeded, rowScores } from "./scores.ts";
import { comparison, invalidPenalty, normByStd } from "./shared-options.ts";
import { meanLogprob } from "./tokens.ts";

export const xrpo = defineCredit({
  info: {
    title: "XRPO (advantage sharpening)",
    paper: "XRPO, arXiv 2510.06672",
    confidence: "reading",
    source:
      "reviews of arXiv 2510.06672 by others (themoonlight.io among them): novelty-aware advantage sharpening, lambda and kappa; of the paper its first page",
    formula: [
      "s_i = mean log-probability of the row's tokens;   eta_i = exp(s_i - mean of s over the task's rows)",
      "rows of successful trajectories with A > 0: A + min(max(lambda * (1 - eta), 0), kappa * A);   A is GRPO's",
    ],
    meaning: "Pushes harder on right answers that were unlikely, so that they are not forgotten.",
    departures: ["Its allocator of rollouts is not here: it belongs to rollouts."],
  },
  needs: ["oldLogprobs", "success"],
  options: {
    lambda: option.number(2.5, "bonus for each part of likelihood below the group's", { least: 0 }),
    kappa: option.number(0.5, "largest bonus, as a share of the advantage", { least: 0 }),
    normByStd: normByStd(true),
    ...comparison("raw", "the step rows of one task"),
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
    const scores = rowScores(batch, options.invalidPenalty);
    const { advantages, metrics } = outcomeAdvantages(batch, scores, { ...options, scale: options.normByStd });
    const rarity = likelihoods(batch);
    const bonus = advantages.map((advantage, at) => {
      if (!hasSucceeded(batch, entry(batch.rows, at)) || advantage <= 0) return 0;
      return Math.min(Math.max(options.lambda * (1 - real(rarity, at)), 0), options.kappa * advantage);
    });
    return { terms: { outcome: { weight: 1, perRow: advantages }, rarity: { weight: 1, perRow: bonus } }, metrics };
  },
});

/** eta: a row's geometric mean probability over that of its task's rows. Rows without tokens count nowhere. */
function likelihoods(batch: IndexedBatch): Float64Array {
  const groups = taskGroups(batch);
  const counted = Uint8Array.from(batch.index.tokens, (tokens) => (tokens === 0 ? 0 : 1));
  const means = columnOf(batch.rows, (row) => meanLogprob([row]));
  const centres = onMembers(groups, groupMeans(groups, means, counted));
  return means.map((value, at) => (counted[at] === 0 ? 1 : Math.exp(value - real(centres, at))));
}
