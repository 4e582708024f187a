/**
 * HolderPO: one ratio for a response, the power mean of its tokens' ratios, with an exponent that is annealed.
 *
 * p = 1 is the arithmetic mean, p -> 0 GSPO's, p -> -infinity the smallest ratio.
 */
import { option } from "limbeck-base/base/option";
import { resolveOptions } from "limbeck-base/base/options";
import type { GivenOptions, OptionTable, OptionValues } from "limbeck-base/base/option-table";
import { countsOption, rowMean } from "./aggregation.ts";
import { clip, clipOptions, MOST_LOG_RATIO } from "./ratio.ts";
import { tokenObjective, type RowView } from "./token-objective.ts";
import { defineObjective, TWO_STEPS } from "./objective.ts";
import { refuseTokenWeights } from "./row-fields.ts";

const annealingOptions = {
  exponentStart: option.number(2, "exponent before the first update"),
  exponentEnd: option.number(-2, "exponent from the last update of the schedule on"),
  annealSteps: option.limit(null, "updates of the schedule; none: all of the training", { least: 1 }),
  annealing: option.choice("linear", ["constant", "linear", "sine", "cosine", "power"], "form of the schedule"),
  updates: { kind: "number", default: 500, least: 1, meaning: "updates of the training", automatic: true },
} as const satisfies OptionTable;

const GEOMETRIC = 1e-6;

/**
 * The exponent at a training step.
 *
 * @example
 * console.log(holderExponent(50, { exponentStart: 2, exponentEnd: 0, annealSteps: 100, annealing: "linear" })); // 1
 */
export function holderExponent(step: number, options: GivenOptions<typeof annealingOptions> = {}): number {
  return exponentAt(step, resolveOptions(annealingOptions, options, "holderpo"));
}

function exponentAt(step: number, options: OptionValues<typeof annealingOptions>): number {
  const { exponentStart, exponentEnd, annealSteps, updates, annealing } = options;
  const done = Math.min(Math.max(step, 0) / (annealSteps ?? updates), 1);
  const shares = {
    constant: 0,
    linear: done,
    sine: Math.sin((Math.PI / 2) * done),
    cosine: 0.5 * (1 - Math.cos(Math.PI * done)),
    power: done * done,
  } as const;
  return exponentStart + (exponentEnd - exponentStart) * shares[annealing];
}

export const holderpo = defineObjective({
  id: "holderpo",
  info: {
    title: "Hölder policy optimisation (HolderPO)",
    paper: "Hölder Policy Optimisation",
    confidence: "code",
    source:
      "YihangChen9/HolderPO @ 1d27a377; alfworld/verl/trainer/ppo/core_algos.py: compute_policy_loss_holder_seq, resolve_holder_p",
    formula: [
      "rho = (mean_t r_t^p)^(1/p); L = max(-A rho, -A clip(rho, 1 - clipLow, 1 + clipHigh)), mean over rows; p from exponentStart to exponentEnd",
    ],
    meaning: "Begins with a mean that listens to the boldest token and ends with one that listens to the most careful.",
    departures: [
      "Log-ratios are held within 20; published code holds none, and keeps the final ratio finite. Its clip fraction is that of rows beyond either bound; here clipFraction is that of the tokens of rows that lose their gradient.",
      "Update k of N has the exponent of k/N, from 2 to -2 over all updates of a training (until 20 November 2026 that of (k - 1)/N; measured figures are of that); the published script for mathematics does so over its first 500 and then stays at -2, the published configurations and the script for ALFWorld keep 1 throughout.",
      "Of the schedules, linear, cosine and power follow published code, where they are called linear_dec, cos and quad_dec (its power, 2 by default, is an option there); the form of sine is ours. Its rising and cubic ones are not here.",
      "The published token form clips each ratio on the side that its advantage asks for, and the mean no more; it is not here. Option tokenClip is the published sequence_w_clip.",
    ],
  },
  policyLoss: true,
  ratios: TWO_STEPS,
  options: {
    ...clipOptions,
    exponent: option.limit(null, "the exponent itself; none: by the schedule"),
    ...annealingOptions,
    step: {
      kind: "number",
      default: 0,
      least: 0,
      meaning: "update of the training, for the schedule",
      automatic: true,
    },
    tokenClip: option.limit(null, "holds each log-ratio within ln(1 + this) first; none: not", { least: 0 }),
    ...countsOption,
  },
  needs: ["logprob"],
  rowFields: ["advantages", "oldLogprobs"],
  create: (options, own) => {
    const { clipLow, clipHigh } = options;
    const exponent = options.exponent ?? exponentAt(options.step, options);
    const hold = options.tokenClip === null ? MOST_LOG_RATIO : Math.log(1 + options.tokenClip);
    return tokenObjective({
      ...own,
      options: rowMean(options),
      metrics: ["clipFraction", "exponent"],
      includes: (row, at) => refuseTokenWeights(own.id, row, at),
      row: (view, out) => {
        const { advantage, ratio, shareOf } = powerMean(view, exponent, hold);
        const free = -advantage * ratio;
        const bounded = -advantage * clip(ratio, 1 - clipLow, 1 + clipHigh);
        const slope = bounded > free ? 0 : free * view.trained.length;
        return (token) => {
          // The row's loss stands at every token, and the mean over tokens gives it back.
          out.value = Math.max(free, bounded);
          out.slope = slope * shareOf(token);
          out.counts[0] = (out.counts[0] as number) + Number(bounded > free);
          out.counts[1] = (out.counts[1] as number) + exponent;
        };
      },
    });
  },
});

/** The ratio, and d(ln rho) / d(log p_t): a token's share of the power sum, 0 where it is held. */
function powerMean(
  { live, trained, fields: { advantages, oldLogprobs } }: RowView<"advantages" | "oldLogprobs">,
  exponent: number,
  hold: number,
) {
  const count = trained.length;
  const difference = (token: number): number => (live[token] as number) - (oldLogprobs[token] as number);
  const held = (token: number): number => clip(difference(token), -hold, hold);
  let [advantage, most, mean] = [0, Number.NEGATIVE_INFINITY, 0];
  for (const token of trained) {
    advantage += (advantages[token] as number) / count;
    mean += held(token) / count;
    most = Math.max(most, exponent * held(token));
  }
  let sum = 0;
  for (const token of trained) sum += Math.exp(exponent * held(token) - most);
  const isGeometric = Math.abs(exponent) < GEOMETRIC;
  const logRatio = isGeometric ? mean : (most + Math.log(sum / count)) / exponent;
  const shareOf = (token: number): number => {
    if (Math.abs(difference(token)) > hold) return 0;
    return isGeometric ? 1 / count : Math.exp(exponent * held(token) - most) / sum;
  };
  return { advantage, ratio: Math.exp(logRatio), shareOf };
}
