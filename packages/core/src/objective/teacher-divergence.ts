/**
 * Divergence from a teacher's whole distribution, teacher first: L = sum over the vocabulary of q (log q - log p).
 *
 * The distribution-level form of OPID's teacher (methods.md 1.8 gives the sampled-token form). The learner takes the sum
 * in its graph; the loss is linear in it, so one pass gives loss and gradient. Only rows with a teacher take part.
 */
import { aggregationOptions } from "./aggregation.ts";
import { tokenObjective } from "./token-objective.ts";
import { defineObjective } from "./objective.ts";

export const teacherDivergence = defineObjective({
  id: "teacher-divergence",
  info: {
    title: "Forward divergence from a teacher, whole vocabulary",
    paper: "Hinton et al. 2015, arXiv 1503.02531; on-policy: arXiv 2306.13649",
    confidence: "code",
    source: "louieworth/trd @ 21116fbf; recipe/opd/kl_utils.py: compute_forward_kl_full_vocab",
    formula: ["L = sum over v of q(v) (log q(v) - log p(v)), q the teacher"],
    meaning:
      "Makes the policy believe what the teacher believes, at every token it wrote, also of the words it did not choose.",
    departures: ["OPID publishes the sampled-token form only; a prototype found this one steadier for small models."],
  },
  policyLoss: false,
  options: aggregationOptions,
  needs: ["divergence"],
  rowFields: [],
  create: (_options, own) =>
    tokenObjective({
      ...own,
      metrics: ["divergence"],
      includes: (row) => row.teacher !== undefined,
      taught: true,
      constantWeights: true,
      row:
        ({ live }, out) =>
        (token) => {
          out.value = live[token] as number;
          out.slope = 1;
          out.counts[0] = (out.counts[0] as number) + out.value;
        },
    }),
});
