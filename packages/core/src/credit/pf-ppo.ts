/**
 * PF-PPO: rows are drawn again with replacement, those with telling scores more often; here each row's expected share.
 */
import { option } from "limbeck-base/base/option";
import type { Rng } from "limbeck-base/base/rng";
import { real } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { outcomeAdvantages } from "./groups.ts";
import { rowScores } from "./scores.ts";
import { invalidPenalty, singleton } from "./shared-options.ts";

const SMALL = 1e-8;

export const pfPpo = defineCredit({
  info: {
    title: "PF-PPO",
    paper: "Policy filtration for RLHF, arXiv 2409.06957",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_pf_ppo_reweight_data",
    formula: [
      "p_i in proportion to |S_i|^power + 1e-8;   max_min: 1 for the largest and the smallest score, else 0;   max_random: 0.4 for the largest, else 0.1",
      "A_i = rows * p_i * (S_i - mean(S))",
    ],
    meaning: "Lets rows whose scores can be trusted count more, as drawing them more often would.",
    departures: [
      "Published code draws as many rows as there are, with replacement (function drawRows); here each row counts as often as it would on average, so nothing is random, and the loss is divided by the tokens of all rows instead of those drawn.",
      "Published code draws after a critic's whitened advantages and trains the critic on the drawn rows too; here the advantage is the score less its task's mean (as it is in a task of one row: singleton), not whitened, and there is no critic.",
      "Published rows are whole conversations; here they are steps, so an episode of many steps is drawn more often.",
    ],
  },
  options: {
    scheme: option.choice("pow", ["pow", "max_min", "max_random"], "which rows are drawn"),
    power: option.number(2, "exponent of pow", { least: 0 }),
    singleton: singleton("raw", "the step rows of one task"),
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: false, scale: "neither", zeroSum: false },
  example: { about: "Three answers; the second is half right.", batch: answers([1, 0.5, 0]) },
  compute: (batch, options) => {
    const scores = rowScores(batch, options.invalidPenalty);
    const { advantages, metrics } = outcomeAdvantages(batch, scores, { scale: false, singleton: options.singleton });
    const shares = drawProbabilities(scores, options.scheme, options.power);
    const perRow = advantages.map((value, at) => value * real(shares, at) * scores.length);
    return { terms: { outcome: { weight: 1, perRow } }, metrics };
  },
});

/**
 * How likely each row is at every draw.
 *
 * @example
 * const probabilities = drawProbabilities(Float64Array.of(0, 1, 3), "pow", 2);
 * console.log([...probabilities].map((value) => value.toFixed(1))); // [ "0.0", "0.1", "0.9" ]
 */
export function drawProbabilities(scores: Float64Array, scheme: string, power = 2): Float64Array {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const score of scores) [least, most] = [Math.min(least, score), Math.max(most, score)];
  const weightOf = (score: number): number => {
    if (scheme === "pow") return Math.abs(score) ** power;
    if (scheme === "max_min") return score === most || score === least ? 1 : 0;
    return score === most ? 0.4 : 0.1;
  };
  const weights = scores.map((score) => weightOf(score) + SMALL);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/**
 * Rows drawn with replacement.
 *
 * @example
 * console.log(drawRows(Float64Array.of(0, 1, 0), 3, createRng(1))); // [ 1, 1, 1 ]
 */
export function drawRows(probabilities: Float64Array, count: number, rng: Rng): number[] {
  return Array.from({ length: count }, () => {
    let left = rng.float();
    for (let at = 0; at < probabilities.length; at += 1) {
      left -= real(probabilities, at);
      if (left < 0) return at;
    }
    return probabilities.length - 1;
  });
}
