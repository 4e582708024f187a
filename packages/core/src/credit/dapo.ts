/** DAPO's share of credit: soft overlong shaping, then dynamic sampling, then GRPO's estimator. */
import { option } from "limbeck-base/base/option";
import { columnOf, groupMembers, real, intAt } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { isInformative } from "./dynamic-sampling.ts";
import { answers } from "./examples.ts";
import { outcomeAdvantages, taskGroups } from "./groups.ts";
import { requireNeeds } from "./needs.ts";
import { hasSucceeded, rowScores } from "./scores.ts";
import { outcomeOptions } from "./shared-options.ts";

export const dapo = defineCredit({
  info: {
    title: "DAPO",
    paper: "DAPO, arXiv 2503.14476",
    confidence: "code",
    source:
      "volcengine/verl @ b178a3cd; verl/workers/reward_manager/dapo.py: DAPORewardManager; the filter: jinyangwu/OPID @ 37a15a5f; recipe/dapo/dapo_ray_trainer.py",
    formula: [
      "S_i += min(-(len_i - (maxTokens - bufferTokens)) / bufferTokens * factor, 0)",
      "tasks whose rows all have the same metric are dropped (groups of one are kept)",
      "A_i = (S_i - mean(S)) / (std(S) + epsilon)",
    ],
    meaning: "GRPO on shaped scores, without the tasks that teach nothing.",
    departures: [
      "The other two parts are the loss: clip-higher (0.2 below, 0.28 above) and token-mean aggregation.",
      "Generating until enough tasks are kept is `collectTasks`; here the tasks at hand are filtered.",
      "The filter looks at the score before shaping, or at success; a difference in length alone keeps no task.",
    ],
  },
  mayNeed: { success: "with filterMetric=success", truncation: "with overlong=filter" },
  options: {
    overlong: option.choice(
      "shape",
      ["shape", "filter", "none"],
      "shape lowers the score of long responses, filter leaves cut-off rows out of training",
    ),
    maxTokens: option.count(20_480, "longest response"),
    bufferTokens: option.count(4096, "tokens below it in which shaping grows"),
    factor: option.number(1, "what a response of the longest length loses", { least: 0 }),
    dynamicSampling: option.flag(true, "drop tasks whose rows all have the same metric"),
    filterMetric: option.choice("score", ["score", "success"], "what dynamic sampling compares"),
    ...outcomeOptions,
  },
  laws: { shift: true, scale: "same", zeroSum: true },
  example: {
    about: "Answers of 6, 9 and 10 tokens where 10 is the limit and shaping begins at 6.",
    batch: answers(
      [1, 1, 0],
      [6, 9, 10].map((length) => ({ mask: Array.from({ length }, () => 1) })),
    ),
    options: { maxTokens: 10, bufferTokens: 4 },
  },
  compute: (batch, options) => {
    if (options.filterMetric === "success") requireNeeds(["success"], batch, "DAPO");
    if (options.overlong === "filter") requireNeeds(["truncation"], batch, "DAPO");
    const scores = rowScores(batch, options.invalidPenalty);
    const shaped =
      options.overlong === "shape"
        ? scores.map((score, at) => score + overlongBonus(intAt(batch.index.tokens, at), options))
        : scores;
    const { advantages, metrics } = outcomeAdvantages(batch, shaped, options);
    const success = columnOf(batch.rows, (row) => (hasSucceeded(batch, row) ? 1 : 0));
    const metric = options.filterMetric === "score" ? scores : success;
    const members = options.dynamicSampling ? groupMembers(taskGroups(batch)) : [];
    const equal = members.filter((own) => !isInformative({ values: own.map((at) => real(metric, at)) }));
    const dropped = new Set(equal.flat());
    if (options.overlong === "filter") {
      for (const [at, { truncated }] of batch.rows.entries()) if (truncated === true) dropped.add(at);
    }
    for (const at of dropped) advantages[at] = 0;
    return {
      terms: { outcome: { weight: 1, perRow: advantages } },
      metrics: { ...metrics, droppedTasks: equal.length },
      dropped: [...dropped].sort((left, right) => left - right),
    };
  },
});

/**
 * 0 up to `maxTokens - bufferTokens`, then falling in a straight line to `-factor` at `maxTokens` and on beyond it.
 */
export function overlongBonus(
  length: number,
  options: { readonly maxTokens: number; readonly bufferTokens: number; readonly factor: number },
): number {
  const { maxTokens, bufferTokens, factor } = options;
  return Math.min((-(length - (maxTokens - bufferTokens)) / bufferTokens) * factor, 0);
}
