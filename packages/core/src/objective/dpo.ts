/**
 * Direct preference optimisation on steps and on trajectories.
 *
 *   m = beta ((log p - log reference of the better side) - (the same of the worse side))
 *   L = -(1 - e) log sigmoid(m) - e log sigmoid(-m), mean over comparisons; e is the label smoothing
 *
 * Rows of one `pair` are compared; a larger `rank` is better. On steps a side is one row. On trajectories a side is all
 * rows of the same rank, whose log-ratios are added up. More than two ranks give every better-worse comparison.
 */
import { option } from "limbeck-base/base/option";
import type { DeepTable, OptionValues } from "limbeck-base/base/option-table";
import type { Objective, TrainRow } from "limbeck-policy/policy/objective";
import { sigmoid, softplus } from "./ratio.ts";
import { badRow, statistic, tokenField, trainedPositions } from "./row-fields.ts";
import { defineObjective } from "./objective.ts";

const ID = "dpo";
const table = {
  beta: option.number(0.1, "how sharply the margin of the log-ratios decides", { above: 0 }),
  level: option.choice("step", ["step", "trajectory"], "a side is one row, or all rows of the same rank"),
  labelSmoothing: option.number(0, "chance that a comparison is wrong", { least: 0, most: 0.5 }),
  average: option.flag(false, "means over a side's tokens instead of sums, so that length does not decide"),
} as const satisfies DeepTable;

export const dpo = defineObjective({
  id: ID,
  info: {
    title: "Direct preference optimisation (DPO)",
    paper: "arXiv 2305.18290; label smoothing from its authors' note; summed over steps: GRAPE, arXiv 2411.19309",
    confidence: "code",
    source: "eric-mitchell/direct-preference-optimization @ f8b8c0f4; trainers.py: preference_loss",
    formula: ["L = -log sigmoid(beta (log-ratio of the better side - log-ratio of the worse side))"],
    meaning: "Prefers the better of two steps or trajectories, measured against a reference policy.",
    departures: [
      "Token weights of a row, where there are any, multiply its log-ratios; a mean still divides by the number of trained tokens. Published code has no weights.",
      "A row without trained tokens takes no part, and a pair left with one rank is refused; published code counts it with log-probability 0.",
      "The mean is over comparisons, so a pair with more ranks weighs more.",
      "On trajectories all rows of one rank in a pair are one side, also where they come from different episodes.",
      "Published code has no default beta (its examples use 0.1), can leave the reference out or take the square of IPO instead, and always sums over tokens; here the reference is always needed, there is no IPO, and average is an option.",
      "More than two ranks in a pair are compared in all better-worse combinations.",
    ],
  },
  policyLoss: false,
  options: table,
  needs: ["logprob"],
  rowFields: ["pair", "rank", "referenceLogprobs"],
  create: (options) => objective(options),
});

type DpoOptions = OptionValues<typeof table>;

/** One side of a comparison: its rows, and what they add up to. */
interface Side {
  readonly rank: number;
  readonly rows: number[];
  margin: number;
  tokens: number;
  /** d(loss)/d(margin), summed over the comparisons it takes part in. */
  slope: number;
}

function objective({ beta, level, labelSmoothing, average }: DpoOptions): Objective {
  return {
    needs: ["logprob"],
    compute: (live, _frozen, rows) => {
      const lives = statistic(ID, live, "logprob", rows);
      const trained = trainedPositions(ID, rows);
      const pairs = pairsOf(rows, trained, level);
      for (const side of pairs.flat()) measure(side, rows, lives, trained, average);
      const comparisons = pairs.flatMap((sides) =>
        sides.flatMap((better, at) => sides.slice(at + 1).map((worse) => [better, worse] as const)),
      );
      const share = comparisons.length === 0 ? 0 : 1 / comparisons.length;
      let [loss, accuracy, margin] = [0, 0, 0];
      for (const [better, worse] of comparisons) {
        const m = beta * (better.margin - worse.margin);
        loss += share * ((1 - labelSmoothing) * softplus(-m) + labelSmoothing * softplus(m));
        const slope = share * beta * (sigmoid(m) - (1 - labelSmoothing));
        better.slope += slope;
        worse.slope -= slope;
        accuracy += m > 0 ? share : 0;
        margin += share * m;
      }
      const weights = rows.map((row) => new Float64Array(row.ids.length));
      for (const side of pairs.flat()) spread(side, rows, trained, weights, average);
      return { loss, weights: { logprob: weights }, metrics: { pairs: comparisons.length, accuracy, margin } };
    },
  };
}

/** The sides of each pair, the best first. A row without trained tokens takes no part. */
function pairsOf(rows: readonly TrainRow[], trained: readonly Int32Array[], level: DpoOptions["level"]): Side[][] {
  const pairs = new Map<string, Map<number, Side>>();
  rows.forEach(({ pair, rank }, at) => {
    if (trained[at]?.length === 0) return;
    if (pair === undefined)
      throw badRow(at, "pair", `${ID}: row ${at} has no pair. Name the comparison it belongs to.`);
    if (rank === undefined || !Number.isFinite(rank)) {
      throw badRow(
        at,
        "rank",
        `${ID}: row ${at} of pair "${pair}" has rank ${rank}; give a number, larger for the better.`,
      );
    }
    const sides = pairs.get(pair) ?? new Map<number, Side>();
    pairs.set(pair, sides);
    const side = sides.get(rank);
    if (side === undefined) sides.set(rank, { rank, rows: [at], margin: 0, tokens: 0, slope: 0 });
    else if (level === "trajectory") side.rows.push(at);
    else {
      const both = `rows ${side.rows[0]} and ${at} of pair "${pair}" both have rank ${rank}`;
      throw badRow(at, "rank", `${ID}: ${both}; give them different ranks, or level "trajectory" to add them up.`);
    }
  });
  return [...pairs].map(([pair, sides]) => {
    const sorted = [...sides.values()].sort((left, right) => right.rank - left.rank);
    if (sorted.length > 1) return sorted;
    const at = sorted[0]?.rows[0] as number;
    throw badRow(at, "pair", `${ID}: pair "${pair}" (row ${at}) has one rank only; a comparison needs two.`);
  });
}

function measure(
  side: Side,
  rows: readonly TrainRow[],
  lives: readonly Float64Array[],
  trained: readonly Int32Array[],
  average: boolean,
): void {
  for (const at of side.rows) {
    const positions = trained[at] as Int32Array;
    const reference = tokenField(ID, rows, at, "referenceLogprobs", positions);
    const own = rows[at]?.weights === undefined ? undefined : tokenField(ID, rows, at, "weights", positions);
    for (const token of positions) {
      side.margin += (own?.[token] ?? 1) * ((lives[at]?.[token] as number) - (reference[token] as number));
    }
    side.tokens += positions.length;
  }
  if (average) side.margin /= side.tokens;
}

function spread(
  side: Side,
  rows: readonly TrainRow[],
  trained: readonly Int32Array[],
  weights: readonly Float64Array[],
  average: boolean,
): void {
  const slope = average ? side.slope / side.tokens : side.slope;
  for (const at of side.rows) {
    const target = weights[at] as Float64Array;
    for (const token of trained[at] as Int32Array) target[token] = slope * (rows[at]?.weights?.[token] ?? 1);
  }
}
