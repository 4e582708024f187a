/**
 * ReMax: reward to go, less the score of one greedy rollout of the same task.
 *
 *   A_t = sum of r_k for k >= t  -  b
 */
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { tokenRewards } from "./scores.ts";
import { invalidPenalty } from "./shared-options.ts";
import { tokenArrays } from "./token-arrays.ts";

export const remax = defineCredit({
  info: {
    title: "ReMax",
    paper: "ReMax, arXiv 2310.10505",
    confidence: "code",
    formula: ["A_t = sum of r_k for k >= t  -  b,   b the score of one greedy rollout of the same task"],
    meaning: "Reward to go minus what the greedy answer earns; one extra rollout a task instead of a group.",
    departures: ["The greedy rollout is not trained on; where it was cut off its score is used as it is."],
  },
  needs: ["greedyScore"],
  options: { invalidPenalty: invalidPenalty(0) },
  laws: { shift: false, scale: "proportional", zeroSum: false },
  example: {
    about: "A right answer of three tokens; the greedy answer scores 0.25.",
    batch: answers([1], [{ mask: [1, 1, 1], greedyScore: 0.25 }]),
  },
  compute: (batch, options) => {
    const rewards = tokenRewards(batch, options.invalidPenalty);
    const toGo = tokenArrays(batch.rows);
    const greedy = Float64Array.from(batch.rows, (row) => row.greedyScore);
    for (const [at, { mask }] of batch.rows.entries()) {
      const source = rewards[at] as Float64Array;
      const target = toGo[at] as Float64Array;
      let later = 0;
      for (let token = mask.length - 1; token >= 0; token -= 1) {
        if (mask[token] === 0) continue;
        later += source[token] as number;
        target[token] = later;
      }
    }
    return {
      terms: { rewardToGo: { weight: 1, perToken: toGo }, greedy: { weight: -1, perRow: greedy } },
      returns: toGo,
    };
  },
});
