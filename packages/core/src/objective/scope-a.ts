/**
 * SCOPE-A's loss with whole distributions: a row with a teacher (an incorrect one) is pulled to it, a row
 * without (a correct one) is made likelier, each with the weight that the credit method `scope-a` has put on its tokens.
 *
 *   L = mean over rows with a teacher of A Div(teacher, p)  +  mean over rows without of -A log p
 */
import type { TrainRow } from "limbeck-policy/policy/objective";
import { aggregationOptions } from "./aggregation.ts";
import { combine } from "./combine.ts";
import { divergenceOf, divergenceOptions } from "./divergences.ts";
import { taughtObjective, weighedDivergence } from "./taught-objective.ts";
import { defineObjective } from "./objective.ts";
import { onlyRows } from "./only-rows.ts";

export const scopeA = defineObjective({
  id: "scope-a",
  info: {
    title: "SCOPE-A, routed by correctness",
    paper: "SCOPE: Signal-Calibrated On-Policy Distillation Enhancement with Dual-Path Adaptive Weighting",
    confidence: "code",
    source: "machine981/SCOPE @ 085fdc28; verl/workers/actor/dp_actor.py: update_policy; README.md: overall objective",
    formula: [
      "row with a teacher: L = A Div(teacher, p); row without: L = -A log p; A the row's weight",
      "each kind has a mean of its own, and the two are added",
    ],
    meaning: "Pulls failed rows to the teacher and makes solved ones likelier, by the weights of the credit method.",
    departures: [
      "Rows are kept apart by their teacher, not by their reward, and a row of weight 0 counts in its mean; the source leaves it out. The recipe scope-a drops such rows.",
      "Means are over all rows of a step, and means of rows over the path's own rows; the source takes them in each micro-batch, and means of rows over the rows of both paths. With counts given, both kinds are divided by them.",
      "The source takes the reverse divergence over the teacher's most probable words, renormalised on both sides. Options direction and rest.",
      "The means are over tokens, as in the source's trainer; its README lets the weights of a path add up to 1 for each question.",
    ],
  },
  policyLoss: false,
  options: { ...aggregationOptions, ...divergenceOptions },
  needs: ["logprob", "candidates"],
  rowFields: ["advantages"],
  create: (options, own) => {
    const divergence = divergenceOf(own.id, options);
    const both = taughtObjective({
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
    const isTaught = (row: TrainRow): boolean => row.teacherCandidates !== undefined;
    return combine([
      { name: "teacher", weight: 1, objective: onlyRows(both, isTaught) },
      { name: "imitation", weight: 1, objective: onlyRows(both, (row) => !isTaught(row)) },
    ]);
  },
});
