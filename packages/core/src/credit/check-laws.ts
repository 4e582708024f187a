/** The laws of credit methods, checked both ways: a declared one holds on every batch, another is broken by some. */
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { assignCredit } from "./assign.ts";
import type { CreditMethod, CreditBatch, CreditRow } from "./credit.ts";
import { randomBatch, type BatchShape } from "./random-batch.ts";
import type { Outcome } from "./row.ts";

export interface Law {
  readonly title: string;
  readonly declaration: string;
  readonly declared: boolean;
  /** Throws where the law does not hold on the batch of this shape. */
  readonly check: (shape: BatchShape) => void;
}

export function lawsOf(credit: CreditMethod): Law[] {
  const { shift, scale, zeroSum } = credit.laws;
  const scaling = (["same", "proportional"] as const).map((kind) => ({
    title: `rewards all larger by a factor: advantages ${kind === "same" ? "stay the same" : "grow by it"}`,
    declaration: `scale: "${kind}"`,
    declared: scale === kind,
    check: (shape: BatchShape) => scales(credit, shape, kind),
  }));
  return [
    {
      title: "outcomes all higher by a constant change nothing",
      declaration: "shift: true",
      declared: shift,
      check: (shape) => shifts(credit, shape),
    },
    ...(scale === "neither" ? scaling : scaling.filter(({ declared }) => declared)),
    {
      title: "advantages of a task add up to 0",
      declaration: "zeroSum: true",
      declared: zeroSum,
      check: (shape) => sumsToZero(credit, shape),
    },
  ];
}

/** Batches on which a law must break at least once where it is not declared. */
const MANY = 100;

export function expectBreach({ declaration, check }: Law): void {
  for (let seed = 0; seed < MANY; seed += 1) {
    const [tasks, trajectories, steps, tokens] = [1 + (seed % 3), 1 + (seed % 4), 1 + (seed % 5), 2 + (seed % 4)];
    try {
      check({ seed, tasks, trajectories, steps, tokens, branches: seed % 2 === 1 });
    } catch (error) {
      if (errorCode(error) === "credit-contract") return;
      throw error;
    }
  }
  throw breach(
    `its laws do not say \`${declaration}\`, but that holds on each of ${MANY} random batches. Declare it, or find out why the law holds`,
  );
}

function shifts(credit: CreditMethod, shape: BatchShape): void {
  const change = ({ outcome, success }: Outcome): Outcome => ({ outcome: outcome + 0.25, success });
  const { rows, trajectories } = groups(credit, shape);
  const higher = new Map([...trajectories].map(([id, own]) => [id, change(own)] as const));
  compare(
    assignCredit(credit, { rows, trajectories }).advantages,
    assignCredit(credit, { rows, trajectories: higher }).advantages,
    1e-6,
  );
}

function scales(credit: CreditMethod, shape: BatchShape, kind: "same" | "proportional"): void {
  const factor = 2;
  const drawn = groups(credit, shape);
  // Returns of a group can differ by less than a thousandth; beside large ones what is added to a deviation does not count.
  const batch = credit.laws.scale === "same" ? scaled(drawn, 1_000) : drawn;
  // Of equal outcomes a published mean may leave a hundred-millionth, which the deviation of equals makes large.
  if (kind === "same" && new Set([...batch.trajectories.values()].map(({ outcome }) => outcome)).size < 2) return;
  const changed = assignCredit(credit, scaled(batch, factor));
  const base = assignCredit(credit, batch);
  if (kind === "same") return compare(base.advantages, changed.advantages, 1e-3);
  const grown = base.advantages.map((values) => values.map((value) => factor * value));
  return compare(grown, changed.advantages, 1e-9);
}

function scaled({ rows, trajectories }: CreditBatch, factor: number): CreditBatch {
  return {
    rows: rows.map((row) => ({
      ...scaleSignals(row, (value) => factor * value),
      reward: factor * (row.reward ?? 0),
      greedyScore: factor * (row.greedyScore ?? 0),
      values: (row.values ?? new Float64Array()).map((value) => factor * value),
    })),
    trajectories: new Map([...trajectories].map(([id, own]) => [id, { ...own, outcome: factor * own.outcome }])),
  };
}

function sumsToZero(credit: CreditMethod, shape: BatchShape): void {
  const batch = groups(credit, shape);
  const { advantages } = assignCredit(credit, batch);
  const sums = new Map<string, number>();
  for (const [at, row] of batch.rows.entries()) {
    const own = advantages[at]?.[row.mask.indexOf(1)] ?? 0;
    sums.set(row.task, (sums.get(row.task) ?? 0) + own);
  }
  for (const [task, sum] of sums) expectNear(sum, 0, 1e-9, `sum of ${task}`);
}

/** Groups of two and more, without penalties: where the laws hold. Without teachers too, unless nothing is left then. */
function groups(credit: CreditMethod, shape: BatchShape): CreditBatch {
  const batch = randomBatch({ ...shape, trajectories: shape.trajectories + 1, plain: !isSilent(credit) });
  return { ...batch, rows: batch.rows.map((row) => ({ ...row, valid: true })) };
}

const silent = new WeakMap<CreditMethod, boolean>();

/** Whether the method gives zeros without a teacher: its laws would hold of nothing but zeros. */
function isSilent(credit: CreditMethod): boolean {
  const known = silent.get(credit) ?? givesZeros(credit);
  silent.set(credit, known);
  return known;
}

function givesZeros(credit: CreditMethod): boolean {
  const batch = randomBatch({ seed: 1, tasks: 3, trajectories: 4, steps: 4, tokens: 4, plain: true });
  return assignCredit(credit, batch).advantages.every((values) => values.every((value) => value === 0));
}

/** Rewards and values among the signals, each changed alike. */
export function scaleSignals(row: CreditRow, change: (value: number) => number): CreditRow {
  const { cuts, stateValue, actionValue, legalValues, snapshot, split, ...rest } = row.signals ?? {};
  return {
    ...row,
    signals: {
      ...rest,
      ...(cuts && { cuts: cuts.map(({ token, value }) => ({ token, value: change(value) })) }),
      ...(stateValue && { stateValue: { before: change(stateValue.before) } }),
      ...(actionValue !== undefined && { actionValue: change(actionValue) }),
      ...(legalValues && { legalValues: legalValues.map(change) }),
      ...(snapshot && { snapshot: { ...snapshot, reward: change(snapshot.reward) } }),
      ...(split && { split: { ...split, before: change(split.before), after: change(split.after) } }),
    },
  };
}

export function compare(left: readonly Float64Array[], right: readonly Float64Array[], tolerance: number): void {
  for (const [at, values] of left.entries()) {
    for (const [token, value] of values.entries())
      expectNear(right[at]?.[token], value, tolerance, `row ${at}, token ${token}`);
  }
}

export function expectNear(found: number | undefined, expected: number, tolerance: number, where: string): void {
  const distance = Math.abs((found ?? Number.NaN) - expected);
  if (!(distance <= tolerance * Math.max(1, Math.abs(expected))))
    throw breach(`${where}: ${found} instead of ${expected}`);
}

export function breach(what: string): EngineError {
  return new EngineError("credit-contract", `The method breaks the credit contract: ${what}.`);
}
