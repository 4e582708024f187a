/**
 * Learning: forward over all micro-batches, the objective once over everything, then the pull-back of its weights.
 * A gradient or update that is not finite is refused, and the state before it is kept.
 */
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { streamLimit } from "limbeck-base/base/concurrency";
import type { Program } from "../../graph/program.ts";
import type { TensorData } from "../../graph/tensor.ts";
import {
  checkOutcome,
  checkRequest,
  checkStatistics,
  checkStepOptions,
  checkWeights,
  rowName,
  statisticsOf,
  stepSettings,
} from "../objective-check.ts";
import type { Objective, StatisticName, Statistics, TrainRow } from "../objective.ts";
import type { BackwardOptions, BackwardReport, RowStatistics, StepOptions, StepReport } from "../policy.ts";
import { createAdamKernel, createSum, normOf } from "./adam-kernel.ts";
import { adamStep, type AdamState } from "./adam.ts";
import { readStatistics, weightFeeds, workFeeds, type Work } from "./feeds.ts";
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

type Outcome = Omit<BackwardReport, "tokens">;

export class LearnerCore {
  readonly state: AdamState;
  readonly #engine: LearnerOptions;
  readonly #gradient: GradientSum;
  readonly #kernel = createAdamKernel();
  /** What has been learned from since the last step, to find the row of a gradient that is no number. */
  #batches: { readonly rows: readonly TrainRow[]; readonly objective: Objective }[] = [];

  constructor(engine: LearnerOptions) {
    const { length } = engine.all.flat;
    this.state = { step: 0, first: new Float32Array(length), second: new Float32Array(length) };
    this.#engine = engine;
    this.#gradient = createGradientSum(engine.all);
  }

  /** Sum of the gradients since the last step. */
  get gradient(): Float32Array {
    return this.#gradient.total;
  }

