/**
 * The contract suite of credit methods: one test per promise, with any runner that has `describe` and `test`.
 *
 *   creditContract({ name: "my method", credit: myMethod, runner: { describe, test } });
 *
 * Batches come from fast-check, which must be installed beside the runner. Promises that hold for every option are
 * tried with the defaults and with each other value of each choice and flag. Laws bind both ways: one that is declared
 * holds on every batch, and one that is not declared is broken by some batch.
 */
import { createRng, EngineError, errorCode, optionalPart, shuffle, type OptionValue } from "../base/index.ts";
import { assignCredit } from "./assign.ts";
import type { CreditMethod, CreditBatch, CreditResult, CreditRow } from "./credit.ts";
import { randomBatch, type BatchShape } from "./random-batch.ts";
import type { Outcome } from "./row.ts";

export interface CreditContractOptions {
  readonly name: string;
  readonly credit: CreditMethod;
  readonly runner: {
    readonly describe: (name: string, body: () => void) => unknown;
    readonly test: (name: string, body: () => Promise<void>) => unknown;
  };
  /** Random batches for each promise and option. Default: 20. */
  readonly runs?: number;
}

type Options = Readonly<Record<string, OptionValue>>;
type Promised = (credit: CreditMethod, shape: BatchShape, options: Options) => void;

export function creditContract({ name, credit, runner, runs = 20 }: CreditContractOptions): void {
  const everyOption: Readonly<Record<string, Promised>> = {
    "terms add up to the advantages, and masked tokens get exactly 0": termsAddUp,
    "shuffling rows shuffles the result and nothing else": permutes,
    "padding and what stands under the mask change nothing": masks,
    "the batch comes back as it was, and the same batch gives the same numbers": isPure,
    "equal rewards, single rows, empty responses and log-ratios of 50 stay finite": staysFinite,
  };
  runner.describe(`${name} keeps the credit contract`, () => {
    for (const [title, check] of Object.entries(everyOption)) {
      runner.test(title, async () => {
        for (const options of variants(credit)) await tryBatches(runs, (shape) => check(credit, shape, options));
      });
    }
    for (const law of lawsOf(credit)) {
      const title = law.declared ? law.title : `not declared, and does not hold: ${law.title}`;
      runner.test(title, async () => (law.declared ? tryBatches(runs, law.check) : expectBreach(law)));
    }
  });
}

/** The defaults, then each choice and flag turned to each other value, one at a time. */
function variants({ options }: CreditMethod): Options[] {
  const others = Object.entries(options).flatMap(([name, spec]): Options[] => {
    if (spec.kind === "flag") return [{ [name]: !spec.default }];
    if (spec.kind !== "choice") return [];
    return spec.choices.filter((choice) => choice !== spec.default).map((choice) => ({ [name]: choice }));
  });
  return [{}, ...others];
}

async function tryBatches(runs: number, check: (shape: BatchShape) => void): Promise<void> {
  const fc = await optionalPart("suites", () => import("fast-check"));
  const shape = fc.record({
    seed: fc.nat(),
    tasks: fc.integer({ min: 1, max: 3 }),
    trajectories: fc.integer({ min: 1, max: 4 }),
    steps: fc.integer({ min: 1, max: 4 }),
    tokens: fc.integer({ min: 2, max: 5 }),
    branches: fc.boolean(),
  });
  fc.assert(fc.property(shape, check), { numRuns: runs });
}

const termsAddUp: Promised = (credit, shape, options) => {
  const batch = randomBatch(shape);
  const result = run(credit, batch, options);
  if (result === undefined) return;
  for (const [at, { mask }] of batch.rows.entries()) {
    for (const [token, trained] of mask.entries()) {
      let sum = 0;
      for (const { weight, perRow, perToken } of Object.values(result.terms)) {
        sum += weight * ((perRow?.[at] ?? 0) + (perToken?.[at]?.[token] ?? 0));
      }
      const expected = trained === 0 || result.dropped.includes(at) ? 0 : sum;
      expectNear(result.advantages[at]?.[token], expected, 1e-9, `row ${at}, token ${token}`);
      if (trained === 0 && !Object.is(result.advantages[at]?.[token], 0))
        throw broken(`row ${at}, token ${token} is masked`);
    }
  }
};

