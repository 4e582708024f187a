/**
 * OPID's auxiliary distillation loss, off in every published run. delta = log teacher - log old.
 *
 * Only tokens that a teacher has scored take part. The coefficient is the weight it is combined with.
 */
import { option } from "limbeck-base/base/option";
import { aggregationOptions } from "./aggregation.ts";
import { clip, ratioOf, ratioSlope } from "./ratio.ts";
import { tokenObjective } from "./token-objective.ts";
import { defineObjective } from "./objective.ts";

export const opidAuxiliary = defineObjective({
  id: "opid-auxiliary",
  info: {
    title: "OPID auxiliary distillation loss",
    paper: "OPID, published code",
    confidence: "code",
    source: "jinyangwu/OPID @ 37a15a5f; verl/trainer/ppo/core_algos.py: compute_opd_loss",
    formula: ["delta = log teacher - log old; L = -clip(delta) log p, or L = -clip(delta exp(log p - log old))"],
    meaning: "Pulls the tokens that a skilled teacher likes more, beside the policy loss.",
    departures: [
      "The step teacher replaces the episode teacher where both exist, as in published code.",
      "Published code leaves the ratio of mode importance unbounded; here its logarithm is held within 20.",
      "Means of rows leave out rows without a teacher here; published code counts them, and divides 0 by 0 for them in seq-mean-token-mean.",
    ],
  },
  policyLoss: false,
  options: {
    ...aggregationOptions,
    mode: option.choice(
      "delta",
      ["delta", "importance"],
      "whether the signal is the shift itself, or the shift times the ratio to the old policy",
    ),
    clip: option.limit(null, "bound of the signal on both sides", { above: 0 }),
  },
  needs: ["logprob"],
  rowFields: ["oldLogprobs"],
  create: ({ mode, clip: range }, own) => {
    const most = range ?? Number.POSITIVE_INFINITY;
    return tokenObjective({
      ...own,
      fields: ["oldLogprobs", "teacherLogprobs"],
      metrics: ["teacherShift"],
      includes: (row) => row.teacherLogprobs !== undefined,
      taught: true,
      constantWeights: mode === "delta",
      row:
        ({ live, fields: { oldLogprobs, teacherLogprobs } }, out) =>
        (token) => {
          const now = live[token] as number;
          const old = oldLogprobs[token] as number;
          const delta = (teacherLogprobs[token] as number) - old;
          const signal = mode === "delta" ? delta : delta * ratioOf(now - old);
          const bounded = clip(signal, -most, most);
          out.value = mode === "delta" ? -bounded * now : -bounded;
          out.slope = mode === "delta" ? -bounded : bounded === signal ? -delta * ratioSlope(now - old) : 0;
          out.counts[0] = (out.counts[0] as number) + delta;
        },
    });
  },
});
