/** A*-style advantage: score against the optimal value under a pull to the reference policy. */
import { option } from "limbeck-base/base/option";
import { onMembers } from "./columns.ts";
import { defineCredit } from "./credit.ts";
import { answers } from "./examples.ts";
import { taskGroups } from "./groups.ts";
import { rowScores } from "./scores.ts";
import { invalidPenalty } from "./shared-options.ts";
import { softBaselines } from "./soft-value.ts";

export const aStar = defineCredit({
  info: {
    title: "A*-PO",
    paper: "Accelerating RL for LLM reasoning with optimal advantage regression, arXiv 2505.20686",
    confidence: "code",
    source:
      "ZhaolinGao/A-PO @ c8823a32; verl/utils/dataset/rl_dataset.py: v_star; verl/trainer/apo/core_algos.py: compute_policy_loss",
    formula: ["V* = beta * ln(mean(exp(S / beta)))   over the rows of one task;   A_i = S_i - V*"],
    meaning: "How far a score lies above (negative: below) what the best policy near the reference would earn.",
    departures: [
      "Published code takes V* from 8 answers of the reference policy, drawn before training, and trains on one answer a prompt; here V* comes from the rows at hand, so a task of one row has V* = S and learns nothing. Its filter of prompts that all 8 answers missed is off in its scripts, and not here.",
      "There V* is the mean where beta is 0, and 0 where it is negative or no answers were drawn; here beta is at least 1e-6.",
      "The loss regresses on this advantage: objective advantage-regression.",
    ],
  },
  options: {
    beta: option.number(0.5, "temperature of the optimal value", { least: 1e-6 }),
    invalidPenalty: invalidPenalty(0),
  },
  laws: { shift: true, scale: "neither", zeroSum: false },
  example: { about: "A right and a wrong answer.", batch: answers([1, 0]) },
  compute: (batch, options) => {
    const scores = rowScores(batch, options.invalidPenalty);
    const groups = taskGroups(batch);
    const values = onMembers(groups, softBaselines(scores, groups, options.beta));
    return {
      terms: { score: { weight: 1, perRow: scores }, optimalValue: { weight: -1, perRow: values } },
      metrics: { groups: groups.count },
    };
  },
});
