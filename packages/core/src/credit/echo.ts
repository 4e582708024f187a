/** ECHO's shaped advantage: differences count for more where the policy was unsure, and unsure answers may move further. */
import { mean } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { add, entry, real } from "./columns.ts";
import { defineCredit, type IndexedBatch, type RowWith } from "./credit.ts";
import { answers } from "./examples.ts";
import { outcomeAdvantages } from "./groups.ts";
import { rowScores } from "./scores.ts";
import { normByStd, outcomeOptions } from "./shared-options.ts";
import { eachTrained, tokenArrays, trainedTokens } from "./tokens.ts";
import { whitening } from "./whiten.ts";

/** What a factor of the clip range is taken of: the range of the clipped loss by default. */
const CLIP_RANGE = 0.2;

type Row = RowWith<"oldLogprobs" | "entropy">;

export const echo = defineCredit({
  info: {
    title: "ECHO (shaped advantage)",
    paper: "ECHO: Entropy-Confidence Hybrid Optimization for Test-Time Reinforcement Learning",
    confidence: "code",
    source: "user683/ECHO @ 6f7b311b; verl/verl/trainer/ppo/core_algos.py: apply_hybrid_advantage_shaping",
    formula: [
      "S = clamp(z(H) + z(1 - C), -most, most);   z over the trained tokens of the batch",
      "H = entropy at the token;   C = probability of the token that was drawn",
      "A' = A (1 + shaping S);   A is GRPO's",
      "clip range of a row = clipLeast + (clipMost - clipLeast) sigmoid(clipSlope (1 - mean of C over its last `tail` tokens))",
    ],
    meaning: "Learns more from the tokens at which the policy was unsure, and lets unsure answers move further.",
    departures: [
      "C is the probability of the drawn token, as with the settings of the published scripts; without padding removed published code takes the mean over the five likeliest tokens.",
      "An additive part, of weight 0 in the published settings, is left out; the weights of the two parts of S, 1 there, are no options.",
      "At full confidence the range is half way, 0.125, so clipLeast itself is never reached, as in published code. The clip range is given as a factor of 0.2 (clipScales): with another clipLow or clipHigh of the objective it is that many times as wide.",
      "A batch of one trained token is not shaped; published code stops.",
      "Published runs learn without references, from the majority of a task's answers (32 votes), at temperature 0.8 and with a KL term of 0.001; here the outcome is the world's, and no KL term is added. They have 8 tasks of 32 and a step for each task, so 8 steps an update; with one step an update no ratio moves, and the clip range does nothing.",
    ],
  },
  needs: ["oldLogprobs", "entropy"],
  options: {
    shaping: option.number(0.1, "how much S counts", { least: 0 }),
    most: option.limit(2, "largest S either way", { least: 0 }),
    tail: option.count(16, "tokens at the end of an answer whose confidence sets its clip range"),
    clipLeast: option.number(0.05, "clip range that no answer falls below", { least: 0 }),
    clipMost: option.number(0.2, "clip range that no answer exceeds", { least: 0 }),
    clipSlope: option.number(4, "how fast the clip range grows with what is missing to full confidence", { least: 0 }),
    normByStd: normByStd(true),
    ...outcomeOptions,
  },
  clipScales: true,
  laws: { shift: true, scale: "same", zeroSum: false },
  example: {
    about: "Three of four agree; the last was unsure of its answer.",
    batch: answers(
      [1, 1, 1, 0],
      [-0.1, -0.2, -0.3, -2].map((logprob) => ({ logprobs: { old: [logprob], entropy: [-logprob] } })),
    ),
    options: { normByStd: false },
  },
  compute: (batch, options) => {
    const scores = rowScores(batch, options.invalidPenalty);
    const { advantages, metrics } = outcomeAdvantages(batch, scores, { ...options, scale: options.normByStd });
    const unsure = uncertainties(batch, options.most ?? Number.POSITIVE_INFINITY);
    const shaped = unsure.map((values, at) => values.map((value) => real(advantages, at) * value));
    const { clipLeast, clipMost, clipSlope } = options;
    const ranges = batch.rows.map((row) => {
      const missing = 1 - tailConfidence(row, options.tail);
      return clipLeast + (clipMost - clipLeast) / (1 + Math.exp(-clipSlope * missing));
    });
    return {
      terms: { outcome: { weight: 1, perRow: advantages }, shaping: { weight: options.shaping, perToken: shaped } },
      metrics: { ...metrics, clipRange: ranges.length === 0 ? 0 : mean(ranges) },
      clipScales: Float64Array.from(ranges, (range) => range / CLIP_RANGE),
    };
  },
});

/** S of every trained token: entropy and missing confidence, each whitened over the batch. */
function uncertainties(batch: IndexedBatch<Row>, most: number): Float64Array[] {
  const sums = tokenArrays(batch.rows);
  const doubts = batch.rows.map(({ logprobs }) => logprobs.old.map((logprob) => 1 - confidenceOf(logprob)));
  for (const values of [batch.rows.map(({ logprobs }) => logprobs.entropy), doubts]) {
    const found = whitening(batch, values);
    if (found === undefined) return sums;
    for (const [at, { mask }] of batch.rows.entries()) {
      const [own, target] = [entry(values, at), entry(sums, at)];
      eachTrained(mask, (token) => add(target, token, (real(own, token) - found.mean) * found.scale));
    }
  }
  return sums.map((own) => own.map((value) => Math.min(most, Math.max(-most, value))));
}

/** Mean confidence of the last trained tokens; 0 without any. */
function tailConfidence({ mask, logprobs }: Row, tail: number): number {
  const last = trainedTokens(mask).slice(-tail);
  return last.length === 0 ? 0 : mean(last.map((token) => confidenceOf(real(logprobs.old, token))));
}

function confidenceOf(logprob: number): number {
  return Math.min(1, Math.exp(logprob));
}
