/** What must hold of each row alone, whatever the method. Masked positions may hold anything: nobody reads them. */
import type { CreditRow } from "./credit.ts";
import { rowFault } from "./row-name.ts";

const LOGPROB_FIELDS = {
  old: "logprobs.old",
  new: "logprobs.new",
  reference: "logprobs.ref",
  episodeTeacher: "logprobs.episodeTeacher",
  stepTeacher: "logprobs.stepTeacher",
} as const;

export function checkRows(rows: readonly CreditRow[]): void {
  for (let index = 0; index < rows.length; index += 1) checkRow(rows[index] as CreditRow, index);
}

function checkRow(row: CreditRow, index: number): void {
  if (row.task === "") throw rowFault(row, index, "task", "is empty.");
  if (row.trajectory === "") throw rowFault(row, index, "trajectory", "is empty.");
  if (!(Number.isInteger(row.step) && row.step >= 0)) {
    throw rowFault(row, index, "step", `is ${row.step}; it must be a whole number from 0.`);
  }
  for (let token = 0; token < row.mask.length; token += 1) {
    if ((row.mask[token] as number) > 1) {
      throw rowFault(row, index, `mask[${token}]`, `is ${row.mask[token]}; it must be 0 or 1.`);
    }
  }
  checkNumber(row, index, "reward", row.reward);
  checkNumber(row, index, "greedyScore", row.greedyScore);
  checkTokens(row, index, "tokenRewards", row.tokenRewards);
  checkTokens(row, index, "values", row.values);
  if (row.logprobs !== undefined) {
    for (const key of Object.keys(LOGPROB_FIELDS) as (keyof typeof LOGPROB_FIELDS)[]) {
      checkTokens(row, index, LOGPROB_FIELDS[key], row.logprobs[key]);
    }
  }
  if (row.turns !== undefined) checkTurns(row, index, row.turns);
}

function checkNumber(row: CreditRow, index: number, field: string, value: number | undefined): void {
  if (value === undefined || Number.isFinite(value)) return;
  throw rowFault(row, index, field, `is ${value}; it must be a finite number, or absent where nobody scored it.`);
}

function checkTokens(row: CreditRow, index: number, field: string, values: Float64Array | undefined): void {
  if (values === undefined) return;
  const { mask } = row;
  if (values.length !== mask.length) {
    throw rowFault(row, index, field, `has ${values.length} values for a mask of ${mask.length} tokens.`);
  }
  for (let token = 0; token < mask.length; token += 1) {
    if (mask[token] === 1 && !Number.isFinite(values[token])) {
      throw rowFault(row, index, `${field}[${token}]`, `is ${values[token]}; it must be a finite number.`);
    }
  }
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