const permutes: Promised = (credit, shape, options) => {
  const batch = randomBatch(shape);
  const order = shuffle([...batch.rows.keys()], createRng(shape.seed + 1));
  const rows = order.map((at) => batch.rows[at] as CreditRow);
  const straight = run(credit, batch, options);
  const shuffled = run(credit, { ...batch, rows }, options);
  if (straight === undefined || shuffled === undefined) return;
  compare(
    order.map((at) => straight.advantages[at] as Float64Array),
    shuffled.advantages,
    1e-9,
  );
};

const masks: Promised = (credit, shape, options) => {
  const batch = randomBatch(shape);
  const clean = run(credit, batch, options);
  const dirty = run(credit, { ...batch, rows: batch.rows.map(spoil) }, options);
  if (clean === undefined || dirty === undefined) return;
  compare(
    clean.advantages,
    dirty.advantages.map((values, at) => values.subarray(0, batch.rows[at]?.mask.length)),
    0,
  );
};

const isPure: Promised = (credit, shape, options) => {
  const batch = randomBatch(shape);
  const first = run(credit, batch, options);
  const second = run(credit, randomBatch(shape), options);
  if (first === undefined || second === undefined) return;
  compare(first.advantages, second.advantages, 0);
  const text = (given: CreditBatch): string => JSON.stringify(given.rows);
  if (text(batch) !== text(randomBatch(shape))) throw broken("the method changed its input");
};

const staysFinite: Promised = (credit, shape, options) => {
  const batch = randomBatch(shape);
  const alone = { ...batch, rows: batch.rows.filter((row) => row.step === 0 && row.trajectory === "task-0/0") };
  const empty = { ...batch, rows: batch.rows.map((row) => resize(row, 0)) };
  const masked = { ...batch, rows: batch.rows.map((row) => ({ ...row, mask: row.mask.map(() => 0) })) };
  const outcome = { outcome: 0.1, success: false };
  const equal = {
    rows: batch.rows.map((row) => scaleSignals({ ...row, reward: 0.1 }, () => 0.1)),
    trajectories: new Map([...batch.trajectories.keys()].map((id) => [id, outcome] as const)),
  };
  const far = { ...batch, rows: batch.rows.map(farApart) };
  for (const given of [alone, empty, masked, equal, far, { rows: [], trajectories: new Map() }]) {
    for (const values of run(credit, given, options)?.advantages ?? []) {
      for (const value of values) if (!Number.isFinite(value)) throw broken(`an advantage is ${value}`);
    }
  }
};

interface Law {
  readonly title: string;
  readonly declaration: string;
  readonly declared: boolean;
  /** Throws where the law does not hold on the batch of this shape. */
  readonly check: (shape: BatchShape) => void;
}

