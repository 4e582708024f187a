/** The engine around a method: checks the batch, the needs and the options, then adds the method's terms up. */
import type { OptionTable, OptionValues } from "limbeck-base/base/option-table";
import { resolveOptions } from "limbeck-base/base/options";
import type { Json } from "limbeck-base/base/json";
import { indexBatch } from "./batch-index.ts";
import { entry, real, intAt } from "./columns.ts";
import type { CreditBatch, CreditMethod, CreditResult, CreditRow, IndexedBatch, Term, Terms } from "./credit.ts";
import { fieldsRead, type Need, requireNeeds } from "./needs.ts";
import { jsonName, LOGPROB_NAMES, rowFault, type RowSignals } from "./row.ts";
import { tokenArrays } from "./tokens.ts";

/**
 * A checked batch; make it once to run several methods on it. Only the fields that are `read` are walked through.
 *
 * @example
 * import { assignCredit, credits } from "limbeck/credit";
 * import { batchFromJson } from "limbeck/update";
 *
 * const batch = prepareBatch(batchFromJson(credits.grpo.example.batch));
 * console.log(assignCredit(credits.opo, batch).advantages[0], assignCredit(credits["dr-grpo"], batch).advantages[0]); // Float64Array(1) [ 0.5 ] Float64Array(1) [ 0.5 ]
 */
export function prepareBatch(batch: CreditBatch, fields?: ReadonlySet<string>): IndexedBatch {
  checkRows(batch.rows, fields);
  return { rows: batch.rows, trajectories: batch.trajectories, index: indexBatch(batch) };
}

/**
 * Per-token advantages by the method, with the terms they are made of.
 *
 * @example
 * import { batchFromJson } from "limbeck/update";
 * import { credits } from "limbeck/credit";
 *
 * const mask = [1];
 * const rows = ["a", "b"].map((trajectory) => ({ task: "t", trajectory, step: 0, mask }));
 * const batch = batchFromJson({ rows, trajectories: { a: { outcome: 1 }, b: { outcome: 0 } } });
 * console.log(assignCredit(credits["dr-grpo"], batch).advantages); // [ Float64Array(1) [ 0.5 ], Float64Array(1) [ -0.5 ] ]
 */
export function assignCredit<Options extends OptionTable>(
  credit: CreditMethod<Options>,
  batch: CreditBatch | IndexedBatch,
  options: Partial<OptionValues<Options>> = {},
): CreditResult {
  const method = credit.info.title;
  const resolved = resolveOptions(credit.options, options, method);
  const reads = [...credit.needs, ...(Object.keys(credit.mayNeed ?? {}) as Need[])];
  const prepared = "index" in batch ? batch : prepareBatch(batch, fieldsRead(reads));
  requireNeeds(credit.needs, prepared, method);
  return sumTerms(prepared, credit.compute(prepared, resolved));
}

/** A[row][token] = mask * sum of weight * value. */
export function sumTerms(batch: IndexedBatch, computed: Terms): CreditResult {
  const { rows, index } = batch;
  const { terms, dropped = [] } = computed;
  const active = Object.values(terms).filter((term) => term.weight !== 0);
  const ofRows = active.flatMap(({ weight, perRow }) => (perRow === undefined ? [] : [{ weight, perRow }]));
  const ofTokens = active.flatMap(({ weight, perToken }) => (perToken === undefined ? [] : [{ weight, perToken }]));
  const left = new Set(dropped);
  const advantages = tokenArrays(rows);
  for (let at = 0; at < rows.length; at += 1) {
    const { mask } = entry(rows, at);
    if (left.has(at)) continue;
    const target = entry(advantages, at);
    let base = 0;
    for (const { weight, perRow } of ofRows) base += weight * real(perRow, at);
    if (index.tokens[at] === mask.length) target.fill(base);
    else for (let token = 0; token < mask.length; token += 1) if (mask[token] === 1) target[token] = base;
    for (const { weight, perToken } of ofTokens) addTokens(target, mask, weight, entry(perToken, at));
  }
  return {
    ...computed,
    dropped,
    advantages,
    metrics: { ...sizes(batch, dropped.length), ...shares(batch, terms), ...computed.metrics },
  };
}

function addTokens(target: Float64Array, mask: Uint8Array, weight: number, values: Float64Array): void {
  for (let token = 0; token < mask.length; token += 1) {
    if (mask[token] === 1) target[token] = real(target, token) + weight * real(values, token);
  }
}

function sizes({ rows, index }: IndexedBatch, dropped: number): Record<string, number> {
  return {
    rows: rows.length,
    trajectories: index.trajectories,
    tasks: index.tasks,
    tokens: index.totalTokens,
    droppedRows: dropped,
  };
}

/** Mean size of each term over the trained tokens, and its share of the sum of these. */
function shares(batch: IndexedBatch, terms: Readonly<Record<string, Term>>): Record<string, number> {
  const means = Object.entries(terms).map(([name, term]) => [name, meanSize(batch, term)] as const);
  const total = means.reduce((sum, [, mean]) => sum + mean, 0);
  return Object.fromEntries(
    means.flatMap(([name, mean]) => [
      [`${name}.meanAbs`, mean],
      [`${name}.share`, total === 0 ? 0 : mean / total],
    ]),
  );
}

function meanSize({ rows, index }: IndexedBatch, { weight, perRow, perToken }: Term): number {
  if (index.totalTokens === 0 || weight === 0) return 0;
  let sum = 0;
  for (let at = 0; at < rows.length; at += 1) {
    const { mask } = entry(rows, at);
    if (perRow !== undefined) sum += intAt(index.tokens, at) * Math.abs(real(perRow, at));
    const values = perToken?.[at];
    if (values === undefined) continue;
    for (let token = 0; token < mask.length; token += 1) if (mask[token] === 1) sum += Math.abs(real(values, token));
  }
  return (Math.abs(weight) * sum) / index.totalTokens;
}

