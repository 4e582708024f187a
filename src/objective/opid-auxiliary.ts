/**
 * OPID's auxiliary distillation loss, off in every published run (methods.md 1.11). delta = log teacher - log old.
 *
 *   delta mode:       L = -clip(delta) log p
 *   importance mode:  L = -clip(delta exp(log p - log old))
 *
 * Only rows with a teacher take part. The coefficient is the weight it is combined with.
 */
import { AGGREGATION_DEFAULTS, type AggregationOptions } from "./aggregation.ts";
import { clip, ratioOf, ratioSlope } from "./ratio.ts";
import { tokenObjective } from "./token-objective.ts";
import { badOption, withDefaults, type ObjectiveMethod } from "./train.ts";

export interface OpidAuxiliaryOptions extends AggregationOptions {
  readonly mode: "delta" | "importance";
  /** Bound of the signal on both sides; null: none. */
  readonly clip: number | null;
}

const ID = "opid-auxiliary";
const DEFAULTS: OpidAuxiliaryOptions = { ...AGGREGATION_DEFAULTS, mode: "delta", clip: null };

export const opidAuxiliary: ObjectiveMethod<OpidAuxiliaryOptions> = {
  info: {
    title: "OPID auxiliary distillation loss",
    paper: "OPID, published code",
    confidence: "code",
    formula: "delta = log teacher - log old; L = -clip(delta) log p, or L = -clip(delta exp(log p - log old))",
    meaning: "Pulls the tokens that a skilled teacher likes more, beside the policy loss.",
    departures: ["The step teacher replaces the episode teacher where both exist: the row carries one teacher."],
    defaults: { ...DEFAULTS },
  },
  needs: ["logprob"],
  rowFields: ["oldLogprobs"],
  create: (given) => {
    const options = withDefaults(ID, DEFAULTS, given);
    const { mode, clip: range } = options;
    if (mode !== "delta" && mode !== "importance") throw badOption(ID, "mode", mode, '"delta" or "importance"');
    if (range !== null && !(range > 0)) throw badOption(ID, "clip", range, "above 0, or null for none");
    const most = range ?? Number.POSITIVE_INFINITY;
    return tokenObjective({
      id: ID,
      statistic: "logprob",
      fields: ["oldLogprobs", "teacherLogprobs"],
      options,
      metrics: ["teacherShift"],
      includes: (row) => row.teacherLogprobs !== undefined,
      constantWeights: mode === "delta",
      row: ({ live, fields: { oldLogprobs, teacherLogprobs } }, out) => {
        return (token) => {
          const now = live[token] as number;
          const old = oldLogprobs[token] as number;
          const delta = (teacherLogprobs[token] as number) - old;
          const signal = mode === "delta" ? delta : delta * ratioOf(now - old);
          const bounded = clip(signal, -most, most);
          out.value = mode === "delta" ? -bounded * now : -bounded;
          out.slope = mode === "delta" ? -bounded : bounded === signal ? -delta * ratioSlope(now - old) : 0;
          out.counts[0] = (out.counts[0] as number) + delta;
        };
      },
    });
  },
};