  async backward(
    rows: readonly TrainRow[],
    objective: Objective,
    { signal }: BackwardOptions = {},
  ): Promise<BackwardReport> {
    checkRequest(this.#engine.statistics, objective, rows);
    rows.forEach((row, at) => checkRow(this.#engine.config, row, at, neededOf(row, objective)));
    const outcome = await this.#run(rows, objective, signal);
    this.#batches.push({ rows, objective });
    return { ...outcome, tokens: rows.reduce((total, row) => total + row.ids.length, 0) };
  }

  async step(options: StepOptions): Promise<StepReport> {
    checkStepOptions(options);
    const norm = normOf(this.gradient);
    const { adam, scale } = stepSettings(options, norm);
    // The second moment holds squares in float32; once infinite it makes weights NaN a step later.
    if (!Number.isFinite(Math.fround((norm * scale) ** 2))) throw await this.#refusal(norm);
    const { flat, matrices } = this.#engine.all;
    const arrays = { parameters: flat, gradients: this.gradient, decayed: matrices, scale, norm };
    try {
      adamStep(arrays, this.state, adam, this.#kernel);
    } finally {
      this.discard();
    }
    return { step: this.state.step, gradientNorm: norm };
  }

  discard(): void {
    this.#batches = [];
    this.#gradient.clear();
  }

  #run(rows: readonly TrainRow[], objective: Objective, signal?: AbortSignal): Promise<Outcome> {
    return objective.constantWeights === true
      ? this.#runTogether(rows, objective, signal)
      : this.#runInTurn(rows, objective, signal);
  }

  /** Weights that are known beforehand: one pass gives the statistics and the gradients. */
  async #runTogether(rows: readonly TrainRow[], objective: Objective, signal?: AbortSignal): Promise<Outcome> {
    const { needs } = objective;
    const blank = statisticsOf(emptyStatistics(rows, needs), needs);
    const { weights } = objective.compute(blank, blank, rows);
    checkWeights(weights, blank, rows);
    const works = planWork(
      this.#engine,
      rows,
      needs,
      (row, token, name) => rows[row]?.mask[token] === 1 || weighs(rows, weights, row, token, name),
    );
    let outcome: Outcome | undefined;
    const check = (scored: RowStatistics[]): void => {
      const live = statisticsOf(scored, needs);
      checkStatistics(live, rows);
      const computed = objective.compute(live, statisticsOf(scored, needs), rows);
      checkOutcome(objective, computed, live, rows);
      const { loss, metrics = {} } = computed;
      outcome = { loss, metrics, tokensSaved: tokensSaved(works) };
    };
    await this.#pull(rows, works, { ...zeroWeights(blank), ...weights }, signal, check);
    return outcome as unknown as Outcome;
  }

  /** Statistics first, then the weights that the objective makes of them, then their gradients. */
  async #runInTurn(rows: readonly TrainRow[], objective: Objective, signal?: AbortSignal): Promise<Outcome> {
    const { needs } = objective;
    const works = planWork(this.#engine, rows, needs, (row, token) => rows[row]?.mask[token] === 1);
    const scored = await runScores(this.#engine, rows, works, needs, signal);
    const live = statisticsOf(scored, needs);
    checkStatistics(live, rows);
    const computed = objective.compute(live, statisticsOf(scored, needs), rows);
    const { loss, weights, metrics = {} } = computed;
    checkOutcome(objective, computed, live, rows);
    const used = (Object.keys(weights) as StatisticName[]).filter((name) =>
      weights[name]?.some((row) => row.some((weight) => weight !== 0)),
    );
    const pulled = planWork(this.#engine, rows, used, (row, token, name) => weighs(rows, weights, row, token, name));
    await this.#pull(rows, pulled, weights, signal);
    return { loss, metrics, tokensSaved: tokensSaved(works) };
  }

  /** Adds the gradients of these micro-batches, or of none if one of them fails. */
  async #pull(
    rows: readonly TrainRow[],
    works: readonly Work[],
    weights: Statistics,
    signal?: AbortSignal,
    check?: (scored: RowStatistics[]) => void,
  ): Promise<void> {
    const scored = emptyStatistics(rows, works[0]?.shape.statistics ?? []);
    const feedsOf = (work: Work): Feeds => ({
      ...workFeeds(this.#engine.config, rows, work),
      ...weightFeeds(rows, work, weights),
    });
    try {
      let at = 0;
      for await (const outputs of this.#computed(works, feedsOf, signal)) {
        readStatistics(rows, works[at] as Work, outputs, scored);
        at += 1;
      }
      check?.(scored);
      this.#gradient.commit();
    } finally {
      this.#gradient.abandon();
    }
  }

  /** Statistics of each micro-batch, in their order; its gradients are collected before. */
  async *#computed(
    works: readonly Work[],
    feedsOf: (work: Work) => Feeds,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Readonly<Feeds>> {
    const { backwardAway: away, atOnce = 1, backwardProgram, weights } = this.#engine;
    if (away === undefined) {
      for (const work of works) {
        throwIfAborted(signal);
        const program = await backwardProgram(work.shape);
        const outputs = await program.run({ ...weights, ...feedsOf(work) }, this.#gradient.target(program));
        this.#gradient.collect();
        yield outputs;
      }
      return;
    }
    const compute = (work: Work): Promise<BackwardAway> => away(work.shape, feedsOf(work), this.#gradient.lend());
    // In their order, whichever is ready first: the sum of many numbers depends on it.
    for await (const { outputs, gradient } of streamLimit(works, atOnce, compute, withoutUndefined({ signal }))) {
      if (gradient !== undefined) this.#gradient.collectFrom(gradient);
      yield outputs;
    }
  }

  async #refusal(norm: number): Promise<EngineError> {
    const step = this.state.step + 1;
    const where = [oddPlace(viewsOf(this.gradient, this.#engine.all.places)), await this.#oddRow()];
    this.discard();
    const shown = where.map((part) => (part === undefined ? "" : `; ${part}`)).join("");
    return new EngineError(
      "gradient-not-finite",
      `Step ${step}: the gradient's norm is ${norm}${shown}. Weights and optimiser are as before. Try a smaller learning rate, a gradient clip, or look for advantages that are not finite.`,
      { details: { step, norm } },
    );
  }

  /** The first row whose own gradient is not finite; undefined where only their sum is not. */
  async #oddRow(): Promise<string | undefined> {
    for (const { rows, objective } of this.#batches) {
      for (const [at, row] of rows.entries()) {
        this.#gradient.clear();
        // A row that fails by itself is looked at like the others: by its gradient.
        await this.#run([row], objective).catch(() => undefined);
        if (!Number.isFinite(normOf(this.gradient))) return rowName(rows, at);
      }
    }
    return undefined;
  }
}

/** A row without a teacher or candidates of its own takes no part in what is about them; the others still may. */
function neededOf({ teacher, candidates }: TrainRow, { needs }: Objective): readonly StatisticName[] {
  return needs.filter(
    (name) => !(name === "divergence" && teacher === undefined) && !(name === "candidates" && candidates === undefined),
  );
}

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

// Gradients of several micro-batches, summed. The runtime writes into arrays that are kept, so that no run allocates
// them anew, and sums that are still empty are not added to but replaced: one micro-batch a step costs no pass at all.

interface Laid {
  readonly flat: Float32Array;
  readonly views: readonly (readonly [string, Float32Array])[];
}

type GradientSum = ReturnType<typeof createGradientSum>;

function createGradientSum({ flat: { length }, places }: Weights) {
  const make = (flat: Float32Array = new Float32Array(length)): Laid => {
    const views = Object.entries(viewsOf(flat, places)).map(([name, view]) => [`gradient ${name}`, view] as const);
    return { flat, views };
  };
  const addTo = createSum();
  const free: Laid[] = [];
  let total = make();
  let empty = true;
  /** Whether what lies in the total counts no more; it is overwritten by the next gradients, or zeroed for earlier reads. */
  let stale = false;
  let sum: Laid | undefined;
  let written: Laid | undefined;
  const release = (array: Laid | undefined): undefined => {
    if (array !== undefined) free.push(array);
    return undefined;
  };
  const collect = (): void => {
    if (sum === undefined) sum = written;
    else if (written !== undefined) {
      addTo(sum.flat, written.flat);
      release(written);
    }
    written = undefined;
  };
  return {
    /** Everything that was committed since it was cleared. */
    get total(): Float32Array {
      if (stale) total.flat.fill(0);
      stale = false;
      return total.flat;
    },
    /** Where the gradients of one run are to be written; `collect` says that they were. */
    target: (program: Program): Record<string, Float32Array> => {
      written ??= free.pop() ?? make();
      const given = written.views.filter(([name]) => name in program.model.outputs);
      // What the graph does not give is zero.
      if (given.length < written.views.length) written.flat.fill(0);
      return Object.fromEntries(given);
    },
    collect,
    /** An array for a run elsewhere. What it was written to there, `collectFrom` takes over. */
    lend: (): Float32Array => (free.pop() ?? make()).flat,
    collectFrom: (flat: Float32Array): void => {
      written = make(flat);
      collect();
    },
    /** Adds what was collected to the total, or forgets it. */
    commit: (): void => {
      if (sum === undefined) return;
      if (empty) [total, sum] = [sum, total];
      else addTo(total.flat, sum.flat);
      [empty, stale] = [false, false];
      sum = release(sum);
    },
    abandon: (): void => {
      written = release(written);
      sum = release(sum);
    },
    clear: (): void => {
      [empty, stale] = [true, true];
    },
  };
}
