/**
 * DAPO's share of credit: soft overlong shaping, then dynamic sampling, then GRPO's estimator.
 *
 *   S_i += min(-(len - (Lmax - buf)) / buf * factor, 0)      tasks whose rows all earned the same are dropped
 */
import { option } from "../base/index.ts";
import { defineCredit, type IndexedBatch } from "./credit.ts";
import { isInformative } from "./dynamic-sampling.ts";
import { answers } from "./examples.ts";
import { requireNeeds } from "./needs.ts";
import { outcomeAdvantages } from "./outcome.ts";
import { overlongBonus } from "./overlong.ts";
import { rowScores } from "./scores.ts";
import { countTrajectoryOnce, deviation, epsilon, invalidPenalty, singleton } from "./shared-options.ts";

export const dapo = defineCredit({
  info: {
    title: "DAPO",
    paper: "DAPO, arXiv 2503.14476",
    confidence: "code",
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
  needs: [],
  mayNeed: { success: "with filterMetric=success", truncation: "with overlong=filter" },
  options: {
    overlong: option.choice(
      "shape",
      ["shape", "filter", "none"],
      "shape lowers the score of long responses, filter leaves cut-off rows out of training",
    ),
    maxTokens: option.number(20_480, "longest response", { least: 1, whole: true }),
    bufferTokens: option.number(4096, "tokens below it in which shaping grows", { least: 1, whole: true }),
    factor: option.number(1, "what a response of the longest length loses", { least: 0 }),
    dynamicSampling: option.flag(true, "drop tasks whose rows all have the same metric"),
    filterMetric: option.choice("score", ["score", "success"], "what dynamic sampling compares"),
    singleton: singleton("raw"),
    deviation: deviation("unbiased"),
    epsilon: epsilon(1e-6),
    countTrajectoryOnce,
    invalidPenalty: invalidPenalty(0),
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
    const shaped = scores.map((score, at) =>
      options.overlong === "shape" ? score + overlongBonus(batch.index.tokens[at] as number, options) : score,
    );
    const { advantages, metrics } = outcomeAdvantages(batch, shaped, { ...options, scale: true });
    const equal = options.dynamicSampling
      ? equalTasks(batch, metricOf(batch, scores, options.filterMetric))
      : undefined;
    const dropped: number[] = [];
    for (const [at, row] of batch.rows.entries()) {
      const cutOff = options.overlong === "filter" && row.truncated === true;
      if (cutOff || equal?.[batch.index.taskOf[at] as number] === 1) dropped.push(at);
    }
    for (const at of dropped) advantages[at] = 0;
    const droppedTasks = equal?.reduce((sum, one) => sum + one, 0) ?? 0;
    return { terms: { outcome: { weight: 1, perRow: advantages } }, metrics: { ...metrics, droppedTasks }, dropped };
  },
});

function metricOf(batch: IndexedBatch, scores: Float64Array, metric: string): Float64Array {
  if (metric === "score") return scores;
  return Float64Array.from(batch.rows, (row) => (batch.trajectories.get(row.trajectory)?.success === true ? 1 : 0));
}

/** 1 for tasks that dynamic sampling drops. */
function equalTasks({ index }: IndexedBatch, metric: Float64Array): Uint8Array {
  const values: number[][] = Array.from({ length: index.tasks }, () => []);
  for (let at = 0; at < metric.length; at += 1) values[index.taskOf[at] as number]?.push(metric[at] as number);
  return Uint8Array.from(values, (own) => (isInformative({ values: own }) ? 0 : 1));
}
