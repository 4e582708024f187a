/**
 * OPO: the baseline weighs each row of the group by its length, which has the least variance for equal token gradients.
 */
import { groupSums, real, intAt } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { groupAdvantages, taskGroups } from "./groups.ts";
import { rowScores } from "./scores.ts";
import { invalidPenalty, singleton } from "./shared-options.ts";

export const opo = defineCredit({
  info: {
    title: "OPO",
    paper: "On-policy RL with optimal reward baseline, arXiv 2505.23585",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_opo_outcome_advantage",
    formula: ["A_i = S_i - sum(n_j * S_j) / sum(n_j)   over the rows of one task, n the trained tokens of a row"],
    meaning: "Score minus the group's mean, where long answers count more.",
    departures: [
      "Published code has one row for a conversation; here rows are steps, so a single episode of several steps gets 0, and not its score as a group of one does.",
      "A group without any trained token has baseline 0; published code divides 0 by 0. Nothing of it is trained.",
      "The paper's exact on-policy training (one step for each batch, no divergence, no entropy bonus) is what a training does by default, not part of the credit.",
    ],
  },
  options: { singleton: singleton("raw", "the step rows of one task"), invalidPenalty: invalidPenalty(0) },
  laws: { shift: true, scale: "proportional", zeroSum: false },
  example: {
    about: "A right answer of 1 token and a wrong one of 3.",
    batch: answers([1, 0], [{ mask: [1] }, { mask: [1, 1, 1] }]),
  },
  compute: (batch, options) => {
    const { tokens } = batch.index;
    const groups = taskGroups(batch);
    const scores = rowScores(batch, options.invalidPenalty);
    const lengths = groupSums(groups, Float64Array.from(tokens));
    const sums = groupSums(
      groups,
      scores.map((score, at) => intAt(tokens, at) * score),
    );
    const baseline = sums.map((sum, task) => (lengths[task] === 0 ? 0 : sum / real(lengths, task)));
    const { advantages } = groupAdvantages(scores, groups, { ...options, scale: false, baseline });
    return { terms: { outcome: { weight: 1, perRow: advantages } }, metrics: { groups: groups.count } };
  },
});
