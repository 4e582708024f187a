/**
 * HolderPO: one ratio for a response, the power mean of its tokens' ratios, with an exponent that is annealed.
 *
 *   rho = (mean of r_t^p)^(1 / p);  p near 0: the geometric mean;  L = max(-A rho, -A clip(rho, 1 - low, 1 + high))
 *
 * methods.md 3.12. p = 1 is the arithmetic mean, p -> 0 GSPO's, p -> -infinity the smallest ratio.
 */
import { AGGREGATION_DEFAULTS, type AggregationOptions } from "./aggregation.ts";
import { checkClips, clip, MOST_LOG_RATIO, type ClipOptions } from "./ratio.ts";
import { tokenObjective, type RowView } from "./token-objective.ts";
import { badOption, checkNumber, withDefaults, type ObjectiveMethod } from "./train.ts";
import { refuseTokenWeights } from "./row-loss.ts";

const SHAPES = ["constant", "linear", "sine", "cosine", "power"] as const;

export interface HolderAnnealing {
  /** Exponent at the first step and from the last on. */
  readonly exponentStart: number;
  readonly exponentEnd: number;
  readonly annealSteps: number;
  readonly annealing: (typeof SHAPES)[number];
}

export interface HolderpoOptions extends ClipOptions, HolderAnnealing, Pick<AggregationOptions, "counts"> {
  /** The exponent itself; null: by the schedule. */
  readonly exponent: number | null;
  /** Training step, for the schedule. */
  readonly step: number;
  /** Holds each log-ratio within ln(1 + this) first; null: not. */
  readonly tokenClip: number | null;
}

const ID = "holderpo";
const GEOMETRIC = 1e-6;
const DEFAULTS: HolderpoOptions = {
  clipLow: 0.2,
  clipHigh: 0.2,
  exponent: null,
  exponentStart: 2,
  exponentEnd: -2,
  annealSteps: 500,
  annealing: "linear",
  step: 0,
  tokenClip: null,
  counts: null,
};

/** The exponent at a training step. */
export function holderExponent(step: number, options: Partial<HolderAnnealing> = {}): number {
  const { exponentStart, exponentEnd, annealSteps, annealing } = { ...DEFAULTS, ...options };
  const done = Math.min(Math.max(step, 0) / annealSteps, 1);
  const shares = {
    constant: 0,
    linear: done,
    sine: Math.sin((Math.PI / 2) * done),
    cosine: 0.5 * (1 - Math.cos(Math.PI * done)),
    power: done * done,
  } as const;
  return exponentStart + (exponentEnd - exponentStart) * shares[annealing];
}

export const holderpo: ObjectiveMethod<HolderpoOptions> = {
  info: {
    title: "Hölder policy optimisation (HolderPO)",
    paper: "Hölder Policy Optimisation",
    confidence: "code",
    formula:
      "rho = (mean_t r_t^p)^(1/p); L = max(-A rho, -A clip(rho, 1 - clipLow, 1 + clipHigh)), mean over rows; p from exponentStart to exponentEnd",
    meaning: "Begins with a mean that listens to the boldest token and ends with one that listens to the most careful.",
    departures: [
      "Log-ratios are held within 20. The power mean is taken by log-sum-exp, so that large exponents stay finite.",
      "Of the schedules, linear, cosine and power follow published code, where they are called linear_dec, cos and quad_dec; the form of sine is ours.",
    ],
    defaults: { ...DEFAULTS },
  },
  needs: ["logprob"],
  rowFields: ["advantages", "oldLogprobs"],
  create: (given) => {
    const options = withDefaults(ID, DEFAULTS, given);
    check(options);
    const { clipLow, clipHigh } = options;
    const exponent = options.exponent ?? holderExponent(options.step, options);
    const hold = options.tokenClip === null ? MOST_LOG_RATIO : Math.log(1 + options.tokenClip);
    return tokenObjective({
      id: ID,
      statistic: "logprob",
      fields: ["advantages", "oldLogprobs"],
      options: { ...AGGREGATION_DEFAULTS, aggregation: "seq-mean-token-mean", counts: options.counts },
      metrics: ["clipFraction"],
      includes: (row, at) => refuseTokenWeights(ID, row, at),
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
        };
      },
    });
  },
};

function check(options: HolderpoOptions): void {
  checkClips(ID, options);
  checkNumber(ID, "annealSteps", options.annealSteps, 1);
  checkNumber(ID, "step", options.step, 0);
  if (!SHAPES.includes(options.annealing)) throw badOption(ID, "annealing", options.annealing, SHAPES.join(", "));
  for (const name of ["exponentStart", "exponentEnd"] as const) {
    if (!Number.isFinite(options[name])) throw badOption(ID, name, options[name], "a finite number");
  }
  if (options.exponent !== null && !Number.isFinite(options.exponent)) {
    throw badOption(ID, "exponent", options.exponent, "a finite number, or null for the schedule");
  }
  if (options.tokenClip !== null) checkNumber(ID, "tokenClip", options.tokenClip, 0);
}

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
