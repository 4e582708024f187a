/**
 * Learning of a softmax table, in closed form. With p the distribution of a token's state and H its entropy,
 *
 *   d logp(a) / d z_j = [j = a] - p_j        d H / d z_j = -p_j (log p_j + H)
 *
 * Candidates are log-probabilities of other tokens and follow the first line. At a temperature T, p and H are those of z / T,
 * and everything is divided by T.
 */
import { EngineError, throwIfAborted } from "../../base/index.ts";
import { type AdamState, adamStep } from "../local/adam.ts";
import { checkRow, checkTopCount, emptyStatistics, emptyTop } from "../local/scorer.ts";
import { checkOutcome, checkRequest, statisticsOf } from "../objective-check.ts";
import type { StatisticName, Statistics } from "../objective.ts";
import type { Learner, RowStatistics, ScoreOptions, ScoreRow, TopTokens, WholeScorer } from "../policy.ts";
import { checkStepOptions, stepSettings } from "../step-checks.ts";
import type { Table } from "./table.ts";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const STATISTICS: readonly StatisticName[] = ["logprob", "candidates", "entropy"];

export interface TableLearnerOptions {
  readonly table: Table;
  readonly contextLength: number;
  /** The row that predicts the token after the first `count`. */
  readonly stateOf: (tokens: Int32Array, count: number) => number;
}

export interface TableLearner extends WholeScorer, Omit<Learner, "save" | "load"> {
  readonly state: AdamState;
}

export function createTableLearner(options: TableLearnerOptions): TableLearner {
  const { table } = options;
  const { shift } = table;
  const gradient = new Float32Array(shift.length);
  const state = { step: 0, first: new Float32Array(shift.length), second: new Float32Array(shift.length) };
  return {
    state,
    statistics: STATISTICS,
    score: async (rows, { statistics = ["logprob"], signal, report }: ScoreOptions = {}) => {
      throwIfAborted(signal);
      refuseUnknown(statistics);
      const results = measure(options, rows, statistics, () => true);
      report?.({ tokens: tokensIn(rows), tokensSaved: 0 });
      return results;
    },
    topTokens: async (rows, { count, signal }) => {
      throwIfAborted(signal);
      checkTopCount(count, table.vocabularySize);
      return topOf(options, rows, count);
    },
    backward: async (rows, objective, { signal } = {}) => {
      throwIfAborted(signal);
      checkRequest(STATISTICS, objective, rows);
      const scored = measure(options, rows, objective.needs, (row, token) => rows[row]?.mask[token] === 1);
      const live = statisticsOf(scored, objective.needs);
      const outcome = objective.compute(live, statisticsOf(scored, objective.needs), rows);
      const { loss, weights, metrics = {} } = outcome;
      checkOutcome(objective, outcome, live, rows);
      rows.forEach((row, at) => pullRow(options, gradient, row, at, weights));
      return { loss, metrics, tokens: tokensIn(rows), tokensSaved: 0 };
    },
    step: async (stepOptions) => {
      checkStepOptions(stepOptions);
      const norm = Math.sqrt(gradient.reduce((sum, value) => sum + value * value, 0));
      const { adam, scale } = stepSettings(stepOptions, norm);
      try {
        adamStep({ parameters: shift, gradients: gradient, decayed: shift.length, scale }, state, adam);
      } finally {
        gradient.fill(0);
      }
      table.changed();
      return { step: state.step, gradientNorm: norm };
    },
    discard: () => {
      gradient.fill(0);
    },
  };
}

function checkRows(
  { table, contextLength }: TableLearnerOptions,
  rows: readonly ScoreRow[],
  names: readonly StatisticName[],
): void {
  const limits = { contextLength, vocabularySize: table.vocabularySize };
  rows.forEach((row, at) => checkRow(limits, row, at, names));
}

function measure(
  options: TableLearnerOptions,
  rows: readonly ScoreRow[],
  names: readonly StatisticName[],
  wanted: (row: number, token: number) => boolean,
): RowStatistics[] {
  checkRows(options, rows, names);
  const results = emptyStatistics(rows, names);
  rows.forEach(({ ids, candidates, temperature = 1 }, at) => {
    const { logprob, entropy, candidates: others } = results[at] as RowStatistics;
    for (let token = 1; token < ids.length; token += 1) {
      if (!wanted(at, token)) continue;
      const row = options.table.tempered(options.stateOf(ids, token), temperature);
      if (logprob !== undefined) logprob[token] = row.logprobs[ids[token] as number] as number;
      if (entropy !== undefined) entropy[token] = row.entropy;
      if (others === undefined || candidates === undefined) continue;
      const { count } = candidates;
      for (let place = token * count; place < (token + 1) * count; place += 1) {
        others[place] = row.logprobs[candidates.ids[place] as number] as number;
      }
    }
  });
  return results;
}

