/**
 * Optimal token baseline: at each position the mean reward to go, weighed by how large the gradients are up to there.
 *
 *   w_t = 1 - 2 p_t + q_t      W_t = w_1 + .. + w_t      B_t = sum_i G_t W_t / sum_i W_t      A_t = G_t - B_t
 */
import { option } from "../base/index.ts";
import { defineCredit, type CreditRow } from "./credit.ts";
import { answers } from "./examples.ts";
import { tokenRewards } from "./scores.ts";
import { invalidPenalty, singleton } from "./shared-options.ts";
import { tokenArrays } from "./token-arrays.ts";
import { turnGroups } from "./trajectory-groups.ts";

const SMALL = 1e-8;

export const optimalTokenBaseline = defineCredit({
  info: {
    title: "Optimal token baseline",
    paper: "The optimal token baseline: variance reduction for long-horizon LLM-RL",
    confidence: "code",
    formula: [
      "w_t = 1 - 2 p_t + q_t,   p_t the probability of the token, q_t the sum of squared probabilities",
      "W_t = sum of w up to t;   B_t = sum_i G_t W_t / (sum_i W_t + 1e-8) over the task's rows of the same turn",
      "A_t = G_t - B_t,   G the reward to go",
    ],
    meaning: "Reward to go minus a baseline of its own for each position, with the least variance that one can have.",
    departures: [
      "Position t is the t-th trained token of the row, as in the published multi-turn form.",
      "Rows are compared with rows of the same turn; published code has one row for a conversation.",
      "The off-policy factor (squared ratio) is left to the objective.",
    ],
  },
  needs: ["oldLogprobs", "collision"],
  options: {
    cutLongest: option.flag(false, "no baseline for the part of the longest row that no other row reaches"),
    singleton: singleton("raw"),
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: false, scale: "proportional", zeroSum: false },
  example: {
    about: "Two answers of two tokens; the first is right.",
    batch: answers(
      [1, 0],
      [
        { mask: [1, 1], logprobs: { old: [-0.7, -0.2231], collision: [-1, -0.4155] } },
        { mask: [1, 1], logprobs: { old: [-0.7, -0.9163], collision: [-1, -1.0217] } },
      ],
    ),
  },
  compute: (batch, options) => {
    const { rows } = batch;
    const rewards = tokenRewards(batch, options.invalidPenalty);
    const groups = turnGroups(batch);
    const toGo = tokenArrays(rows);
    const sums = Array.from({ length: groups.count }, () => ({
      rows: 0,
      reward: [] as number[],
      weight: [] as number[],
      reached: [] as number[],
    }));
    const parts = rows.map((row, at) => {
      const group = sums[groups.of[at] as number] as (typeof sums)[number];
      const own = { group, positions: positionsOf(row), weights: gradientWeights(row) };
      fillToGo(row, rewards[at] as Float64Array, toGo[at] as Float64Array);
      group.rows += 1;
      own.positions.forEach((token, place) => {
        const weight = own.weights[place] as number;
        group.reward[place] = (group.reward[place] ?? 0) + weight * ((toGo[at] as Float64Array)[token] as number);
        group.weight[place] = (group.weight[place] ?? 0) + weight;
        group.reached[place] = (group.reached[place] ?? 0) + 1;
      });
      return own;
    });
    const baselines = tokenArrays(rows);
    for (const [at, { group, positions }] of parts.entries()) {
      positions.forEach((token, place) => {
        const alone = group.rows === 1 || (options.cutLongest && group.reached[place] === 1);
        const share = (group.reward[place] as number) / ((group.weight[place] as number) + SMALL);
        const value = alone ? (options.singleton === "zero" && group.rows === 1 ? (toGo[at]?.[token] ?? 0) : 0) : share;
        (baselines[at] as Float64Array)[token] = value;
      });
    }
    return {
      terms: { rewardToGo: { weight: 1, perToken: toGo }, baseline: { weight: -1, perToken: baselines } },
      metrics: { groups: groups.count },
      returns: toGo,
    };
  },
});

function positionsOf({ mask }: CreditRow): number[] {
  const positions: number[] = [];
  for (let token = 0; token < mask.length; token += 1) if (mask[token] === 1) positions.push(token);
  return positions;
}

/** W of each trained token; (1 - p)^2 + the squares of the others, so never below 0. */
function gradientWeights(
  row: CreditRow & { readonly logprobs: { readonly old: Float64Array; readonly collision: Float64Array } },
): number[] {
  let sum = 0;
  return positionsOf(row).map((token) => {
    const own = Math.exp(row.logprobs.old[token] as number);
    sum += Math.max(1 - 2 * own + Math.exp(row.logprobs.collision[token] as number), 0);
    return sum;
  });
}

function fillToGo({ mask }: CreditRow, rewards: Float64Array, target: Float64Array): void {
  let later = 0;
  for (let token = mask.length - 1; token >= 0; token -= 1) {
    if (mask[token] === 0) continue;
    later += rewards[token] as number;
    target[token] = later;
  }
}