function lawsOf(credit: CreditMethod): Law[] {
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

function expectBreach({ declaration, check }: Law): void {
  for (let seed = 0; seed < MANY; seed += 1) {
    const [tasks, trajectories, steps, tokens] = [1 + (seed % 3), 1 + (seed % 4), 1 + (seed % 5), 2 + (seed % 4)];
    try {
      check({ seed, tasks, trajectories, steps, tokens, branches: seed % 2 === 1 });
    } catch (error) {
      if (errorCode(error) === "credit-contract") return;
      throw error;
    }
  }
  throw broken(
    `its laws do not say \`${declaration}\`, but that holds on each of ${MANY} random batches. Declare it, or find out why the law holds`,
  );
}

function shifts(credit: CreditMethod, shape: BatchShape): void {
  const change = ({ outcome, success }: Outcome): Outcome => ({ outcome: outcome + 0.25, success });
  const { base, changed } = pair(credit, groups(credit, shape), change);
  compare(base.advantages, changed.advantages, 1e-6);
}

function scales(credit: CreditMethod, shape: BatchShape, kind: "same" | "proportional"): void {
  const factor = 2;
  const batch = groups(credit, shape);
  const rows = batch.rows.map((row) => ({
    ...scaleSignals(row, (value) => factor * value),
    reward: factor * (row.reward ?? 0),
    greedyScore: factor * (row.greedyScore ?? 0),
    values: (row.values ?? new Float64Array()).map((value) => factor * value),
  }));
  const { base, changed } = pair(credit, batch, (own) => ({ ...own, outcome: factor * own.outcome }), rows);
  if (kind === "same") return compare(base.advantages, changed.advantages, 1e-3);
  const grown = base.advantages.map((values) => values.map((value) => factor * value));
  return compare(grown, changed.advantages, 1e-9);
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

/** Whether the method says nothing where nobody teaches: its laws would hold of nothing but zeros. */
function isSilent(credit: CreditMethod): boolean {
  const batch = randomBatch({ seed: 1, tasks: 3, trajectories: 4, steps: 4, tokens: 4, plain: true });
  return assignCredit(credit, batch).advantages.every((values) => values.every((value) => value === 0));
}

function pair(
  credit: CreditMethod,
  batch: CreditBatch,
  change: (outcome: Outcome) => Outcome,
  rows = batch.rows,
): { readonly base: CreditResult; readonly changed: CreditResult } {
  const trajectories = new Map([...batch.trajectories].map(([id, own]) => [id, change(own)] as const));
  return { base: assignCredit(credit, batch), changed: assignCredit(credit, { rows, trajectories }) };
}

const TOO_LITTLE: readonly string[] = ["too-few-tokens", "group-too-small"];

/** Undefined where the method refuses a batch with too little to whiten or to compare, which is documented. */
function run(credit: CreditMethod, batch: CreditBatch, options: Options): CreditResult | undefined {
  try {
    return assignCredit(credit, batch, options);
  } catch (error) {
    if (TOO_LITTLE.includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}

/** NaN under the mask, and two masked tokens more. */
function spoil(row: CreditRow): CreditRow {
  const dirty = (values: Float64Array | undefined) =>
    values?.map((value, token) => (row.mask[token] === 1 ? value : Number.NaN));
  const spoiled = { ...row, values: dirty(row.values) as Float64Array, logprobs: eachLogprob(row, dirty) };
  return resize(spoiled, row.mask.length + 2);
}

function farApart(row: CreditRow, at: number): CreditRow {
  const old = row.logprobs?.old ?? new Float64Array();
  const shifted = (by: number) => old.map((value) => value + by);
  const sign = at % 2 === 0 ? 50 : -50;
  return {
    ...row,
    logprobs: {
      old,
      episodeTeacher: shifted(50),
      stepTeacher: shifted(-50),
      answerTeacher: shifted(sign),
      withoutObservation: shifted(sign),
      previousTask: shifted(-sign),
      collision: shifted(-50),
    },
    ...(row.signals === undefined ? {} : { signals: { ...row.signals, answerLogprob: { before: -50, after: 0 } } }),
  };
}

/** Rewards and values among the signals, each changed alike. */
function scaleSignals(row: CreditRow, change: (value: number) => number): CreditRow {
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

function resize(row: CreditRow, length: number): CreditRow {
  const fit = (values: Float64Array | undefined) =>
    Float64Array.from({ length }, (_, token) => values?.[token] ?? Number.NaN);
  const mask = Uint8Array.from({ length }, (_, token) => row.mask[token] ?? 0);
  const { cuts, ...signals } = row.signals ?? {};
  const kept = cuts?.filter(({ token }) => token < length);
  const logprobs = eachLogprob(row, (values) => values && fit(values));
  return { ...row, mask, values: fit(row.values), logprobs, signals: { ...signals, ...(kept && { cuts: kept }) } };
}

function eachLogprob(row: CreditRow, change: (values: Float64Array | undefined) => Float64Array | undefined) {
  const entries = Object.entries(row.logprobs ?? {}).map(([name, values]) => [name, change(values)]);
  return Object.fromEntries(entries) as NonNullable<CreditRow["logprobs"]>;
}

function compare(left: readonly Float64Array[], right: readonly Float64Array[], tolerance: number): void {
  for (const [at, values] of left.entries()) {
    for (const [token, value] of values.entries())
      expectNear(right[at]?.[token], value, tolerance, `row ${at}, token ${token}`);
  }
}

function expectNear(found: number | undefined, expected: number, tolerance: number, where: string): void {
  const distance = Math.abs((found ?? Number.NaN) - expected);
  if (!(distance <= tolerance * Math.max(1, Math.abs(expected))))
    throw broken(`${where}: ${found} instead of ${expected}`);
}

function broken(what: string): EngineError {
  return new EngineError("credit-contract", `The method breaks the credit contract: ${what}.`);
}
