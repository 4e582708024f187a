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
      "A buffer longer than the longest answer is refused there; here the penalty then begins before the first token.",
      "The other two parts are the loss, in the recipe dapo: clip-higher (0.2 below, 0.28 above) and token-mean aggregation.",
      "Published code generates batches of 1,536 prompts, at most 10 (then it stops with an error), until 512 are kept, and cuts to that number (here the function `collectTasks`); the credit method filters the tasks at hand and keeps what is left.",
      "Published scripts keep a prompt where the deviation of its accuracies is above 0; here where scores before shaping are not all equal, or successes (option filterMetric), so that by default partial scores of failures keep a task. The published metrics that compare shaped scores (seq_reward, seq_final_reward) are left out, so a difference in length alone keeps no task. A lone answer is kept there; here a lone row is, and a lone episode of several steps is dropped as equal.",
      "Published code measures a whole response, tool outputs among it; here each step row by its own trained tokens.",
      "Published math scores are 1 and -1; where a world gives 1 and 0, the same penalty weighs twice as much.",
      "Published configuration leaves shaping off until it is set; here it is on with the published script's 20,480, 4,096 and 1, whatever answerTokens is, so shorter answers are never shaped.",
      "overlong=filter is the paper's and not in the named code: it leaves out the last row of a truncated episode, whose score still counts in its group.",
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
