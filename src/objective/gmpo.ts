/**
 * GMPO: the geometric mean of token ratios, each clipped in log space on the side that its advantage pushes to.
 *
 *   k_t = sgn min(sgn d_t, sgn clip(d_t, -low, high)), d = new - old, sgn = sign(mean A)
 *   L = -mean(A) exp(mean k), averaged over rows
 *
 * methods.md 2.10. The loss belongs to the row, so weights of single tokens have no meaning here.
 */
import { AGGREGATION_DEFAULTS, type AggregationOptions } from "./aggregation.ts";
import { checkClips, clip, MOST_LOG_RATIO, type ClipOptions } from "./ratio.ts";
import { refuseTokenWeights } from "./row-loss.ts";
import { tokenObjective, type RowView } from "./token-objective.ts";
import { withDefaults, type ObjectiveMethod } from "./train.ts";

/** Clips are in log space. `counts` is that of 2.13. */
export type GmpoOptions = ClipOptions & Pick<AggregationOptions, "counts">;

const ID = "gmpo";
const DEFAULTS: GmpoOptions = { clipLow: 0.4, clipHigh: 0.4, counts: null };

export const gmpo: ObjectiveMethod<GmpoOptions> = {
  info: {
    title: "Geometric-mean policy optimisation (GMPO)",
    paper: "arXiv 2507.20673",
    confidence: "code",
    formula: "L = -mean(A) exp(mean_t k_t), k_t = the log-ratio, clipped on the side the advantage pushes to",
    meaning: "Weighs a response by the geometric mean of its clipped token ratios, so that outliers count little.",
    departures: ["Log-ratios are held within 20, so that stale rows stay finite."],
    defaults: { ...DEFAULTS },
  },
  needs: ["logprob"],
  rowFields: ["advantages", "oldLogprobs"],
  create: (given) => {
    const options = withDefaults(ID, DEFAULTS, given);
    checkClips(ID, options);
    const shared: AggregationOptions = {
      ...AGGREGATION_DEFAULTS,
      aggregation: "seq-mean-token-mean",
      counts: options.counts,
    };
    return tokenObjective({
      id: ID,
      statistic: "logprob",
      fields: ["advantages", "oldLogprobs"],
      options: shared,
      metrics: ["clipFraction"],
      includes: (row, at) => refuseTokenWeights(ID, row, at),
      row: (view, out) => {
        const { advantage, ratio, isClipped } = rowRatio(view, options);
        return (token) => {
          // The row's loss stands at every token, and the mean over tokens gives it back.
          out.value = -advantage * ratio;
          out.slope = isClipped(token) ? 0 : out.value;
          out.counts[0] = (out.counts[0] as number) + Number(isClipped(token));
        };
      },
    });
  },
};

function rowRatio(
  { live, trained, fields }: RowView<"advantages" | "oldLogprobs">,
  { clipLow, clipHigh }: ClipOptions,
) {
  let advantage = 0;
  for (const token of trained) advantage += (fields.advantages[token] as number) / trained.length;
  const low = advantage < 0 ? -clipLow : -MOST_LOG_RATIO;
  const high = advantage < 0 ? MOST_LOG_RATIO : clipHigh;
  const difference = (token: number): number => (live[token] as number) - (fields.oldLogprobs[token] as number);
  let sum = 0;
  for (const token of trained) sum += clip(difference(token), low, high);
  const isClipped = (token: number): boolean => difference(token) < low || difference(token) > high;
  return { advantage, ratio: Math.exp(sum / trained.length), isClipped };
}
