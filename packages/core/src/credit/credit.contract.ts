/**
 * The contract suite of credit methods: one test per promise, with any runner that has `describe` and `test`.
 *
 *   creditContract({ name: "my method", credit: myMethod, runner: { describe, test } });
 *
 * Batches come from fast-check, which must be installed beside the runner. Promises that hold for every option are
 * tried with the defaults and with each other value of each choice and flag. Laws bind both ways: one that is declared
 * holds on every batch, and one that is not declared is broken by some batch.
 */
import { createRng, shuffle } from "limbeck-base/base/rng";
import { errorCode } from "limbeck-base/base/errors";
import type { OptionValue } from "limbeck-base/base/option-table";
import type { Runner } from "limbeck-base/base/test-runner";
import { optionalPart } from "limbeck-base/base/optional-part";
import { assignCredit } from "./assign.ts";
import { breach, compare, expectBreach, expectNear, lawsOf, scaleSignals } from "./check-laws.ts";
import type { CreditMethod, CreditBatch, CreditResult, CreditRow } from "./credit.ts";
import { randomBatch, type BatchShape } from "./random-batch.ts";

export interface CreditContractOptions {
  readonly name: string;
  readonly credit: CreditMethod;
  readonly runner: Runner;
  /** Random batches for each promise and option. Default: 20. */
  readonly runs?: number;
}

type Options = Readonly<Record<string, OptionValue>>;
type Promised = (credit: CreditMethod, shape: BatchShape, options: Options) => void;

/**
 * Registers the suite. `runner` is a test runner, such as `describe` and `test` of vitest; here it runs at once.
 *
 * @example
 * import { getCredit } from "limbeck/credit";
 *
 * const tests: (() => Promise<void>)[] = [];
 * const runner = { describe: (_: string, body: () => void) => body(), test: (_: string, body: () => Promise<void>) => tests.push(body) };
 * creditContract({ name: "grpo", credit: getCredit("grpo"), runs: 2, runner });
 * for (const one of tests) await one();
 * console.log(tests.length); // 9
 */
export function creditContract({ name, credit, runner, runs = 20 }: CreditContractOptions): void {
  const everyOption: Readonly<Record<string, Promised>> = {
    "terms add up to the advantages, and masked tokens get exactly 0": termsAddUp,
    "shuffling rows shuffles the result and nothing else": permutes,
    "padding and what stands under the mask change nothing": masks,
    "the batch comes back as it was, and the same batch gives the same numbers": isPure,
    "it scales clip ranges as it declares": declaresClips,
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
        throw breach(`row ${at}, token ${token} is masked`);
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
  const [batch, fresh] = [randomBatch(shape), randomBatch(shape)];
  const text = (given: CreditBatch): string => JSON.stringify(given.rows);
  const first = run(credit, batch, options);
  const changed = text(batch) !== text(fresh);
  const second = run(credit, fresh, options);
  if (first === undefined || second === undefined) return;
  compare(first.advantages, second.advantages, 0);
  if (changed) throw breach("the method changed its input");
};

const declaresClips: Promised = (credit, shape, options) => {
  const result = run(credit, randomBatch(shape), options);
  if (result === undefined || (result.clipScales !== undefined) === (credit.clipScales === true)) return;
  throw breach(`clipScales ${credit.clipScales === true ? "are declared and missing" : "are given and not declared"}`);
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
      for (const value of values) if (!Number.isFinite(value)) throw breach(`an advantage is ${value}`);
    }
  }
};

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
      entropy: old.map(() => 50),
    },
    ...(row.signals === undefined ? {} : { signals: { ...row.signals, answerLogprob: { before: -50, after: 0 } } }),
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
