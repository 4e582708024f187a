/**
 * Regression on the advantage (A*-PO): how far a response moves from the reference is fitted to how good it was.
 *
 * A is the row's mean advantage: score less the optimal value (credit method a-star).
 */
import { option } from "limbeck-base/base/option";
import { countsOption, rowMean } from "./aggregation.ts";
import { refuseTokenWeights } from "./row-fields.ts";
import { tokenObjective } from "./token-objective.ts";
import { defineObjective } from "./objective.ts";

export const advantageRegression = defineObjective({
  id: "advantage-regression",
  info: {
    title: "Optimal-advantage regression (A*-PO)",
    paper: "Accelerating RL for LLM reasoning with optimal advantage regression, arXiv 2505.20686",
    confidence: "code",
    source: "ZhaolinGao/A-PO @ c8823a32; verl/trainer/apo/core_algos.py: compute_policy_loss",
    formula: ["L = (beta * sum_t(new - reference) - mean(A))^2, mean over rows"],
    meaning: "Fits the log-ratio to the reference policy to the advantage, by least squares, each row by itself.",
    departures: [
      "beta is beta2 of the source (0.001); the temperature of the optimal value, beta1 (0.5), belongs to the credit method a-star.",
      "The source draws and fits one whole answer a prompt; here every row of a group is fitted by itself: an episode of one growing conversation once, one whose prompts are made anew once for each answer.",
      "Published runs add an entropy bonus of 0.001 and take two steps a batch; here there is no bonus, and one step unless miniBatches says otherwise.",
    ],
  },
  policyLoss: true,
  options: {
    beta: option.number(0.001, "advantage that one unit of log-ratio stands for", { above: 0 }),
    ...countsOption,
  },
  needs: ["logprob"],
  rowFields: ["advantages", "referenceLogprobs"],
  create: (options, own) => {
    const { beta } = options;
    return tokenObjective({
      ...own,
      options: rowMean(options),
      metrics: ["meanError"],
      includes: (row, at) => refuseTokenWeights(own.id, row, at),
      row: ({ live, trained, fields: { advantages, referenceLogprobs } }, out) => {
        let error = 0;
        for (const token of trained) {
          error += beta * ((live[token] as number) - (referenceLogprobs[token] as number));
          error -= (advantages[token] as number) / trained.length;
        }
        return () => {
          // The row's loss stands at every token, and the mean over tokens gives it back.
          out.value = error * error;
          out.slope = 2 * error * beta * trained.length;
          out.counts[0] = (out.counts[0] as number) + error;
        };
      },
    });
  },
});
