/**
 * A table of distributions, one row per state, that can learn: the logits of a row are the logarithms of the
 * probabilities it was given plus a shift that starts at zero, so that what was given is exact until the first update.
 */
import { EngineError } from "limbeck-base/base/errors";
import type { Prediction } from "../local/response.ts";
import { COLDEST } from "../policy.ts";

export interface TableRow {
  readonly logprobs: Float64Array;
  /** In nats. */
  readonly entropy: number;
}

/** Temperatures whose predictions are kept; a test seldom uses more than two. */
const KEPT_TEMPERATURES = 8;
/** How far the sum of a row may lie from 1. */
const ROUNDING = 1e-6;

export type Table = ReturnType<typeof createTable>;

export function createTable(probabilities: readonly ArrayLike<number>[]) {
  const states = probabilities.length;
  const vocabularySize = probabilities[0]?.length ?? 0;
  const given = new Float64Array(states * vocabularySize);
  probabilities.forEach((row, state) => {
    checkRow(row, state, vocabularySize);
    for (let id = 0; id < vocabularySize; id += 1) given[state * vocabularySize + id] = Math.log(row[id] as number);
  });
  if (given.length === 0) throw bad("The table is empty; give at least one row with at least one probability.");
  const shift = new Float32Array(given.length);
  let rows: TableRow[] = [];
  const predictions = new Map<number, Prediction[]>();

  const row = (state: number): TableRow => (rows[state] ??= compute(given, shift, state, vocabularySize));
  return {
    states,
    vocabularySize,
    /** What has been learned on top of the given probabilities, flat, one row per state. */
    shift,
    /** To be called when `shift` has changed. */
    changed: (): void => {
      rows = [];
      predictions.clear();
    },
    row,
    /** The row after its logits were divided by a temperature. */
    tempered: (state: number, temperature: number): TableRow =>
      temperature === 1 ? row(state) : temper(row(state), temperature),
    prediction: (state: number, temperature: number): Prediction => {
      let kept = predictions.get(temperature);
      if (kept === undefined) {
        if (predictions.size >= KEPT_TEMPERATURES) predictions.clear();
        predictions.set(temperature, (kept = []));
      }
      return (kept[state] ??= predict(row(state), temperature));
    },
  };
}

function compute(given: Float64Array, shift: Float32Array, state: number, vocabularySize: number): TableRow {
  const start = state * vocabularySize;
  const logits = given.slice(start, start + vocabularySize).map((value, id) => value + (shift[start + id] as number));
  const largest = logits.reduce((left, right) => Math.max(left, right), -Infinity);
  const total = Math.log(logits.reduce((sum, value) => sum + Math.exp(value - largest), 0)) + largest;
  // Logarithms of probabilities need no normalising; subtracting the rounding of their sum would only add rounding.
  const shifted = shift.subarray(start, start + vocabularySize).some((value) => value !== 0);
  const logprobs = shifted ? logits.map((value) => value - total) : logits;
  return { logprobs, entropy: entropyOf(logprobs) };
}

function temper({ logprobs }: TableRow, temperature: number): TableRow {
  const largest = logprobs.reduce((left, right) => Math.max(left, right), -Infinity);
  const logits = logprobs.map((value) => (value - largest) / temperature);
  const total = Math.log(logits.reduce((sum, value) => sum + Math.exp(value), 0));
  const normal = logits.map((value) => value - total);
  return { logprobs: normal, entropy: entropyOf(normal) };
}

function entropyOf(logprobs: Float64Array): number {
  return logprobs.reduce((sum, value) => (value === -Infinity ? sum : sum - Math.exp(value) * value), 0);
}

/** Probabilities after temperature; they are not used where it is 0. */
function predict({ logprobs }: TableRow, temperature: number): Prediction {
  const largest = logprobs.reduce((left, right) => Math.max(left, right), -Infinity);
  const weights = logprobs.map((value) => Math.exp((value - largest) / (temperature < COLDEST ? 1 : temperature)));
  const sum = weights.reduce((left, right) => left + right, 0);
  return {
    logprobs: Float32Array.from(logprobs),
    probabilities: Float32Array.from(weights, (weight) => weight / sum),
  };
}

function checkRow(row: ArrayLike<number>, state: number, vocabularySize: number): void {
  if (row.length !== vocabularySize) {
    throw bad(`Row ${state} has ${row.length} probabilities, row 0 has ${vocabularySize}; they must be equal.`);
  }
  let sum = 0;
  for (let id = 0; id < row.length; id += 1) {
    const value = row[id] as number;
    if (!(value >= 0 && value <= 1)) {
      throw bad(`Row ${state} gives token ${id} the probability ${value}; it must be between 0 and 1.`);
    }
    sum += value;
  }
  if (Math.abs(sum - 1) > ROUNDING) throw bad(`The probabilities of row ${state} add up to ${sum}; they must give 1.`);
}

function bad(message: string): EngineError {
  return new EngineError("bad-table", message);
}
