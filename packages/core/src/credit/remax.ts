/** ReMax: reward to go, less the score of one greedy rollout of the same task. */
import { columnOf } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { tokenRewards } from "./scores.ts";
import { invalidPenalty } from "./shared-options.ts";
import { rewardsToGo } from "./tokens.ts";

export const remax = defineCredit({
  info: {
    title: "ReMax",
    paper: "ReMax, arXiv 2310.10505",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_remax_outcome_advantage",
    formula: ["A_t = sum of r_k for k >= t  -  b,   b the score of one greedy rollout of the same task"],
    meaning: "Reward to go minus what the greedy answer earns; one extra rollout a task instead of a group.",
    departures: [
      "The greedy rollout is not trained on, as in published code; where it was cut off its score is used as it is, and where it was lost the baseline is 0.",
      "Published code has one row for a conversation, with the score on its last token; here each step row has the outcome on its own last token, less the same baseline.",
      "The paper's loss adds up the tokens of an answer, without a clip (aggregation seq-mean-token-sum), and has one answer a question; the published script clips, takes the mean over tokens and has 4. A training here takes the mean over tokens and has a group.",
      "Published scripts take 0.001 times the divergence from the start (k1) from the samples' token rewards, not from the baseline; here neither has it.",
      "Where greedy play earns more than twice what samples do, the baseline adds variance instead of taking it; a training takes smaller steps by default (1e-4 instead of 3e-4; published 1e-6).",
    ],
  },
  needs: ["greedyScore"],
  options: { invalidPenalty: invalidPenalty(0) },
  takes: { learningRate: 1e-4 },
  laws: { shift: false, scale: "proportional", zeroSum: false },
  example: {
    about: "A right answer of three tokens; the greedy answer scores 0.25.",
    batch: answers([1], [{ mask: [1, 1, 1], greedyScore: 0.25 }]),
  },
  compute: (batch, options) => {
    const toGo = rewardsToGo(batch, tokenRewards(batch, options.invalidPenalty));
    const greedy = columnOf(batch.rows, (row) => row.greedyScore);
    return {
      terms: { rewardToGo: { weight: 1, perToken: toGo }, greedy: { weight: -1, perRow: greedy } },
      returns: toGo,
    };
  },
});
