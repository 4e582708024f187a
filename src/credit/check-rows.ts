/** What must hold of each row alone, whatever the method. Masked positions may hold anything: nobody reads them. */
import type { Json } from "../trajectory/index.ts";
import { entry, real } from "./columns.ts";
import type { CreditRow } from "./credit.ts";
import { rowFault } from "./row-name.ts";
import { jsonName, LOGPROB_NAMES, type RowSignals } from "./row.ts";

const LOGPROB_FIELDS = LOGPROB_NAMES.map((name) => [name, `logprobs.${jsonName(name)}`] as const);

/**
 * `reads` names the fields whose numbers are looked at. Default: all of them. Lengths are always checked, but what a
 * method does not read need not be walked through.
 */
export function checkRows(rows: readonly CreditRow[], reads?: ReadonlySet<string>): void {
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
