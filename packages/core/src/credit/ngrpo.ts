/**
 * NGRPO: every group is compared as if it held one more rollout with the largest reward, so that a group of failures
 * counts as a failure.
 */
import { option } from "limbeck-base/base/option";
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { groupSums } from "./columns.ts";
import { groupAdvantages, taskGroups } from "./groups.ts";
import { firstSteps, rowScores } from "./scores.ts";
import { comparison, invalidPenalty } from "./shared-options.ts";

export const ngrpo = defineCredit({
  info: {
    title: "NGRPO",
    paper: "NGRPO: Negative-enhanced Group Relative Policy Optimization, arXiv 2509.18851",
    confidence: "code",
    source: "nangongrui-ngr/NGRPO @ e7a38041; verl/trainer/ppo/core_algos.py: compute_ngrpo_outcome_advantage",
    formula: [
      "A_i = (S_i - mean) / (std + epsilon)   mean and std over the trajectories of one task and one virtual score maxReward",
    ],
    meaning: "GRPO in which a group of equal failures learns that a better answer exists.",
    departures: [
      "A trajectory counts once in its group, by its first step, since a published group has one row for each.",
      "A group of one keeps its score, without a virtual one, as in published code. Option singleton.",
      "Published code can count several virtual scores (add_max_reward_num, 1 in its script); here it is one.",
      "The other half of the method is the loss, and not part of credit: a published training clips at 0.16 below and 0.24 above 1 in four steps on each batch (--set clipLow=0.16 --set clipHigh=0.24 --set miniBatches=4; in one step nothing is clipped), so that what is better may move further than what is worse. It has 8 rollouts a question, no divergence to a reference and an entropy bonus of 0.001.",
      "A published training leaves out groups whose scores are all 1 and draws on until its batch is full, which it then cuts to size by rows, so that a group may be compared in part; here groups are whole and stay, with advantages of 0 where the score is maxReward.",
    ],
  },
  options: {
    maxReward: option.number(1, "score of the virtual rollout"),
    ...comparison("raw", "the trajectories of one task"),
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: false, scale: "neither", zeroSum: false },
  example: { about: "Two wrong answers; GRPO would say nothing.", batch: answers([0, 0]) },
  compute: (batch, options) => {
    const { taskOf, tasks } = batch.index;
    const scores = rowScores(batch, options.invalidPenalty);
    // One more member for each task behind the rows, which only the statistics see; none where one trajectory is alone.
    const values = new Float64Array(scores.length + tasks).fill(options.maxReward);
    values.set(scores);
    const of = Int32Array.from({ length: values.length }, (_, at) => taskOf[at] ?? at - scores.length);
    const counted = new Uint8Array(values.length);
    counted.set(firstSteps(batch));
    const trajectories = groupSums(taskGroups(batch), undefined, counted.subarray(0, scores.length));
    counted.set(
      Array.from(trajectories, (count) => Number(count > 1)),
      scores.length,
    );
    const found = groupAdvantages(values, { of, count: tasks }, { ...options, counted });
    return {
      terms: { outcome: { weight: 1, perRow: found.advantages.subarray(0, scores.length) } },
      metrics: found.metrics,
    };
  },
});
