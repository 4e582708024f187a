/**
 * Learning: forward over all micro-batches, the objective once over everything, then the pull-back of its weights.
 * A gradient or update that is not finite is refused, and the state before it is kept.
 */
import { EngineError, throwIfAborted, withoutUndefined } from "../../base/index.ts";
import { streamLimit } from "../../base/concurrency.ts";
import type { Program, TensorData } from "../../graph/index.ts";
import { checkOutcome, checkRequest, checkStatistics, checkWeights, rowName } from "../objective-check.ts";
import type { Objective, StatisticName, Statistics, TrainRow } from "../objective.ts";
import type { BackwardOptions, BackwardReport, RowStatistics, StepOptions, StepReport } from "../policy.ts";
import { checkStepOptions } from "../step-checks.ts";
import { createAdamKernel, createNorm } from "./adam-kernel.ts";
import { adamStep, type AdamState } from "./adam.ts";
import { readStatistics, weightFeeds, workFeeds, type Work } from "./feeds.ts";
import { createGradientSum } from "./gradient-sum.ts";
import { checkRow, emptyStatistics, planWork, runScores, tokensSaved, type ScorerOptions } from "./scorer.ts";
import type { StatisticsShape } from "./statistics-graph.ts";
import { oddPlace, viewsOf, type Weights } from "./weights.ts";

export interface LearnerOptions extends ScorerOptions {
  readonly all: Weights;
  readonly backwardProgram: (shape: StatisticsShape) => Promise<Program>;
  /** Computes a micro-batch elsewhere and writes its gradients into the array, which travels. Default: here. */
  readonly backwardAway?:
    | ((shape: StatisticsShape, feeds: Feeds, gradient: Float32Array) => Promise<BackwardAway>)
    | undefined;
  readonly statistics: readonly StatisticName[];
}

type Feeds = Record<string, TensorData>;

interface BackwardAway {
  readonly outputs: Readonly<Feeds>;
  readonly gradient: Float32Array | undefined;
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
  const gradient = createGradientSum(all);
  const kernel = createAdamKernel();
  const normOf = createNorm();
  const state: AdamState = {
    step: 0,
    first: new Float32Array(all.flat.length),
    second: new Float32Array(all.flat.length),
  };

  /** Adds the gradients of these micro-batches, or of none if one of them fails. */
  const pull = async (
    rows: readonly TrainRow[],
    works: readonly Work[],
    weights: Statistics,
    { signal, check }: { readonly signal: AbortSignal | undefined; readonly check: (scored: RowStatistics[]) => void },
  ): Promise<void> => {
    const scored = emptyStatistics(rows, works[0]?.shape.statistics ?? []);
    const feedsOf = (work: Work): Feeds => ({
      ...workFeeds(engine.config, rows, work),
      ...weightFeeds(rows, work, weights),
    });
    const { backwardAway: away } = engine;
    try {
      if (away !== undefined) {
        const compute = (work: Work): Promise<BackwardAway> => away(work.shape, feedsOf(work), gradient.lend());
        const limit = engine.atOnce ?? 1;
        let at = 0;
        // In their order, whoever is ready first: the sum of many numbers depends on it.
        for await (const { outputs, gradient: written } of streamLimit(
          works,
          limit,
          compute,
          withoutUndefined({ signal }),
        )) {
          if (written !== undefined) gradient.collectFrom(written);
          readStatistics(rows, works[at] as Work, outputs, scored);
          at += 1;
        }
      } else {
        for (const work of works) {
          throwIfAborted(signal);
          const program = await engine.backwardProgram(work.shape);
          const results = await program.run({ ...engine.weights, ...feedsOf(work) }, gradient.target(program));
          gradient.collect();
          readStatistics(rows, work, results, scored);
        }
      }
      check(scored);
      gradient.commit();
    } finally {
      gradient.abandon();
    }
  };

  /** Weights that are known beforehand: one pass gives the statistics and the gradients. */
  const together = async (
    rows: readonly TrainRow[],
    objective: Objective,
    signal: AbortSignal | undefined,
  ): Promise<Outcome> => {
    const blank = gather(emptyStatistics(rows, objective.needs), objective.needs);
    const { weights } = objective.compute(blank, blank, rows);
    checkWeights(weights, blank, rows);
    const works = planWork(
      engine,
      rows,
      objective.needs,
      (row, token, name) => rows[row]?.mask[token] === 1 || weighs(rows, weights, row, token, name),
    );
    const full = { ...zeroWeights(blank), ...weights };
    let outcome: Outcome | undefined;
    const check = (scored: RowStatistics[]): void => {
      const statistics = [gather(scored, objective.needs), gather(scored, objective.needs)] as const;
      checkStatistics(statistics[0], rows);
      const computed = objective.compute(...statistics, rows);
      checkOutcome(objective, computed, statistics[0], rows);
      const { loss, metrics = {} } = computed;
      outcome = { loss, metrics, tokensSaved: tokensSaved(works) };
    };
    await pull(rows, works, full, { signal, check });
    return outcome as unknown as Outcome;
  };

