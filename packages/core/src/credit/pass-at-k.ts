/** Pass@k GRPO: only the best of a group learns, by how far it beats the second. */
import { EngineError } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import { entry, groupMembers, real } from "./columns.ts";
import { defineCredit, type IndexedBatch } from "./credit.ts";
import { answers } from "./examples.ts";
import { groupStatistics, onRows, trajectoryGroups } from "./groups.ts";
import { epsilon, normByStd } from "./shared-options.ts";

export const passAtK = defineCredit({
  info: {
    title: "Pass@k GRPO",
    paper: "Optimizing language models for inference time objectives, arXiv 2503.19595",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_grpo_passk_outcome_advantage",
    formula: [
      "A = (S_best - S_second) / (std + epsilon) for the best trajectory of the task, 0 for the others; normByStd off: not divided",
    ],
    meaning: "Credits only what made the group's best answer better than its second, so that groups stay diverse.",
    departures: [
      "Only the difference is the paper's unbiased estimate (normByStd off); the division is the named code's, and the paper's centred form is not here. Scores 0.2, 0.9, 0.5: 0.4, and 1.139 divided. k is the whole group.",
      "Published code refuses a group of one. Option singleton gives 0 instead.",
      "Published code compares rows by the sum of their token rewards. Here trajectories are compared by their outcomes, token rewards and penalties of steps do not count, and all rows of the best one share its advantage.",
    ],
  },
  options: {
    normByStd: normByStd(true),
    singleton: option.choice(
      "refuse",
      ["refuse", "zero"],
      "a group is the trajectories of one task; of one: an error, or no advantage",
    ),
    epsilon: epsilon(1e-6),
  },
  laws: { shift: true, scale: "same", zeroSum: false },
  example: { about: "Three answers; the second is best.", batch: answers([0.2, 0.9, 0.5]) },
  compute: (batch, options) => {
    const { outcomeOf } = batch.index;
    const groups = trajectoryGroups(batch);
    const group = { scale: options.normByStd, singleton: "zero", epsilon: options.epsilon };
    const { scales, metrics } = groupStatistics(outcomeOf, groups, group);
    const perTrajectory = new Float64Array(outcomeOf.length);
    for (const [task, members] of groupMembers(groups).entries()) {
      const [best = -1, second] = members.toSorted((left, right) => real(outcomeOf, right) - real(outcomeOf, left));
      if (second !== undefined) {
        perTrajectory[best] = (real(outcomeOf, best) - real(outcomeOf, second)) / real(scales, task);
      } else if (options.singleton === "refuse") throw tooSmall(batch, best);
    }
    return { terms: { best: { weight: 1, perRow: onRows(batch, perTrajectory) } }, metrics };
  },
});

function tooSmall({ rows, index }: IndexedBatch, trajectory: number): EngineError {
  const { task } = entry(rows, index.trajectoryOf.indexOf(trajectory));
  return new EngineError(
    "group-too-small",
    `Task ${JSON.stringify(task)} has 1 trajectory; Pass@k GRPO compares the best with the second and needs 2. Sample more, or set singleton=zero.`,
    { details: { task, size: 1, needed: 2 } },
  );
}
