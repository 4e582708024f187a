/** Look-ups over a batch, built once in linear time: tasks and trajectories as numbers, rows in the order of their steps. */
import { EngineError } from "limbeck-base/base/errors";
import { entry, real, intAt } from "./columns.ts";
import { type CreditBatch, type CreditRow, rowFault, trainedCount } from "./row.ts";

export interface BatchIndex {
  readonly tasks: number;
  /** Task of each row. */
  readonly taskOf: Int32Array;
  readonly trajectories: number;
  readonly trajectoryOf: Int32Array;
  /** Rows sorted by trajectory, then step; those of trajectory n stand from offsets[n] to offsets[n + 1]. */
  readonly ordered: Int32Array;
  readonly offsets: Int32Array;
  /** The trajectory a branch left, or -1; and how many of its parent's steps came before. */
  readonly parentOf: Int32Array;
  readonly parentSteps: Int32Array;
  readonly outcomeOf: Float64Array;
  /** Trained tokens of each row, and of the batch. */
  readonly tokens: Int32Array;
  readonly totalTokens: number;
}

/** A checked batch with the look-ups that every method shares. */
export interface IndexedBatch<Row extends CreditRow = CreditRow> extends CreditBatch<Row> {
  readonly index: BatchIndex;
}

/** Row indices of a trajectory, by step. */
export function stepsOf({ index }: IndexedBatch, trajectory: number): Int32Array {
  return index.ordered.subarray(index.offsets[trajectory], index.offsets[trajectory + 1]);
}

/** Every trajectory with the indices of its rows, by step. */
export function* trajectoriesOf(batch: IndexedBatch): Generator<readonly [trajectory: number, steps: Int32Array]> {
  for (let at = 0; at < batch.index.trajectories; at += 1) yield [at, stepsOf(batch, at)];
}

/** Checks what ties rows together (outcomes, steps without holes, parents) while it sorts them. */
export function indexBatch(batch: CreditBatch): BatchIndex {
  const { rows } = batch;
  const taskOf = new Int32Array(rows.length);
  const trajectoryOf = new Int32Array(rows.length);
  const tokens = new Int32Array(rows.length);
  const tasks = new Map<string, number>();
  const trajectories = new Map<string, number>();
  const first: number[] = [];
  let totalTokens = 0;
  for (let index = 0; index < rows.length; index += 1) {
    const row = entry(rows, index);
    taskOf[index] = numberOf(tasks, row.task);
    const trajectory = numberOf(trajectories, row.trajectory);
    trajectoryOf[index] = trajectory;
    if (trajectory === first.length) first.push(index);
    else if (taskOf[entry(first, trajectory)] !== taskOf[index]) {
      throw rowFault(row, index, "task", `is ${JSON.stringify(row.task)}, but its trajectory began with another task.`);
    }
    const trained = trainedCount(row.mask);
    tokens[index] = trained;
    totalTokens += trained;
  }
  const parents = findParents(rows, first, trajectories, trajectoryOf);
  return {
    tasks: tasks.size,
    taskOf,
    trajectories: trajectories.size,
    trajectoryOf,
    ...sortSteps(rows, trajectoryOf, trajectories.size, parents.parentSteps),
    ...parents,
    outcomeOf: outcomes(batch, first),
    tokens,
    totalTokens,
  };
}

function numberOf(numbers: Map<string, number>, name: string): number {
  const known = numbers.get(name);
  if (known !== undefined) return known;
  numbers.set(name, numbers.size);
  return numbers.size - 1;
}

function outcomes(batch: CreditBatch, first: readonly number[]): Float64Array {
  return Float64Array.from(first, (index) => {
    const row = entry(batch.rows, index);
    const known = batch.trajectories.get(row.trajectory);
    if (known === undefined) {
      throw rowFault(
        row,
        index,
        "trajectory",
        `has no outcome: add trajectories[${JSON.stringify(row.trajectory)}] = {"outcome": number}. A trajectory that nobody scored is left out of the batch, not given 0.`,
      );
    }
    if (Number.isFinite(known.outcome)) return known.outcome;
    throw new EngineError(
      "bad-input",
      `Trajectory ${JSON.stringify(row.trajectory)}, field "outcome": is ${known.outcome}; it must be a finite number.`,
      { details: { trajectory: row.trajectory, field: "outcome", row: index } },
    );
  });
}