// What must hold of each row alone, whatever the method. Masked positions may hold anything: they are not read.

const LOGPROB_FIELDS = LOGPROB_NAMES.map((name) => [name, `logprobs.${jsonName(name)}`] as const);

/**
 * `reads` names the fields whose numbers are looked at. Default: all of them. Lengths are always checked, but what a
 * method does not read need not be walked through.
 */
function checkRows(rows: readonly CreditRow[], reads?: ReadonlySet<string>): void {
  const signals = [...(reads ?? [])].filter((field) => field.startsWith("signals."));
  const names = reads && signals.map((field) => field.slice("signals.".length) as keyof RowSignals);
  for (let index = 0; index < rows.length; index += 1) {
    const row = entry(rows, index);
    checkRow(row, index, reads);
    if (row.signals !== undefined && names?.length !== 0) checkSignals(row, index, row.signals, names);
  }
}

function checkRow(row: CreditRow, index: number, reads: ReadonlySet<string> | undefined): void {
  if (row.task === "") throw rowFault(row, index, "task", "is empty.");
  if (row.trajectory === "") throw rowFault(row, index, "trajectory", "is empty.");
  if (!(Number.isInteger(row.step) && row.step >= 0)) {
    throw rowFault(row, index, "step", `is ${row.step}; it must be a whole number from 0.`);
  }
  checkMask(row, index);
  checkNumber(row, index, "reward", row.reward);
  checkNumber(row, index, "greedyScore", row.greedyScore);
  checkTokens(row, index, "tokenRewards", row.tokenRewards);
  checkTokens(row, index, "values", row.values, reads);
  if (row.logprobs !== undefined) {
    for (const [name, field] of LOGPROB_FIELDS) checkTokens(row, index, field, row.logprobs[name], reads);
  }
  if (row.turns !== undefined) checkTurns(row, index, row.turns);
}

function checkNumber(row: CreditRow, index: number, field: string, value: number | undefined): void {
  if (value === undefined || Number.isFinite(value)) return;
  throw rowFault(row, index, field, `is ${value}; it must be a finite number, or absent where nobody scored it.`);
}

function checkTokens(
  row: CreditRow,
  index: number,
  field: string,
  values: Float64Array | undefined,
  reads?: ReadonlySet<string>,
): void {
  if (values === undefined) return;
  const { mask } = row;
  if (values.length !== mask.length) {
    throw rowFault(row, index, field, `has ${values.length} values for a mask of ${mask.length} tokens.`);
  }
  if (reads?.has(field) === false || isFiniteWhereTrained(values, mask)) return;
  const token = values.findIndex((value, at) => mask[at] === 1 && !Number.isFinite(value));
  throw rowFault(row, index, `${field}[${token}]`, `is ${values[token]}; it must be a finite number.`);
}

/** x - x is 0 for a finite x and NaN otherwise, so one sum tells for the whole row; this loop meets every token. */
function isFiniteWhereTrained(values: Float64Array, mask: Uint8Array): boolean {
  let sum = 0;
  for (let token = 0; token < mask.length; token += 1) {
    if (mask[token] !== 1) continue;
    const value = real(values, token);
    sum += value - value;
  }
  return sum === 0;
}

function checkMask(row: CreditRow, index: number): void {
  const { mask } = row;
  let bits = 0;
  for (let token = 0; token < mask.length; token += 1) bits |= mask[token] ?? 0;
  if (bits <= 1) return;
  const token = mask.findIndex((one) => one > 1);
  throw rowFault(row, index, `mask[${token}]`, `is ${mask[token]}; it must be 0 or 1.`);
}

function checkTurns(row: CreditRow, index: number, turns: NonNullable<CreditRow["turns"]>): void {
  let from = 0;
  for (const [at, { start, end }] of turns.entries()) {
    const whole = Number.isInteger(start) && Number.isInteger(end);
    if (!whole || start < from || end <= start || end > row.mask.length) {
      throw rowFault(
        row,
        index,
        `turns[${at}]`,
        `is ${start} to ${end}; turns follow each other, hold at least one token and lie within the ${row.mask.length} tokens of the row.`,
      );
    }
    from = end;
  }
}

/** Numbers of signals are finite, and cuts stand in order within the response. */
function checkSignals(
  row: CreditRow,
  index: number,
  signals: RowSignals,
  names = Object.keys(signals) as readonly (keyof RowSignals)[],
): void {
  for (const name of names) {
    const path = badNumber(signals[name] as Json | undefined);
    if (path !== undefined) throw rowFault(row, index, `signals.${name}${path}`, "is not a finite number.");
    if (name === "cuts") checkCuts(row, index, signals.cuts ?? []);
  }
}

function checkCuts(row: CreditRow, index: number, cuts: NonNullable<RowSignals["cuts"]>): void {
  let last = -2;
  for (const [at, { token }] of cuts.entries()) {
    if (!Number.isInteger(token) || token < -1 || token <= last || token >= row.mask.length) {
      const fault = `is ${token}; cuts ascend from -1 (the prompt) and lie within the ${row.mask.length} tokens of the row.`;
      throw rowFault(row, index, `signals.cuts[${at}].token`, fault);
    }
    last = token;
  }
}

/** The path of the first number that is not finite. */
function badNumber(value: Json | undefined): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "";
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, part] of Object.entries(value)) {
    const path = badNumber(part);
    if (path !== undefined) return Array.isArray(value) ? `[${key}]${path}` : `.${key}${path}`;
  }
  return undefined;
}
