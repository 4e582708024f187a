/**
 * Pass@k GRPO: only the best of a group learns, by how far it beats the second.
 *
 *   A_best = S_(1) - S_(2), optionally over the deviation; the others 0
 */
import { EngineError, option } from "../base/index.ts";
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { groupStatistics } from "./group-advantages.ts";
import { epsilon } from "./shared-options.ts";
import { onRows, trajectoryGroups } from "./trajectory-groups.ts";

export const passAtK = defineCredit({
  info: {
    title: "Pass@k GRPO",
    paper: "Optimizing language models for inference time objectives, arXiv 2503.19595",
    confidence: "code",
    formula: [
      "A = S_best - S_second for the best trajectory of the task, 0 for the others; optionally / (std + epsilon)",
    ],
    meaning: "Credits only what made the group's best answer better than its second, so that groups stay diverse.",
    departures: [
      "The published function divides by the group's deviation unless told otherwise; here the plain difference. Option normByStd.",
      "Published code refuses a group of one. Option singleton gives 0 instead.",
      "Groups are trajectories; all rows of the best one share its advantage.",
    ],
  },
  needs: [],
  options: {
    normByStd: option.flag(false, "divide by the group's deviation"),
    singleton: option.choice("refuse", ["refuse", "zero"], "group of one: an error, or no advantage"),
    epsilon: epsilon(1e-6),
  },
  laws: { shift: true, scale: "proportional", zeroSum: false },
  example: { about: "Three answers; the second is best.", batch: answers([0.2, 0.9, 0.5]) },
  compute: (batch, options) => {
    const { outcomeOf } = batch.index;
    const groups = trajectoryGroups(batch);
    const group = { scale: options.normByStd, singleton: "zero", deviation: "unbiased", epsilon: options.epsilon };
    const { scales, sizes, metrics } = groupStatistics(outcomeOf, groups, group);
    const best = new Int32Array(groups.count).fill(-1);
    const second = new Float64Array(groups.count).fill(Number.NEGATIVE_INFINITY);
    for (let at = 0; at < outcomeOf.length; at += 1) {
      const task = groups.of[at] as number;
      const leader = best[task] as number;
      const score = outcomeOf[at] as number;
      const leading = leader === -1 ? Number.NEGATIVE_INFINITY : (outcomeOf[leader] as number);
      if (score > leading) {
        second[task] = leading;
        best[task] = at;
      } else if (score > (second[task] as number)) second[task] = score;
    }
    const perTrajectory = new Float64Array(outcomeOf.length);
    for (const [task, leader] of best.entries()) {
      if (sizes[task] === 1 && options.singleton === "refuse")
        throw tooSmall(batch.rows, leader, batch.index.trajectoryOf);
      if ((sizes[task] as number) < 2) continue;
      perTrajectory[leader] = ((outcomeOf[leader] as number) - (second[task] as number)) / (scales[task] as number);
    }
    return { terms: { best: { weight: 1, perRow: onRows(batch, perTrajectory) } }, metrics };
  },
});

function tooSmall(rows: readonly { readonly task: string }[], trajectory: number, of: Int32Array): EngineError {
  const task = rows[of.indexOf(trajectory)]?.task ?? "";
  return new EngineError(
    "group-too-small",
    `Task ${JSON.stringify(task)} has 1 trajectory; Pass@k GRPO compares the best with the second and needs 2. Sample more, or set singleton=zero.`,
    { details: { task, size: 1, needed: 2 } },
  );
}
