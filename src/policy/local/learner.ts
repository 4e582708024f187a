/**
 * Learning: forward over all micro-batches, the objective once over everything, then the pull-back of its weights.
 * A gradient or update that is not finite is refused, and the state before it is kept.
 */
import { EngineError, throwIfAborted } from "../../base/index.ts";
import type { Program, TensorData } from "../../graph/index.ts";
import type { Objective, StatisticName, Statistics, TrainRow } from "../objective.ts";
import type { BackwardOptions, BackwardReport, RowStatistics, StepOptions, StepReport } from "../policy.ts";
import { adamStep, type AdamState } from "./adam.ts";
import { microBatches, type MicroBatch } from "./batches.ts";
import { isHead } from "./heads.ts";
import { batchFeeds, checkRow, scoreRows, shapeOf, type ScorerOptions } from "./scorer.ts";
import type { StatisticsShape } from "./statistics-graph.ts";
import { viewsOf, type Weights } from "./weights.ts";

export interface LearnerOptions extends ScorerOptions {
  readonly all: Weights;
  readonly backwardProgram: (shape: StatisticsShape) => Promise<Program>;
  readonly adamProgram: () => Promise<Program>;
  readonly statistics: readonly StatisticName[];
}

export interface LearnerCore {
  readonly state: AdamState;
  /** Sum of the gradients since the last step. */
  readonly gradient: Float32Array;
  backward(rows: readonly TrainRow[], objective: Objective, options?: BackwardOptions): Promise<BackwardReport>;
  step(options: StepOptions): Promise<StepReport>;
  discard(): void;
}

export function createLearner(engine: LearnerOptions): LearnerCore {
  const { all } = engine;
  const gradient = new Float32Array(all.flat.length);
  const views = viewsOf(gradient, all.places);
  const state: AdamState = {
    step: 0,
    first: new Float32Array(all.flat.length),
    second: new Float32Array(all.flat.length),
  };

  const pull = async (rows: readonly TrainRow[], batch: MicroBatch, weights: Statistics): Promise<void> => {
    const names = Object.keys(weights) as StatisticName[];
    const shape = shapeOf(rows, batch, names);
    const program = await engine.backwardProgram(shape);
    const feeds = { ...batchFeeds(engine.config, rows, batch, shape), ...weightFeeds(batch, weights, shape) };
    const results = await program.run({ ...engine.weights, ...feeds });
    for (const [name, view] of Object.entries(views)) {
      const change = results[`gradient ${name}`] as Float32Array | undefined;
      if (change === undefined) continue;
      for (let at = 0; at < view.length; at += 1) view[at] = (view[at] as number) + (change[at] as number);
    }
  };

  return {
    state,
    gradient,
    backward: async (rows, objective, options = {}) => {
      refuse(engine.statistics, objective, rows);
      rows.forEach((row, at) => checkRow(engine.config, row, at, objective.needs));
      const scored = await scoreRows(engine, rows, { ...options, statistics: objective.needs });
      const live = gather(scored, objective.needs);
      const frozen = gather(scored, objective.needs);
      const { loss, weights, metrics = {} } = objective.compute(live, frozen, rows);
      checkResult(loss, weights, live);
      for (const batch of microBatches(
        rows.map((row) => row.ids.length),
        engine.budgetTokens,
      )) {
        throwIfAborted(options.signal);
        await pull(rows, batch, weights);
      }
      const tokens = rows.reduce((total, row) => total + row.ids.length, 0);
      return { loss, metrics, tokens, tokensSaved: 0 };
    },
    step: async (options) => {
      const { learningRate, clipNorm, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0 } = options;
      const norm = Math.sqrt(gradient.reduce((total, value) => total + value * value, 0));
      if (!Number.isFinite(norm)) {
        gradient.fill(0);
        throw new EngineError(
          "gradient-not-finite",
          `Step ${state.step + 1}: the gradient's norm is ${norm}. Weights and optimiser are as before. Try a smaller learning rate, a gradient clip, or look for advantages that are not finite.`,
          { details: { step: state.step + 1, norm } },
        );
      }
      if (clipNorm !== undefined && norm > clipNorm) {
        const scale = clipNorm / (norm + 1e-6);
        for (let at = 0; at < gradient.length; at += 1) gradient[at] = (gradient[at] as number) * scale;
      }
      const arrays = { parameters: all.flat, gradients: gradient, decayed: all.matrices };
      await adamStep(await engine.adamProgram(), arrays, state, { learningRate, beta1, beta2, epsilon, weightDecay });
      gradient.fill(0);
      return { step: state.step, gradientNorm: norm };
    },
    discard: () => {
      gradient.fill(0);
    },
  };
}

function gather(scored: readonly RowStatistics[], names: readonly StatisticName[]): Statistics {
  return Object.fromEntries(
    names.map((name) => [name, scored.map((row) => Float64Array.from(row[name] as Float32Array))]),
  );
}

/** Weights at the places that predict; what an objective says of position 0 has no place and is dropped. */
function weightFeeds(batch: MicroBatch, weights: Statistics, shape: StatisticsShape): Record<string, TensorData> {
  return Object.fromEntries(
    shape.statistics.map((name) => {
      const width = name === "candidates" ? shape.candidates : 1;
      const shift = isHead(name) ? 0 : width;
      const data = new Float32Array(batch.rows * batch.length * width);
      batch.members.forEach((member, at) => {
        const row = weights[name]?.[member] as Float64Array;
        data.set(row.subarray(shift), at * batch.length * width);
      });
      return [`weight ${name}`, data];
    }),
  );
}

function refuse(known: readonly StatisticName[], objective: Objective, rows: readonly TrainRow[]): void {
  const missing = objective.needs.filter((name) => !known.includes(name));
  if (missing.length > 0) {
    throw new EngineError(
      "missing-statistic",
      `The objective needs "${missing.join('", "')}", which this learner does not compute. It has: ${known.join(", ")}.`,
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

function checkResult(loss: number, weights: Statistics, live: Statistics): void {
  if (!Number.isFinite(loss))
    throw new EngineError("loss-not-finite", `The objective gave the loss ${loss}; nothing was changed.`);
  for (const [name, rows] of Object.entries(weights)) {
    const wanted = live[name as StatisticName];
    if (wanted === undefined)
      throw new EngineError(
        "bad-objective",
        `The objective gave weights on "${name}", which it does not list among its needs.`,
      );
    if (rows.length !== wanted.length)
      throw new EngineError(
        "bad-objective",
        `The objective gave ${rows.length} rows of weights on "${name}" for ${wanted.length} rows.`,
      );
    rows.forEach((row, at) => {
      if (row.length !== wanted[at]?.length)
        throw new EngineError(
          "bad-objective",
          `The objective gave ${row.length} weights on "${name}" for row ${at}, which has ${wanted[at]?.length}.`,
        );
      const bad = row.findIndex((value) => !Number.isFinite(value));
      if (bad >= 0)
        throw new EngineError(
          "weight-not-finite",
          `The objective's weight on "${name}" is ${row[bad]} at token ${bad} of row ${at}; nothing was changed.`,
        );
    });
  }
}
