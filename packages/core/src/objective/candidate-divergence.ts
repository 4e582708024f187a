/**
 * Divergence from a teacher on chosen candidates: forward, reverse, in between, or the cross-entropy of the teacher's
 * likely words (`divergences.ts` has the formulas). By default what the candidates leave over counts as one more outcome,
 * so that it is a true divergence (0 only where both agree on every candidate). Candidates may be the teacher's most likely
 * words, the policy's, or the whole vocabulary; then nothing is left over.
 */
import { aggregationOptions } from "./aggregation.ts";
import { divergenceOf, divergenceOptions } from "./divergences.ts";
import { taughtObjective } from "./taught-objective.ts";
import { defineObjective } from "./objective.ts";

export const candidateDivergence = defineObjective({
  id: "candidate-divergence",
  info: {
    title: "Divergence from a teacher on candidates",
    paper: "arXiv 2306.13649 (generalised knowledge distillation), directions as there",
    confidence: "code",
    source: "lasgroup/SDPO @ 0e6d5106; verl/trainer/ppo/core_algos.py: compute_self_distillation_loss",
    formula: [
      "forward: KL(q || p), reverse: KL(p || q), jsd: b KL(q || m) + (1 - b) KL(p || m) with m = (1 - b) p + b q, cross-entropy: -sum q' log p; over the candidates, and the rest as one outcome or both sides renormalised",
    ],
    meaning: "Makes the policy believe what the teacher believes of its most likely words.",
    departures: [
      "The rest is one outcome of its own by default, as in the code of SDPO; code of TRD and SDFT renormalises, other forms leave it out.",
      "Candidates of that code are the policy's likeliest words, 100 by default (20 in its run with rich feedback), chosen anew at each step; here the caller says whose they are, and how many, before the first step.",
      "The direction is the middle one by default there (alpha 0.5, here beta) and reverse in its run with rich feedback; reverse by default here.",
      "There the rest is at least 1e-7 and always counts; here a rest of at most 1e-6 on both sides is left out.",
      "That code multiplies every token by an importance (objective sdpo); here there is none. Cross-entropy, temperature and clamp are from other code (SDFT; Hinton et al.; TRD and PW-OPSD); a temperature T multiplies the divergence by its square here, which code of OPSD and TRD leaves out.",
    ],
  },
  policyLoss: false,
  options: { ...aggregationOptions, ...divergenceOptions },
  needs: ["candidates"],
  rowFields: [],
  create: (options, own) => {
    const divergence = divergenceOf(own.id, options);
    return taughtObjective({
      ...own,
      metrics: ["divergence"],
      isDivergence: options.direction !== "cross-entropy",
      includes: ({ teacherCandidates }) => teacherCandidates !== undefined,
      // Only the teacher stands in the slopes of a cross-entropy: one pass of the learner is enough.
      constantWeights: options.direction === "cross-entropy" && options.clamp === null,
      row:
        ({ words }, out) =>
        (token) => {
          if (words === undefined) return;
          const { now, teacher, slopes, count } = words;
          out.value = divergence(now, teacher, slopes, token * count, (token + 1) * count);
          out.counts[0] = (out.counts[0] as number) + out.value;
        },
    });
  },
});
