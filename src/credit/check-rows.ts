/** What must hold of each row alone, whatever the method. Masked positions may hold anything: nobody reads them. */
import type { CreditRow } from "./credit.ts";
import { rowFault } from "./row-name.ts";
import { checkSignals, signalsRead } from "./signals.ts";

const LOGPROB_FIELDS = [
  ["old", "logprobs.old"],
  ["new", "logprobs.new"],
  ["reference", "logprobs.ref"],
  ["episodeTeacher", "logprobs.episodeTeacher"],
  ["stepTeacher", "logprobs.stepTeacher"],
  ["answerTeacher", "logprobs.answerTeacher"],
  ["withoutObservation", "logprobs.withoutObservation"],
  ["previousTask", "logprobs.previousTask"],
  ["collision", "logprobs.collision"],
] as const;

/**
 * `reads` names the token arrays whose values are looked at; all of them unless given. Lengths are always checked, but
 * what a method does not read need not be walked through.
 */
export function checkRows(rows: readonly CreditRow[], reads?: ReadonlySet<string>): void {
  const signals = signalsRead(reads);
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] as CreditRow;
    checkRow(row, index, reads);
    if (row.signals !== undefined && signals?.length !== 0) checkSignals(row, index, row.signals, signals);
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
    for (const [key, field] of LOGPROB_FIELDS) checkTokens(row, index, field, row.logprobs[key], reads);
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
    if (mask[token] === 1) sum += (values[token] as number) - (values[token] as number);
  }
  return sum === 0;
}

function checkMask(row: CreditRow, index: number): void {
  const { mask } = row;
  let bits = 0;
  for (let token = 0; token < mask.length; token += 1) bits |= mask[token] as number;
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
