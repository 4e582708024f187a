/**
 * GMPO: the geometric mean of token ratios, each clipped in log space on the side that its advantage pushes to.
 *
 *   k_t = sgn min(sgn d_t, sgn clip(d_t, -low, high)), d = new - old, sgn = sign(mean A)
 *   L = -mean(A) exp(mean k), averaged over rows
 *
 * The loss belongs to the row, so weights of single tokens have no meaning here.
 */
import { option } from "limbeck-base/base/option";
import { countsOption, rowMean } from "./aggregation.ts";
import { clip, MOST_LOG_RATIO } from "./ratio.ts";
import { refuseTokenWeights } from "./row-fields.ts";
import { tokenObjective, type RowView } from "./token-objective.ts";
import { defineObjective, TWO_STEPS } from "./objective.ts";

export const gmpo = defineObjective({
  id: "gmpo",
  info: {
    title: "Geometric-mean policy optimisation (GMPO)",
    paper: "arXiv 2507.20673",
    confidence: "code",
    source: "volcengine/verl @ b178a3cd; verl/trainer/ppo/core_algos.py: compute_policy_loss_geo_mean",
    formula: ["L = -mean(A) exp(mean_t k_t), k_t = the log-ratio, clipped on the side the advantage pushes to"],
    meaning: "Weighs a response by the geometric mean of its clipped token ratios, so that outliers count little.",
    departures: [
      "The clip of 0.4 is that of the published scripts; the published configuration has 0.2.",
      "Published code clips each token on the side of its own advantage; here all tokens of a row are clipped on the side of the row's mean advantage. Where a row has one advantage they are the same. The metric clipFraction counts tokens clipped on that side; published code counts those beyond either bound, apart for A above and below 0.",
      "Published code divides by all rows of a micro-batch, those without a trained token too; here by the rows that have any.",
      "Log-ratios are held within 20, so that stale rows stay finite; published code leaves that bound out.",
      "Published code multiplies a row's loss by the geometric mean of its rollout corrections; here the loss takes no rollout correction.",
    ],
  },
  policyLoss: true,
  ratios: TWO_STEPS,
  options: {
    clipLow: option.number(0.4, "how far a log-ratio may fall below 0", { least: 0 }),
    clipHigh: option.number(0.4, "how far a log-ratio may rise above 0", { least: 0 }),
    ...countsOption,
  },
  needs: ["logprob"],
  rowFields: ["advantages", "oldLogprobs"],
  create: (options, own) =>
    tokenObjective({
      ...own,
      options: rowMean(options),
      metrics: ["clipFraction"],
      includes: (row, at) => refuseTokenWeights(own.id, row, at),
      row: (view, out) => {
        const { advantage, ratio, isClipped } = rowRatio(view, options);
        return (token) => {
          // The row's loss stands at every token, and the mean over tokens gives it back.
          out.value = -advantage * ratio;
          out.slope = isClipped(token) ? 0 : out.value;
          out.counts[0] = (out.counts[0] as number) + Number(isClipped(token));
        };
      },
    }),
});

function rowRatio(
  { live, trained, fields }: RowView<"advantages" | "oldLogprobs">,
  { clipLow, clipHigh }: { readonly clipLow: number; readonly clipHigh: number },
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
