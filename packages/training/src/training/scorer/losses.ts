/**
 * Losses of a head that foretells a label, as plain arithmetic on its output z.
 *
 *   bce:   log(1 + exp(z)) - y z;   mse: (sigmoid(z) - y)^2;   pairs: log(1 + exp(z_worse - z_better)), Bradley and Terry
 *
 * Every row counts once, however many places it has.
 */
import { groupedBy } from "limbeck-base/base/grouped-by";
import { sum } from "limbeck-base/base/statistics/summary";
import { sigmoid, softplus } from "limbeck-core/objective/ratio";
import type { Objective, TrainRow } from "limbeck-policy/policy/objective";

export { sigmoid, softplus } from "limbeck-core/objective/ratio";

export const LOSSES = ["bce", "mse", "pairs"] as const;
export type ScorerLoss = (typeof LOSSES)[number];

/** Loss and slope at one place. */
const PLACE = {
  bce: (z: number, y: number) => [softplus(z) - y * z, sigmoid(z) - y] as const,
  mse: (z: number, y: number) => {
    const p = sigmoid(z);
    return [(p - y) ** 2, 2 * (p - y) * p * (1 - p)] as const;
  },
} as const;

export function scorerObjective(loss: ScorerLoss): Objective {
  return {
    needs: ["quality"],
    compute: ({ quality = [] }, _frozen, rows) => {
      const weights = rows.map(({ ids }) => new Float64Array(ids.length));
      const total = loss === "pairs" ? ofPairs(quality, rows, weights) : ofPlaces(PLACE[loss], quality, rows, weights);
      return { loss: total, weights: { quality: weights } };
    },
  };
}

function ofPlaces(
  place: (z: number, y: number) => readonly [number, number],
  quality: readonly Float64Array[],
  rows: readonly TrainRow[],
  weights: readonly Float64Array[],
): number {
  let total = 0;
  for (const [row, { mask, returns }] of rows.entries()) {
    const share = 1 / (rows.length * Math.max(1, sum(mask)));
    for (const [at, isPlace] of mask.entries()) {
      if (isPlace === 0) continue;
      const [loss, slope] = place(quality[row]?.[at] as number, returns?.[at] as number);
      total += share * loss;
      (weights[row] as Float64Array)[at] = share * slope;
    }
  }
  return total;
}

/** Compared at the end of the episodes. */
function ofPairs(
  quality: readonly Float64Array[],
  rows: readonly TrainRow[],
  weights: readonly Float64Array[],
): number {
  const pairs = [...groupedBy(rows.keys(), (row) => rows[row]?.pair).values()].filter(({ length }) => length === 2);
  let total = 0;
  for (const pair of pairs) {
    const [better, worse] = pair.toSorted((left, right) => (rows[right]?.rank ?? 0) - (rows[left]?.rank ?? 0)) as [
      number,
      number,
    ];
    const [up, down] = [better, worse].map((row) => rows[row]?.mask.lastIndexOf(1) ?? 0) as [number, number];
    const difference = (quality[better]?.[up] as number) - (quality[worse]?.[down] as number);
    const slope = sigmoid(-difference) / pairs.length;
    total += softplus(-difference) / pairs.length;
    (weights[better] as Float64Array)[up] = -slope;
    (weights[worse] as Float64Array)[down] = slope;
  }
  return total;
}
