/**
 * Divergence from a teacher's whole distribution, teacher first: L = sum over the vocabulary of q (log q - log p).
 *
 * The distribution-level form of OPID's teacher (the sampled-token form is the credit method opid). The learner takes the sum
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
    departures: [
      "OPID publishes the sampled-token form only; a prototype found this one steadier for small models.",
      "Published code divides the logits of both sides by a temperature, without multiplying the loss by its square (0.7 in the configuration, 1 in the run scripts); here 1.",
      "Its configuration and one of five scripts of each set (forward_kl_clip) cap each token at 0.1, the other scripts at nothing; here there is no cap (candidate-divergence has one).",
      "By its configuration published code takes the sampled token, policy first; the whole vocabulary, teacher first, is what three of the five scripts set. Answers there are written once before training and read in one pass; here each update has its own.",
      "Published code reads prompt and answer as plain text, without a chat template and without an end of turn; here the end of turn is trained too.",
      "Token weights of a row, where there are any, multiply its divergences; published code has none.",
    ],
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
