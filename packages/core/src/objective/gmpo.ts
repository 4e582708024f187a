/**
 * GMPO: the geometric mean of token ratios, each clipped in log space on the side that its advantage pushes to.
 *
 *   k_t = sgn min(sgn d_t, sgn clip(d_t, -low, high)), d = new - old, sgn = sign(mean A)
 *   L = -mean(A) exp(mean k), averaged over rows
 *
 * methods.md 2.10. The loss belongs to the row, so weights of single tokens have no meaning here.
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
    departures: ["Log-ratios are held within 20, so that stale rows stay finite."],
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