  /** Statistics first, then the weights that the objective makes of them, then their gradients. */
  const inTurn = async (
    rows: readonly TrainRow[],
    objective: Objective,
    signal: AbortSignal | undefined,
  ): Promise<Outcome> => {
    const works = planWork(engine, rows, objective.needs, (row, token) => rows[row]?.mask[token] === 1);
    const scored = await runScores(engine, rows, works, objective.needs, signal);
    const live = gather(scored, objective.needs);
    checkStatistics(live, rows);
    const computed = objective.compute(live, gather(scored, objective.needs), rows);
    const { loss, weights, metrics = {} } = computed;
    checkOutcome(objective, computed, live, rows);
    const used = (Object.keys(weights) as StatisticName[]).filter((name) =>
      weights[name]?.some((row) => row.some((weight) => weight !== 0)),
    );
    const pulled = planWork(engine, rows, used, (row, token, name) => weighs(rows, weights, row, token, name));
    await pull(rows, pulled, weights, { signal, check: () => undefined });
    return { loss, metrics, tokensSaved: tokensSaved(works) };
  };

  const run = (rows: readonly TrainRow[], objective: Objective, signal?: AbortSignal): Promise<Outcome> =>
    (objective.constantWeights === true ? together : inTurn)(rows, objective, signal);

  /** What has been learned from since the last step, to find the row of a gradient that is no number. */
  let batches: { readonly rows: readonly TrainRow[]; readonly objective: Objective }[] = [];
  const forget = (): void => {
    batches = [];
    gradient.clear();
  };

  /** The first row whose own gradient is not finite; undefined where only their sum is not. */
  const oddRow = async (): Promise<string | undefined> => {
    for (const { rows, objective } of batches) {
      for (const [at, row] of rows.entries()) {
        gradient.clear();
        // A row that fails by itself is looked at like the others: by its gradient.
        await run([row], objective).catch(() => undefined);
        if (!Number.isFinite(normOf(gradient.total))) return rowName(rows, at);
      }
    }
    return undefined;
  };

  return {
    state,
    get gradient() {
      return gradient.total;
    },
    backward: async (rows, objective, { signal } = {}) => {
      checkRequest(engine.statistics, objective, rows);
      rows.forEach((row, at) => checkRow(engine.config, row, at, neededOf(row, objective)));
      const outcome = await run(rows, objective, signal);
      batches.push({ rows, objective });
      return { ...outcome, tokens: rows.reduce((total, row) => total + row.ids.length, 0) };
    },
    step: async (options) => {
      checkStepOptions(options);
      const { learningRate, clipNorm, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0 } = options;
      const norm = normOf(gradient.total);
      const scale = clipNorm !== undefined && norm > clipNorm ? clipNorm / (norm + 1e-6) : 1;
      // The second moment holds squares in float32; once infinite it makes weights NaN a step later.
      if (!Number.isFinite(Math.fround((norm * scale) ** 2))) {
        const where = [oddPlace(viewsOf(gradient.total, all.places)), await oddRow()].filter(
          (part) => part !== undefined,
        );
        forget();
        throw new EngineError(
          "gradient-not-finite",
          `Step ${state.step + 1}: the gradient's norm is ${norm}${where.map((part) => `; ${part}`).join("")}. Weights and optimiser are as before. Try a smaller learning rate, a gradient clip, or look for advantages that are not finite.`,
          { details: { step: state.step + 1, norm } },
        );
      }
      const arrays = { parameters: all.flat, gradients: gradient.total, decayed: all.matrices, scale, norm };
      try {
        adamStep(arrays, state, { learningRate, beta1, beta2, epsilon, weightDecay }, kernel);
      } finally {
        forget();
      }
      return { step: state.step, gradientNorm: norm };
    },
    discard: forget,
  };
}

function gather(scored: readonly RowStatistics[], names: readonly StatisticName[]): Statistics {
  return Object.fromEntries(
    names.map((name) => [name, scored.map((row) => new Float64Array(row[name] as Float32Array))]),
  );
}

/** A row without a teacher or candidates of its own takes no part in what is about them; the others still may. */
function neededOf({ teacher, candidates }: TrainRow, { needs }: Objective): readonly StatisticName[] {
  return needs.filter(
    (name) => !(name === "divergence" && teacher === undefined) && !(name === "candidates" && candidates === undefined),
  );
}

type Outcome = Omit<BackwardReport, "tokens">;

/** Whether the objective puts any weight on this statistic of this token. */
function weighs(
  rows: readonly TrainRow[],
  weights: Statistics,
  row: number,
  token: number,
  name: StatisticName,
): boolean {
  const values = weights[name]?.[row];
  if (name !== "candidates") return values !== undefined && values[token] !== 0;
  const count = rows[row]?.candidates?.count ?? 0;
  return values?.subarray(token * count, (token + 1) * count).some((weight) => weight !== 0) ?? false;
}

function zeroWeights(like: Statistics): Statistics {
  return Object.fromEntries(
    Object.entries(like).map(([name, rows]) => [name, rows.map((row) => new Float64Array(row.length))]),
  );
}
