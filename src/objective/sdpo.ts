/**
 * SDPO's distillation loss (methods.md 4.3). The teacher has read feedback; with p the policy now and q the teacher:
 *
 *   sampled:                 L = stopped(log p - log q) log p        of the sampled token
 *   forward, reverse, jsd:   L = the divergence of the candidates
 *   both times min(exp(log p - log old), cap), without gradient
 *
 * Mean over the tokens of a row, then over rows. Rows without a teacher take no part.
 */
import { AGGREGATION_DEFAULTS, type AggregationOptions } from "./aggregation.ts";
import { checkDivergence, DIVERGENCE_DEFAULTS, divergenceOf, type DivergenceOptions } from "./divergences.ts";
import { ratioOf } from "./ratio.ts";
import { taughtObjective } from "./taught-objective.ts";
import { badOption, checkNumber, withDefaults, type ObjectiveMethod } from "./train.ts";

export interface SdpoOptions extends AggregationOptions, Omit<DivergenceOptions, "direction"> {
  readonly form: "sampled" | "forward" | "reverse" | "jsd";
  /** Largest importance of a token whose probability has risen since it was sampled. */
  readonly cap: number;
}

const ID = "sdpo";
const FORMS = ["sampled", "forward", "reverse", "jsd"] as const;
const { direction: _direction, ...DIVERGENCE } = DIVERGENCE_DEFAULTS;
const DEFAULTS: SdpoOptions = {
  ...AGGREGATION_DEFAULTS,
  aggregation: "seq-mean-token-mean",
  ...DIVERGENCE,
  form: "sampled",
  cap: 2,
};

export const sdpo: ObjectiveMethod<SdpoOptions> = {
  info: {
    title: "SDPO, distillation from a teacher that has read feedback",
    paper: "SDPO: Self-Distillation Policy Optimization, published code",
    confidence: "code",
    formula:
      "L = min(exp(log p - log old), cap) * D; sampled: D = stopped(log p - log q) log p; else the divergence of the candidates",
    meaning: "Makes the policy say without the feedback what it would say after reading it.",
    departures: [],
    defaults: { ...DEFAULTS },
  },
  needs: ["logprob"],
  rowFields: ["oldLogprobs"],
  create: (given) => {
    const options = withDefaults(ID, DEFAULTS, given);
    const { form, cap } = options;
    if (!FORMS.includes(form)) throw badOption(ID, "form", form, FORMS.join(" or "));
    checkNumber(ID, "cap", cap, 0);
    const sampled = form === "sampled";
    const choice = { ...options, direction: sampled ? ("reverse" as const) : form };
    checkDivergence(ID, choice);
    const divergence = divergenceOf(choice);
    return taughtObjective({
      id: ID,
      needs: sampled ? ["logprob"] : ["logprob", "candidates"],
      fields: ["oldLogprobs", "teacherLogprobs"],
      options,
      metrics: ["gap", "importance"],
      includes: ({ teacherLogprobs, teacherCandidates }) =>
        teacherLogprobs !== undefined && (sampled || teacherCandidates !== undefined),
      row: ({ live, frozen, words, fields: { oldLogprobs, teacherLogprobs } }, out) => {
        return (token) => {
          const now = frozen[token] as number;
          const gap = now - (teacherLogprobs[token] as number);
          const importance = Math.min(ratioOf(now - (oldLogprobs[token] as number)), cap);
          if (sampled || words === undefined) {
            out.value = importance * gap * (live[token] as number);
            out.slope = importance * gap;
          } else {
            const [from, to] = [token * words.count, (token + 1) * words.count];
            out.value = importance * divergence(words.now, words.teacher, words.slopes, from, to);
            for (let at = from; at < to; at += 1) words.slopes[at] = importance * (words.slopes[at] as number);
          }
          out.counts[0] = (out.counts[0] as number) + gap;
          out.counts[1] = (out.counts[1] as number) + importance;
        };
      },
    });
  },
};
