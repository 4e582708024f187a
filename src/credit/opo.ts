/**
 * OPO: the baseline weighs each row of the group by its length, which has the least variance for equal token gradients.
 *
 *   A_i = S_i - sum(n * S) / sum(n)
 */
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { rowScores } from "./scores.ts";
import { invalidPenalty, singleton } from "./shared-options.ts";

export const opo = defineCredit({
  info: {
    title: "OPO",
    paper: "On-policy RL with optimal reward baseline, arXiv 2505.23585",
    confidence: "code",
    formula: ["A_i = S_i - sum(n_j * S_j) / sum(n_j)   over the rows of one task, n the trained tokens of a row"],
    meaning: "Score minus the group's mean, where long answers count more.",
    departures: ["A group without any trained token has baseline 0; nothing of it is trained."],
  },
  needs: [],
  options: { singleton: singleton("raw"), invalidPenalty: invalidPenalty(0) },
  laws: { shift: true, scale: "proportional", zeroSum: false },
  example: {
    about: "A right answer of 1 token and a wrong one of 3.",
    batch: answers([1, 0], [{ mask: [1] }, { mask: [1, 1, 1] }]),
  },
  compute: (batch, options) => {
    const { taskOf, tasks, tokens } = batch.index;
    const scores = rowScores(batch, options.invalidPenalty);
    const sums = new Float64Array(tasks);
    const lengths = new Float64Array(tasks);
    const sizes = new Int32Array(tasks);
    for (let at = 0; at < scores.length; at += 1) {
      const task = taskOf[at] as number;
      const length = tokens[at] as number;
      sums[task] = (sums[task] as number) + length * (scores[at] as number);
      lengths[task] = (lengths[task] as number) + length;
      sizes[task] = (sizes[task] as number) + 1;
    }
    const perRow = scores.map((score, at) => {
      const task = taskOf[at] as number;
      if (sizes[task] === 1) return options.singleton === "raw" ? score : 0;
      const length = lengths[task] as number;
      return length === 0 ? score : score - (sums[task] as number) / length;
    });
    return { terms: { outcome: { weight: 1, perRow } }, metrics: { groups: tasks } };
  },
});