function topOf(options: TableLearnerOptions, rows: readonly ScoreRow[], count: number): TopTokens[] {
  checkRows(options, rows, []);
  const results = emptyTop(rows, count);
  rows.forEach(({ ids, mask, temperature = 1 }, at) => {
    const top = results[at] as TopTokens;
    for (let token = 1; token < ids.length; token += 1) {
      if (mask?.[token] === 0) continue;
      const { logprobs } = options.table.tempered(options.stateOf(ids, token), temperature);
      // Sorting keeps the order of equal ones, which is that of their ids.
      const best = [...logprobs.entries()].sort(([, left], [, right]) => (left === right ? 0 : right - left));
      best.slice(0, count).forEach(([id, value], index) => {
        top.ids[token * count + index] = id;
        top.logprobs[token * count + index] = value;
      });
    }
  });
  return results;
}

/** Adds what the weights on a row's statistics pull on the table. */
function pullRow(
  { table, stateOf }: TableLearnerOptions,
  gradient: Float32Array,
  { ids, candidates, temperature = 1 }: ScoreRow,
  at: number,
  weights: Statistics,
): void {
  const count = candidates?.count ?? 0;
  for (let token = 1; token < ids.length; token += 1) {
    const place = stateOf(ids, token);
    const own = gradient.subarray(place * table.vocabularySize, (place + 1) * table.vocabularySize);
    const { logprobs, entropy } = table.tempered(place, temperature);
    const weight = (weights.logprob?.[at]?.[token] ?? 0) / temperature;
    if (weight !== 0) pull(own, logprobs, ids[token] as number, weight);
    const spread = (weights.entropy?.[at]?.[token] ?? 0) / temperature;
    if (spread !== 0) pullEntropy(own, logprobs, entropy, spread);
    for (let other = token * count; other < (token + 1) * count; other += 1) {
      const part = (weights.candidates?.[at]?.[other] ?? 0) / temperature;
      if (part !== 0) pull(own, logprobs, candidates?.ids[other] as number, part);
    }
  }
}

/** Adds `weight` times the gradient of one token's log-probability. */
function pull(gradient: Float32Array, logprobs: Float64Array, id: number, weight: number): void {
  for (let other = 0; other < gradient.length; other += 1) {
    const change = (other === id ? 1 : 0) - Math.exp(logprobs[other] as number);
    gradient[other] = (gradient[other] as number) + weight * change;
  }
}

function pullEntropy(gradient: Float32Array, logprobs: Float64Array, entropy: number, weight: number): void {
  for (let other = 0; other < gradient.length; other += 1) {
    const value = logprobs[other] as number;
    if (value === -Infinity) continue;
    gradient[other] = (gradient[other] as number) - weight * Math.exp(value) * (value + entropy);
  }
}

function refuseUnknown(statistics: readonly StatisticName[]): void {
  const missing = statistics.filter((name) => !STATISTICS.includes(name));
  if (missing.length === 0) return;
  throw new EngineError(
    "missing-statistic",
    `"${missing.join('", "')}" was asked for, which a tabular policy does not compute. It has: ${STATISTICS.join(", ")}.`,
  );
}

function tokensIn(rows: readonly ScoreRow[]): number {
  return rows.reduce((total, { ids }) => total + ids.length, 0);
}

// A learned table as a file: what was learned, the optimiser's state and the version. The given rows are not in it.

interface Learned {
  readonly table: Table;
  readonly state: AdamState;
}

const FILE = "table.json";
const numbers = z.array(z.number());
const TableFileSchema = z.strictObject({
  version: z.int(),
  step: z.int().min(0),
  shift: numbers,
  first: numbers,
  second: numbers,
});

/** Numbers of single precision survive JSON exactly, so a loaded table goes on bit for bit. */
export async function saveTable(
  folder: string,
  { table, state, version }: Learned & { version: number },
): Promise<void> {
  const { step, first, second } = state;
  const content = { version, step, shift: [...table.shift], first: [...first], second: [...second] };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, FILE), JSON.stringify(content));
}

/** Fills the table and the state, and gives the version. Nothing changes where the file does not fit. */
export async function loadTable(folder: string, { table, state }: Learned): Promise<number> {
  const parsed = TableFileSchema.safeParse(parse(folder, await read(folder)));
  if (!parsed.success) throw bad(folder, z.prettifyError(parsed.error));
  const { shift, first, second, step, version } = parsed.data;
  for (const values of [shift, first, second]) {
    if (values.length === table.shift.length) continue;
    throw bad(folder, `it holds ${values.length} numbers, the table has ${table.shift.length}`);
  }
  table.shift.set(shift);
  state.first.set(first);
  state.second.set(second);
  state.step = step;
  table.changed();
  return version;
}

async function read(folder: string): Promise<string> {
  try {
    return await readFile(join(folder, FILE), "utf8");
  } catch (error) {
    throw new EngineError("file-missing", `"${folder}" has no readable ${FILE}; save a tabular policy there first.`, {
      cause: error,
    });
  }
}

function parse(folder: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw bad(folder, error instanceof Error ? error.message : "it is not JSON");
  }
}

function bad(folder: string, why: string): EngineError {
  return new EngineError("bad-table", `The ${FILE} of "${folder}" cannot be used: ${why}.`);
}
