/**
 * SDPO's distillation loss. The teacher has read feedback; with p the policy now and q the teacher:
 *
 *   sampled:                 L = stopped(log p - log q) log p        of the sampled token
 *   forward, reverse, jsd:   L = the divergence of the candidates
 *   both times min(exp(log p - log old), cap), without gradient
 *
 * Mean over the tokens of a row, then over rows. Rows without a teacher take no part.
 */
import { option } from "limbeck-base/base/option";
import { rowMeanOptions } from "./aggregation.ts";
import { divergenceFormOptions, divergenceOf } from "./divergences.ts";
import { ratioOf } from "./ratio.ts";
import { taughtObjective, weighedDivergence } from "./taught-objective.ts";
import { defineObjective } from "./objective.ts";

export const sdpo = defineObjective({
  id: "sdpo",
  info: {
    title: "SDPO, distillation from a teacher that has read feedback",
    paper: "SDPO: Self-Distillation Policy Optimization, published code",
    confidence: "code",
    source: "lasgroup/SDPO @ 0e6d5106; verl/trainer/ppo/core_algos.py: compute_self_distillation_loss",
    formula: [
      "L = min(exp(log p - log old), cap) * D; sampled: D = stopped(log p - log q) log p; else the divergence of the candidates",
    ],
    meaning: "Makes the policy say without the feedback what it would say after reading it.",
    departures: [
      "By default the sampled token is compared (form sampled). Published configuration compares the policy's 100 likeliest words and the rest as one outcome more, in the middle direction (alpha 0.5): form jsd. They are the policy's in every direction there; here the caller chooses. The class without that file has the forward direction over all words, and no importance.",
      "Means are of rows by default. The published setting is the mean over all tokens (option aggregation), but taken in micro-batches of one answer, so in effect it is of rows too; an answer without a teacher counts 0 in it (half of them so: half the loss), and is in no mean here.",
      "Published code also multiplies each token by its ratio of the trainer's to the sampler's probability, at most 2 (rollout correction); here one model does both. There the importance can be left out (is_clip null); here it cannot, a large cap only leaves it unbounded (up to exp(20)).",
      "With one step an update published code takes the policy now as the old one, so the importance is 1; here it is the ratio to the log-probabilities at sampling.",
      "The rest is at least 1e-7 there and always counts; here a rest of at most 1e-6 on both sides is left out.",
    ],
  },
  policyLoss: false,
  options: {
    ...rowMeanOptions,
    ...divergenceFormOptions,
    form: option.choice(
      "sampled",
      ["sampled", "forward", "reverse", "jsd"],
      "what is compared: the sampled token, or the candidates in this direction",
    ),
    cap: option.number(2, "largest importance of a token whose probability has risen since it was sampled", {
      least: 0,
    }),
  },
  needs: ["logprob"],
  rowFields: ["oldLogprobs"],
  create: (options, own) => {
    const { form, cap } = options;
    const sampled = form === "sampled";
    const divergence = divergenceOf(own.id, { ...options, direction: sampled ? "reverse" : form });
    return taughtObjective({
      ...own,
      needs: sampled ? ["logprob"] : ["logprob", "candidates"],
      fields: ["oldLogprobs", "teacherLogprobs"],
      metrics: ["gap", "importance"],
      includes: ({ teacherLogprobs, teacherCandidates }) =>
        teacherLogprobs !== undefined && (sampled || teacherCandidates !== undefined),
      row:
        ({ live, frozen, words, fields: { oldLogprobs, teacherLogprobs } }, out) =>
        (token) => {
          const now = frozen[token] as number;
          const gap = now - (teacherLogprobs[token] as number);
          const importance = Math.min(ratioOf(now - (oldLogprobs[token] as number)), cap);
          if (sampled || words === undefined) {
            out.value = importance * gap * (live[token] as number);
            out.slope = importance * gap;
          } else {
            out.value = importance * weighedDivergence(divergence, words, token, importance);
          }
          out.counts[0] = (out.counts[0] as number) + gap;
          out.counts[1] = (out.counts[1] as number) + importance;
        },
    });
  },
});
