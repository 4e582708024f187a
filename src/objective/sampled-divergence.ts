/**
 * Divergence from a teacher by the sampled token alone (methods.md 4, 4.8): L = estimator(log p - log teacher). It needs
 * nothing of the teacher but its opinion of what was said. The estimators are those of the divergence from a reference.
 */
import { AGGREGATION_DEFAULTS, type AggregationOptions } from "./aggregation.ts";
import { checkKlEstimator, isStraightThrough, klSlope, klValue, type KlEstimator } from "./kl-estimators.ts";
import { tokenObjective } from "./token-objective.ts";
import { badOption, withDefaults, type ObjectiveMethod } from "./train.ts";

export interface SampledDivergenceOptions extends AggregationOptions {
  readonly estimator: KlEstimator;
  /** Most that one token can count; null: no limit. */
  readonly clamp: number | null;
}

const ID = "sampled-divergence";
const DEFAULTS: SampledDivergenceOptions = { ...AGGREGATION_DEFAULTS, estimator: "k3", clamp: null };

export const sampledDivergence: ObjectiveMethod<SampledDivergenceOptions> = {
  info: {
    title: "Divergence from a teacher, sampled token",
    paper: "Schulman 2020, approximating KL divergence; with a teacher: TRD, published code",
    confidence: "code",
    formula: "k = log p - log teacher; k1 = k, abs = |k|, k2 = k^2 / 2, k3 = exp(-k) + k - 1",
    meaning: "Pulls the policy to the teacher by what the teacher thinks of the tokens that were written.",
    departures: ["On text that the policy did not sample itself the estimators are biased; a full form is not."],
    defaults: { ...DEFAULTS },
  },
  needs: ["logprob"],
  rowFields: [],
  create: (given) => {
    const options = withDefaults(ID, DEFAULTS, given);
    const { estimator, clamp } = options;
    checkKlEstimator(ID, estimator);
    if (isStraightThrough(estimator)) throw badOption(ID, "estimator", estimator, 'one of them without "+"');
    if (clamp !== null && !(clamp > 0)) throw badOption(ID, "clamp", clamp, "above 0, or null for none");
    const most = clamp ?? Number.POSITIVE_INFINITY;
    return tokenObjective({
      id: ID,
      statistic: "logprob",
      fields: ["teacherLogprobs"],
      options,
      metrics: ["divergence"],
      includes: (row) => row.teacherLogprobs !== undefined,
      taught: true,
      row: ({ live, fields: { teacherLogprobs } }, out) => {
        return (token) => {
          const k = (live[token] as number) - (teacherLogprobs[token] as number);
          const value = klValue(estimator, k);
          out.value = Math.min(value, most);
          out.slope = value > most ? 0 : klSlope(estimator, k);
          out.counts[0] = (out.counts[0] as number) + out.value;
        };
      },
    });
  },
};
