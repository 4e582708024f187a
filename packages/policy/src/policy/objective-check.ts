/** What every learner asks of an objective: statistics it has, numbers that are finite, weights that fit. */
import { EngineError } from "limbeck-base/base/errors";
import type { Objective, StatisticName, Statistics, TrainRow } from "./objective.ts";
import type { RowStatistics, StepOptions } from "./policy.ts";
import { checkOptions, may } from "limbeck-base/base/options";

/** Refuses what a learner cannot do before any work. */
export function checkRequest(known: readonly StatisticName[], objective: Objective, rows: readonly TrainRow[]): void {
  const missing = objective.needs.filter((name) => !known.includes(name));
  if (missing.length > 0) {
    throw new EngineError(
      "missing-statistic",
      `The objective needs "${missing.join('", "')}", which this learner does not compute. It has: ${known.join(", ")}. Choose a setting that needs no more (a teacher: --set form=shift), or a learner on this machine.`,
    );
  }
  if (rows.length === 0) throw new EngineError("empty-batch", "There is no row to learn from.");
  const ragged = rows.findIndex((row) => row.mask.length !== row.ids.length);
  if (ragged < 0) return;
  throw new EngineError(
    "bad-mask",
    `Row ${ragged} has ${rows[ragged]?.ids.length} tokens and a mask of ${rows[ragged]?.mask.length}; they must be equal.`,
  );
}

/** The first place without a number; -1 where there is none. A plain loop: candidates of a batch are millions of numbers. */
function notFinite(row: Float64Array): number {
  // A sum is finite only where all of its parts are, but for an overflow, which the search then clears up.
  let sum = 0;
  for (let at = 0; at < row.length; at += 1) sum += row[at] as number;
  return Number.isFinite(sum) ? -1 : row.findIndex((value) => !Number.isFinite(value));
}

/** What was scored of rows as an objective takes it, in double precision. */
export function statisticsOf(scored: readonly RowStatistics[], names: readonly StatisticName[]): Statistics {
  return Object.fromEntries(names.map((name) => [name, scored.map((row) => new Float64Array(row[name] ?? []))]));
}

/** Refuses statistics that are no numbers: what an objective makes of them would hide where they came from. */
export function checkStatistics(live: Statistics, rows: readonly TrainRow[]): void {
  for (const [name, values] of Object.entries(live)) {
    values.forEach((row, at) => {
      const bad = notFinite(row);
      if (bad < 0) return;
      const { ids } = rows[at] ?? {};
      const token = Math.floor(bad / Math.max(1, row.length / (ids?.length ?? row.length)));
      throw new EngineError(
        "statistic-not-finite",
        `The model's ${name} is ${row[bad]} at token ${token} of ${rowName(rows, at)}; nothing was changed. Its weights are no longer usable: go back to the last checkpoint, with a smaller learning rate.`,
        { details: { statistic: name, row: at, token } },
      );
    });
  }
}

/** "row 3 (1/task-5-0)". */
export function rowName(rows: readonly TrainRow[], at: number): string {
  const { trajectory } = rows[at] ?? {};
  return `row ${at}${trajectory === undefined ? "" : ` (${trajectory})`}`;
}

/** What an objective made of the statistics: weights first, because they identify the row. */
export function checkOutcome(
  objective: Objective,
  { loss, weights }: { readonly loss: number; readonly weights: Statistics },
  live: Statistics,
  rows: readonly TrainRow[],
): void {
  checkWeights(weights, live, rows);
  if (Number.isFinite(loss)) return;
  const at = rows.findIndex((row, place) => {
    const own = (): Statistics =>
      Object.fromEntries(Object.entries(live).map(([name, values]) => [name, values.slice(place, place + 1)]));
    try {
      return !Number.isFinite(objective.compute(own(), own(), [row]).loss);
    } catch {
      // One that compares rows may not do with one; the loss is reported all the same.
      return false;
    }
  });
  const where = at < 0 ? "no row has it by itself" : `the first with such a loss is ${rowName(rows, at)}`;
  throw new EngineError("loss-not-finite", `The objective gave the loss ${loss} (${where}); nothing was changed.`, {
    details: at < 0 ? {} : { row: at },
  });
}

/** Refuses weights that do not fit the statistics they were made of. */
export function checkWeights(weights: Statistics, live: Statistics, rows: readonly TrainRow[]): void {
  for (const [name, given] of Object.entries(weights)) {
    const wanted = live[name as StatisticName];
    if (wanted === undefined)
      throw new EngineError(
        "bad-objective",
        `The objective gave weights on "${name}", which it does not list among its needs.`,
      );
    if (given.length !== wanted.length)
      throw new EngineError(
        "bad-objective",
        `The objective gave ${given.length} rows of weights on "${name}" for ${wanted.length} rows.`,
      );
    given.forEach((row, at) => {
      if (row.length !== wanted[at]?.length)
        throw new EngineError(
          "bad-objective",
          `The objective gave ${row.length} weights on "${name}" for row ${at}, which has ${wanted[at]?.length}.`,
        );
      const bad = notFinite(row);
      if (bad >= 0)
        throw new EngineError(
          "weight-not-finite",
          `The objective's weight on "${name}" is ${row[bad]} at token ${bad} of ${rowName(rows, at)}; nothing was changed.`,
          { details: { row: at } },
        );
    });
  }
}

// What an optimiser step may be asked for, here and on a trainer.

const BETA = { kind: "number", least: 0, most: 1 } as const;
export const STEP_CHECKS = {
  learningRate: may.amount,
  beta1: BETA,
  beta2: BETA,
  epsilon: may.amount,
  weightDecay: may.amount,
  clipNorm: may.positive,
} as const;

export function checkStepOptions(options: StepOptions): void {
  checkOptions("step", options, STEP_CHECKS);
}

/** The settings of a step with their defaults, and what gradients of that norm are multiplied by. */
export function stepSettings(options: StepOptions, norm: number) {
  const { learningRate, clipNorm, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0 } = options;
  const scale = clipNorm !== undefined && norm > clipNorm ? clipNorm / (norm + 1e-6) : 1;
  return { adam: { learningRate, beta1, beta2, epsilon, weightDecay }, scale };
}
