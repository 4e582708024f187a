/**
 * What every objective keeps: its weights are the slopes of its loss in `live` (with `frozen` held), masked tokens
 * count for nothing, order does not matter, and hard cases stay finite. Run over the whole registry.
 */
import { expect, test } from "vitest";
import { createRng, type Rng } from "limbeck-base/base/rng";
import type { Objective, StatisticName, Statistics, TrainRow } from "limbeck-policy/policy/objective";
import type { ObjectiveMethod } from "./objective.ts";

/** An objective under one choice of options. */
export interface ObjectiveCase {
  readonly name: string;
  readonly create: () => Objective;
}

const ARRAYS = ["advantages", "oldLogprobs", "referenceLogprobs", "rolloutLogprobs", "teacherLogprobs"] as const;
const STEP = 1e-5;
/** Candidates per token. */
const WIDTH = 3;

type Batch = { readonly rows: TrainRow[]; readonly live: Statistics; readonly frozen: Statistics };

/** What holds for any objective, also for combined ones. `rounds`: random batches whose slopes are compared. */
export function objectiveLaws(id: string, cases: readonly ObjectiveCase[], rounds = 12): void {
  for (const { name, create } of cases) {
    test(`${id}, ${name}: weights are the slopes of the loss in live`, () => {
      const rng = createRng(`${id} ${name}`);
      for (let round = 0; round < rounds; round += 1) checkSlopes(create(), randomBatch(rng, 1));
    });
    test(`${id}, ${name}: what is masked counts for nothing`, () => checkMask(create(), randomBatch(createRng(id), 1)));
    test(`${id}, ${name}: order of rows does not matter`, () => checkOrder(create(), randomBatch(createRng(id), 1)));
    test(`${id}, ${name}: far log-ratios and empty batches stay finite`, () => {
      const far = randomBatch(createRng(id), 50);
      expectFinite(create().compute(far.live, far.frozen, far.rows));
      const rows = far.rows.map((row) => ({ ...row, mask: new Uint8Array(row.mask.length) }));
      for (const batch of [
        { ...far, rows },
        { rows: [], live: empty(create()), frozen: empty(create()) },
      ]) {
        const { loss, weights } = create().compute(batch.live, batch.frozen, batch.rows);
        expect(loss).toBeCloseTo(0, 12);
        for (const array of Object.values(weights).flat()) expect(array.every((weight) => weight === 0)).toBe(true);
      }
    });
  }
}

/** The laws, and what an entry of the registry adds: errors that name row and field, options, a description. */
export function objectiveContract(
  id: string,
  method: ObjectiveMethod,
  cases: readonly ObjectiveCase[],
  rounds = 12,
): void {
  objectiveLaws(id, cases, rounds);
  test.each(method.rowFields.map((field) => [field]))(`${id}: a row without %s is named`, (field) => {
    const { rows, live, frozen } = randomBatch(createRng(id), 1);
    const at = rows.findIndex((row) => row.mask.includes(1, 1));
    const { [field]: _gone, ...rest } = rows[at] as TrainRow;
    const wrong = rows.with(at, rest as TrainRow);
    expect(() => method.create().compute(live, frozen, wrong)).toThrow(new RegExp(`row ${at}\\b.*${field}`));
  });
  const lives = method.ratios !== undefined;
  test.each(method.policyLoss ? [lives ? "lives on" : "knows nothing of"] : [])(
    `${id}: %s ratios to the old policy`,
    () => expect(readsRatios(method)).toBe(lives),
  );
  test(`${id}: an unknown option is refused`, () => {
    expect(() => method.create({ colour: 1 })).toThrow(`No option of ${id} "colour".`);
  });
  test(`${id}: says what a reader needs`, () => {
    const { title, paper, formula, meaning } = method.info;
    for (const text of [title, paper, ...formula, meaning]) expect(text.length).toBeGreaterThan(3);
    expect(Object.keys(method.options)).not.toEqual([]);
  });
}

/** Rows in pairs, of 1 to 8 tokens; a pair may be masked out whole. `spread` is the size of log-ratios. */
function randomBatch(rng: Rng, spread: number): Batch {
  const rows: TrainRow[] = [];
  const pairs = 2 + rng.int(2);
  for (let pair = 0; pair < pairs; pair += 1) {
    const isMasked = pair > 0 && rng.int(4) === 0;
    for (const rank of [0, 1]) {
      const length = 2 + rng.int(7);
      const numbers = (): Float64Array => Float64Array.from({ length }, () => spread * rng.normal());
      const mask = Uint8Array.from({ length }, () => (isMasked ? 0 : rng.int(2)));
      if (!isMasked) mask[1 + rng.int(length - 1)] = 1;
      const arrays = Object.fromEntries([...ARRAYS, "returns", "oldValues"].map((field) => [field, numbers()]));
      const teacherCandidates = new Float32Array(candidateLogprobs(rng, length, spread));
      const candidates = { count: WIDTH, ids: new Int32Array(length * WIDTH) };
      const teacher = new Float32Array(length);
      rows.push({
        ids: new Int32Array(length),
        mask,
        pair: `p${pair}`,
        rank,
        candidates,
        teacherCandidates,
        teacher,
        ...arrays,
      });
    }
  }
  const draw = (): Float64Array[] =>
    rows.map((row) => Float64Array.from(row.ids, (_, token) => (token === 0 ? 0 : spread * rng.normal() - 1)));
  const candidates = rows.map(({ ids }) => candidateLogprobs(rng, ids.length, spread));
  const statistics = { logprob: draw(), entropy: draw(), divergence: draw(), value: draw(), candidates };
  return { rows, live: statistics, frozen: copy(statistics) };
}

