/**
 * AOPD, asymmetric on-policy distillation. a = log teacher - log old of the sampled token, at most `most`:
 *
 *   a > 0:   L = -a exp(log p - log old)              reinforced, as in OPD
 *   a <= 0:  L = weight * Div(teacher, p)             pulled to the teacher instead of pushed down
 *
 * The divergence is over candidates, the teacher's most likely words; the sampled word need not be among them.
 */
import { option } from "limbeck-base/base/option";
import { aggregationOptions } from "./aggregation.ts";
import { divergenceOf, divergenceOptions } from "./divergences.ts";
import { ratioOf, ratioSlope } from "./ratio.ts";
import { taughtObjective, weighedDivergence } from "./taught-objective.ts";
import { defineObjective } from "./objective.ts";

export const aopd = defineObjective({
  id: "aopd",
  info: {
    title: "AOPD, asymmetric on-policy distillation",
    paper: "Asymmetric On-Policy Distillation, arXiv 2605.06387",
    confidence: "reading",
    source: "public notes that quote Eq. 1 and 10 of arXiv 2605.06387",
    formula: [
      "a = log teacher - log old; a > 0: L = -min(a, most) exp(log p - log old); else L = weight Div(teacher, p)",
    ],
    meaning: "Reinforces the tokens the teacher likes more, and at the others shows what the teacher would have said.",
    departures: [
      "Read in notes of others: the split at 0 and the divergence on the teacher's likeliest words. 20 of them and the limit of 5 are ours.",
    ],
  },
  policyLoss: false,
  options: {
    ...aggregationOptions,
    ...divergenceOptions,
    direction: { ...divergenceOptions.direction, default: "forward" },
    rest: { ...divergenceOptions.rest, default: "renormalise" },
    weight: option.number(1, "weight of the divergence", { least: 0 }),
    most: option.number(5, "largest positive shift of a token", { least: 0 }),
  },
  needs: ["logprob", "candidates"],
  rowFields: ["oldLogprobs"],
  create: (options, own) => {
    const divergence = divergenceOf(own.id, options);
    return taughtObjective({
      ...own,
      fields: ["oldLogprobs", "teacherLogprobs"],
      metrics: ["positive", "divergence"],
      includes: ({ teacherLogprobs, teacherCandidates }) =>
        teacherLogprobs !== undefined && teacherCandidates !== undefined,
      row:
        ({ live, words, fields: { oldLogprobs, teacherLogprobs } }, out) =>
        (token) => {
          const old = oldLogprobs[token] as number;
          const shift = Math.min((teacherLogprobs[token] as number) - old, options.most);
          if (shift > 0 || words === undefined) {
            const difference = (live[token] as number) - old;
            out.value = -shift * ratioOf(difference);
            out.slope = -shift * ratioSlope(difference);
            out.counts[0] = (out.counts[0] as number) + 1;
            return;
          }
          const value = weighedDivergence(divergence, words, token, options.weight);
          out.value = options.weight * value;
          out.counts[1] = (out.counts[1] as number) + value;
        },
    });
  },
});