/** Counting sort by trajectory; the step then names the place, so a hole or a double shows itself. */
function sortSteps(
  rows: readonly CreditRow[],
  trajectoryOf: Int32Array,
  trajectories: number,
  parentSteps: Int32Array,
): Pick<BatchIndex, "ordered" | "offsets"> {
  const offsets = new Int32Array(trajectories + 1);
  for (const trajectory of trajectoryOf) offsets[trajectory + 1] = intAt(offsets, trajectory + 1) + 1;
  for (let at = 0; at < trajectories; at += 1) offsets[at + 1] = intAt(offsets, at + 1) + intAt(offsets, at);
  const ordered = new Int32Array(rows.length).fill(-1);
  for (let index = 0; index < rows.length; index += 1) {
    const row = entry(rows, index);
    const trajectory = intAt(trajectoryOf, index);
    const begin = intAt(offsets, trajectory);
    const size = intAt(offsets, trajectory + 1) - begin;
    const place = row.step - intAt(parentSteps, trajectory);
    if (!(Number.isInteger(place) && place >= 0 && place < size)) throw hole(row, index, size, row.step - place);
    const other = intAt(ordered, begin + place);
    if (other !== -1) throw rowFault(row, index, "step", `is ${row.step}, which row ${other} has already.`);
    ordered[begin + place] = index;
  }
  return { ordered, offsets };
}

function hole(row: CreditRow, index: number, size: number, begin: number): EngineError {
  const range = size === 1 ? `it must be ${begin}` : `they must be ${begin} to ${begin + size - 1}, without holes`;
  return rowFault(row, index, "step", `is ${row.step}; its trajectory has ${size} rows, so ${range}.`);
}

function findParents(
  rows: readonly CreditRow[],
  first: readonly number[],
  trajectories: ReadonlyMap<string, number>,
  trajectoryOf: Int32Array,
): Pick<BatchIndex, "parentOf" | "parentSteps"> {
  const parentOf = new Int32Array(first.length).fill(-1);
  const parentSteps = new Int32Array(first.length);
  if (rows.every((row) => row.parent === undefined)) return { parentOf, parentSteps };
  const ranges = stepRanges(rows, first, trajectoryOf);
  for (let index = 0; index < rows.length; index += 1) {
    const row = entry(rows, index);
    if (row.parent === undefined) continue;
    const own = intAt(trajectoryOf, index);
    const { trajectory, step } = row.parent;
    const parent = trajectories.get(trajectory);
    if (parent === undefined) {
      throw rowFault(
        row,
        index,
        "parent",
        `names trajectory ${JSON.stringify(trajectory)}, which is not in the batch.`,
      );
    }
    const sameTask = rows[entry(first, parent)]?.task === row.task;
    if (!sameTask || !(step >= real(ranges.least, parent) && step <= real(ranges.most, parent))) {
      throw rowFault(
        row,
        index,
        "parent",
        `names step ${step} of trajectory ${JSON.stringify(trajectory)}, which has no such step in this task.`,
      );
    }
    if (parentOf[own] !== -1 && (parentOf[own] !== parent || parentSteps[own] !== step)) {
      throw rowFault(row, index, "parent", "differs from that of another row of its trajectory.");
    }
    parentOf[own] = parent;
    parentSteps[own] = step;
  }
  refuseCycles(rows, first, parentOf);
  return { parentOf, parentSteps };
}

function stepRanges(
  rows: readonly CreditRow[],
  first: readonly number[],
  trajectoryOf: Int32Array,
): { readonly least: Float64Array; readonly most: Float64Array } {
  const least = new Float64Array(first.length).fill(Number.POSITIVE_INFINITY);
  const most = new Float64Array(first.length).fill(Number.NEGATIVE_INFINITY);
  for (const [index, { step }] of rows.entries()) {
    const trajectory = intAt(trajectoryOf, index);
    least[trajectory] = Math.min(real(least, trajectory), step);
    most[trajectory] = Math.max(real(most, trajectory), step);
  }
  return { least, most };
}

/** Each walk marks what it passes with its own number; meeting that number again is a cycle. Linear over all walks. */
function refuseCycles(rows: readonly CreditRow[], first: readonly number[], parentOf: Int32Array): void {
  const seen = new Int32Array(first.length);
  for (let start = 0; start < first.length; start += 1) {
    let at = start;
    while (at !== -1 && seen[at] === 0) {
      seen[at] = start + 1;
      at = intAt(parentOf, at);
    }
    if (at === -1 || seen[at] !== start + 1) continue;
    const index = entry(first, at);
    throw rowFault(entry(rows, index), index, "parent", "forms a cycle; a branch cannot descend from itself.");
  }
}