/** Three candidates of a vocabulary of four: the rest is the fourth. */
function candidateLogprobs(rng: Rng, length: number, spread: number): Float64Array {
  const values = new Float64Array(length * WIDTH);
  for (let token = 0; token < length; token += 1) {
    const logits = Array.from({ length: WIDTH + 1 }, () => spread * rng.normal());
    const top = Math.max(...logits);
    const total = top + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - top), 0));
    for (let at = 0; at < WIDTH; at += 1) values[token * WIDTH + at] = (logits[at] as number) - total;
  }
  return values;
}

function checkSlopes(objective: Objective, { rows, live, frozen }: Batch): void {
  const { weights } = objective.compute(live, frozen, rows);
  expect(Object.keys(weights).sort()).toEqual([...objective.needs].sort());
  for (const name of objective.needs) {
    for (const [at, array] of (live[name] ?? []).entries()) {
      for (const [token, held] of array.slice().entries()) {
        array[token] = held + STEP;
        const up = objective.compute(live, frozen, rows).loss;
        array[token] = held - STEP;
        const down = objective.compute(live, frozen, rows).loss;
        array[token] = held;
        const found = weights[name]?.[at]?.[token] as number;
        const slope = (up - down) / (2 * STEP);
        expect(Math.abs(found - slope), `row ${at}, token ${token}`).toBeLessThan(1e-6 * (1 + Math.abs(slope)));
      }
    }
  }
}

/** Whether the gradient changes with the logged log-probabilities, near the present ones. */
function readsRatios(method: ObjectiveMethod): boolean {
  const { rows, live, frozen } = randomBatch(createRng(method.id), 1);
  const [fresh, moved] = [0, 0.05].map((by) => {
    const old = rows.map((row, at) => ({
      ...row,
      oldLogprobs: Float64Array.from(live.logprob?.[at] ?? [], (one) => one - by),
    }));
    return JSON.stringify(method.create().compute(live, frozen, old).weights);
  });
  return fresh !== moved;
}

function checkMask(objective: Objective, { rows, live, frozen }: Batch): void {
  const before = objective.compute(live, frozen, rows);
  const isMasked = (at: number, token: number): boolean => token < 1 || rows[at]?.mask[token] !== 1;
  const tokenOf = (array: Float64Array, at: number, place: number): number =>
    Math.floor((place * (rows[at]?.ids.length ?? 0)) / array.length);
  const spoil = (array: Float64Array, at: number, garbage: number): Float64Array =>
    array.map((number, place) => (isMasked(at, tokenOf(array, at, place)) ? garbage : number));
  const spoiled = rows.map((row, at) => ({
    ...row,
    ...Object.fromEntries(
      [...ARRAYS, "returns" as const, "oldValues" as const].map((field) => [
        field,
        spoil(row[field] as Float64Array, at, Number.NaN),
      ]),
    ),
  }));
  const noisy = (held: Statistics): Statistics =>
    Object.fromEntries(
      Object.entries(held).map(([name, arrays]) => [name, arrays.map((array, at) => spoil(array, at, -1e3))]),
    );
  const after = objective.compute(noisy(live), noisy(frozen), spoiled);
  expect(after).toEqual(before);
  for (const arrays of Object.values(before.weights)) {
    const leaks = arrays.flatMap((array, at) =>
      [...array].filter((one, place) => isMasked(at, tokenOf(array, at, place)) && one !== 0),
    );
    expect(leaks).toEqual([]);
  }
}

function checkOrder(objective: Objective, { rows, live, frozen }: Batch): void {
  const before = objective.compute(live, frozen, rows);
  const turned = (held: Statistics): Statistics =>
    Object.fromEntries(Object.entries(held).map(([name, arrays]) => [name, arrays.toReversed()]));
  const after = objective.compute(turned(live), turned(frozen), rows.toReversed());
  expect(after.loss).toBeCloseTo(before.loss, 12);
  for (const name of objective.needs) {
    after.weights[name]?.toReversed().forEach((array, at) => {
      array.forEach((weight, token) => expect(weight).toBeCloseTo(before.weights[name]?.[at]?.[token] as number, 12));
    });
  }
}

function expectFinite({ loss, weights }: ReturnType<Objective["compute"]>): void {
  expect(Number.isFinite(loss)).toBe(true);
  for (const array of Object.values(weights).flat()) expect(array.every(Number.isFinite)).toBe(true);
}

function copy(held: Record<string, Float64Array[]>): Statistics {
  return Object.fromEntries(Object.entries(held).map(([name, arrays]) => [name, arrays.map((array) => array.slice())]));
}

function empty(objective: Objective): Statistics {
  return Object.fromEntries(objective.needs.map((name: StatisticName) => [name, []]));
}
