/**
 * SCOPE-A's loss with whole distributions (methods.md 4.6): a row with a teacher (an incorrect one) is pulled to it, a row
 * without (a correct one) is made likelier, each with the weight that the credit method `scope-a` has put on its tokens.
 *
 *   L = A Div(teacher, p)    or    L = -A log p
 *
 * Mean over the tokens of a row, then over all rows.
 */
import { rowMeanOptions } from "./aggregation.ts";
import { divergenceOf, divergenceOptions } from "./divergences.ts";
import { taughtObjective, weighedDivergence } from "./taught-objective.ts";
import { defineObjective } from "./objective.ts";

export const scopeA = defineObjective({
  id: "scope-a",
  info: {
    title: "SCOPE-A, routed by correctness",
    paper: "SCOPE: Signal-Calibrated On-Policy Distillation Enhancement with Dual-Path Adaptive Weighting (abstract)",
    confidence: "inferred",
    formula: ["row with a teacher: L = A Div(teacher, p); row without: L = -A log p; A the row's weight"],
    meaning: "Pulls failed rows to the teacher and makes solved ones likelier, by the weights of the credit method.",
    departures: ["The abstract names no divergence. Default: the reverse one."],
  },
  policyLoss: false,
  options: { ...rowMeanOptions, ...divergenceOptions },
  needs: ["logprob", "candidates"],
  rowFields: ["advantages"],
  create: (options, own) => {
    const divergence = divergenceOf(own.id, options);
    return taughtObjective({
      ...own,
      metrics: ["divergence", "surprise"],
      includes: () => true,
      row:
        ({ live, words, fields: { advantages } }, out) =>
        (token) => {
          const weight = advantages[token] as number;
          if (words === undefined) {
            out.value = -weight * (live[token] as number);
            out.slope = -weight;
            out.counts[1] = (out.counts[1] as number) - (live[token] as number);
            return;
          }
          const value = weighedDivergence(divergence, words, token, weight);
          out.value = weight * value;
          out.counts[0] = (out.counts[0] as number) + value;
        },
    });
  },
});
