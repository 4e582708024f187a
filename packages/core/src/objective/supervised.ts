/**
 * Supervised training: the rows in a shuffled order, epoch after epoch, a batch per update. Which rows an update sees
 * follows from the seed and its number alone, so a resumed run goes on exactly where it stopped.
 */
import { checkOptions, may } from "limbeck-base/base/options";
import { createRng, shuffle } from "limbeck-base/base/rng";
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import type { Learner, Scorer, StepOptions } from "limbeck-policy/policy/policy";
import type { Objective, TrainRow } from "limbeck-policy/policy/objective";
import type { Schedule } from "limbeck-policy/policy/schedule";

export interface SupervisedOptions extends Omit<StepOptions, "learningRate"> {
  readonly objective: Objective;
  /** What held-out rows are measured by. Default: the objective. */
  readonly measure?: Objective;
  /** Makes a batch ready for the objective, with the weights of that moment. Default: rows are taken as they are. */
  readonly prepare?: (batch: readonly TrainRow[], step: number) => Promise<readonly TrainRow[]>;
  readonly schedule: Schedule;
  readonly steps: number;
  /** Updates that are done already. */
  readonly from?: number;
  readonly batchRows: number;
  readonly seed: number | string;
  /** Rows that are never trained on; their loss is measured before, after, and every so many updates. */
  readonly heldOut?: readonly TrainRow[];
  readonly evaluateEvery?: number;
  /** Called after every update; what it does, a checkpoint for example, is waited for. */
  readonly onStep?: (report: SupervisedReport) => Promise<void> | void;
  readonly signal?: AbortSignal;
}

export const SUPERVISED_CHECKS = {
  steps: may.whole,
  from: may.whole,
  batchRows: may.count,
  seed: may.seed,
  evaluateEvery: may.whole,
} as const;

export interface SupervisedReport {
  /** Updates done, this one included. */
  readonly step: number;
  readonly loss: number;
  readonly learningRate: number;
  readonly gradientNorm: number;
  /** Tokens of the batch. */
  readonly tokens: number;
  readonly heldOutLoss?: number;
}

/**
 * Trains and says the loss on what was held out at the end; undefined where nothing was.
 *
 * @example
 * import { objectives } from "limbeck/update";
 * import { createSchedule, createTabularPolicy, randomTable } from "limbeck/policy";
 *
 * const policy = createTabularPolicy({ probabilities: randomTable({ states: 4, vocabularySize: 4, seed: 1 }) });
 * const rows = [{ ids: Int32Array.of(0, 1, 2), mask: Uint8Array.of(0, 1, 1) }];
 * const schedule = createSchedule({ kind: "constant", learningRate: 1, steps: 3 });
 * const options = { objective: objectives["cross-entropy"].create(), schedule, steps: 3, batchRows: 1, seed: 1, heldOut: rows };
 * console.log(Number(await trainSupervised(policy, rows, options)) < 0.2); // true
 */
export async function trainSupervised(
  learner: Learner & Scorer,
  rows: readonly TrainRow[],
  options: SupervisedOptions,
): Promise<number | undefined> {
  checkOptions("trainSupervised", options, SUPERVISED_CHECKS);
  if (rows.length === 0) throw new EngineError("empty-batch", "There is no row to train on.");
  const {
    objective,
    measure = objective,
    schedule,
    steps,
    from = 0,
    heldOut = [],
    evaluateEvery = 0,
    signal,
  } = options;
  const { clipNorm, weightDecay, beta1, beta2, epsilon } = options;
  const adam = withoutUndefined({ clipNorm, weightDecay, beta1, beta2, epsilon });
  const batches = batchesOf(rows, options);
  let last: number | undefined;
  for (let step = from; step < steps; step += 1) {
    throwIfAborted(signal);
    const batch = (await options.prepare?.(batches(step), step)) ?? batches(step);
    const { loss, tokens } = await learner.backward(batch, objective, signal === undefined ? {} : { signal });
    const learningRate = schedule(step);
    const { gradientNorm } = await learner.step({ learningRate, ...adam });
    const due = step + 1 === steps || (evaluateEvery > 0 && (step + 1) % evaluateEvery === 0);
    last = due && heldOut.length > 0 ? await meanLoss(learner, heldOut, measure) : undefined;
    const held = last === undefined ? {} : { heldOutLoss: last };
    await options.onStep?.({ step: step + 1, loss, learningRate, gradientNorm, tokens, ...held });
  }
  return heldOut.length === 0 ? undefined : (last ?? (await meanLoss(learner, heldOut, measure)));
}

/**
 * The objective's loss on rows, without learning.
 *
 * @example
 * import { objectives } from "limbeck/update";
 * import { createTabularPolicy } from "limbeck/policy";
 *
 * const policy = createTabularPolicy({ probabilities: [Float64Array.of(0.5, 0.5), Float64Array.of(0.25, 0.75)] });
 * const rows = [{ ids: Int32Array.of(0, 1), mask: Uint8Array.of(0, 1) }];
 * console.log((await meanLoss(policy, rows, objectives["cross-entropy"].create())).toFixed(3)); // 0.693
 */
export async function meanLoss(scorer: Scorer, rows: readonly TrainRow[], objective: Objective): Promise<number> {
  const scored = await scorer.score(rows, { statistics: objective.needs });
  const statistics = Object.fromEntries(
    objective.needs.map((name) => [name, scored.map((row) => Float64Array.from(row[name] ?? []))]),
  );
  return objective.compute(statistics, statistics, rows).loss;
}

/** Update s takes the rows from place s * batchRows of all epochs laid end to end. */
function batchesOf(
  rows: readonly TrainRow[],
  { batchRows, seed }: SupervisedOptions,
): (step: number) => readonly TrainRow[] {
  const rng = createRng(seed).split("order");
  let [known, order]: [number, readonly TrainRow[]] = [-1, []];
  const at = (place: number): TrainRow => {
    const epoch = Math.floor(place / rows.length);
    if (epoch !== known) [known, order] = [epoch, shuffle(rows, rng.split(epoch))];
    return order[place % rows.length] as TrainRow;
  };
  return (step) => Array.from({ length: batchRows }, (_, index) => at(step * batchRows + index));
}
