/**
 * A token policy whose every probability is known, for tests: a table from states to distributions over a small
 * vocabulary. It samples, scores and learns as a real model does, in microseconds.
 */
import { checkOptions, may } from "limbeck-base/base/options";
import { createRng } from "limbeck-base/base/rng";
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import { plainText } from "limbeck-base/base/plain-file";
import type { Learner, Policy, RowStatistics, ScoreOptions, ScoreRow, TopTokens, WholeScorer } from "../policy.ts";
import { createTable, type Table } from "./table.ts";
import { openTalk, type ReplyDelay } from "./talk.ts";
import { adamStep, type AdamState } from "../local/adam.ts";
import { checkRow, checkTopCount, emptyStatistics, emptyTop } from "../local/scorer.ts";
import { checkOutcome, checkRequest, checkStepOptions, statisticsOf, stepSettings } from "../objective-check.ts";
import type { StatisticName, Statistics } from "../objective.ts";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

export interface TabularOptions {
  /** One row per state, one probability per token. A probability may be 0. */
  readonly probabilities: readonly ArrayLike<number>[];
  /**
   * How many of the last tokens make the state. Default: 1. The number of a row is these tokens read as digits, the
   * oldest first; where there are fewer, the missing ones count as token 0.
   */
  readonly history?: number;
  /** The row that follows the first `count` tokens, where the last few are not enough. */
  readonly stateOf?: (tokens: Int32Array, count: number) => number;
  /** Tokens that end a reply. */
  readonly endTokens?: readonly number[];
  /** Default: 4,096 tokens. */
  readonly contextLength?: number;
  readonly name?: string;
  readonly version?: number;
  /** How long a reply takes. Default: no time at all. */
  readonly delay?: ReplyDelay;
}

export const TABULAR_CHECKS = { history: may.whole, contextLength: may.count, version: may.whole } as const;

export interface TabularPolicy extends Policy, WholeScorer, Learner {
  readonly states: number;
  readonly vocabularySize: number;
  /** The row that predicts what comes after these tokens. */
  stateAfter(tokens: ArrayLike<number>): number;
  /** Logarithms of the row's current probabilities; -Infinity for a token that is never sampled. */
  logprobs(state: number): Float64Array;
  /** Entropy of the row's current distribution, in nats. */
  entropy(state: number): number;
}

/**
 * A policy whose every probability is known: a table from states to distributions.
 *
 * @example
 * import { randomTable } from "limbeck/policy";
 *
 * const policy = createTabularPolicy({ probabilities: randomTable({ states: 4, vocabularySize: 4, seed: 1 }) });
 * const conversation = policy.open({ seed: 1 });
 * conversation.extend([0]);
 * console.log((await conversation.sample({ maxTokens: 3 })).ids.length); // 3
 */
export function createTabularPolicy(options: TabularOptions): TabularPolicy {
  checkOptions("createTabularPolicy", options, TABULAR_CHECKS);
  const { history = 1, endTokens = [], contextLength = 4_096, name = "tabular", delay } = options;
  const table = createTable(options.probabilities);
  const { states, vocabularySize } = table;
  const chosen = options.stateOf ?? lastTokens(history, vocabularySize);
  if (options.stateOf === undefined) checkHistory(history, states, vocabularySize);
  const stateOf = (tokens: Int32Array, count: number): number => checkState(chosen(tokens, count), states);
  const learner = createTableLearner({ table, contextLength, stateOf });
  let version = options.version ?? 0;
  const speech = {
    vocabularySize,
    contextLength,
    delay,
    stop: endTokens.map((id) => [id]),
    version: () => version,
    begin: (_: unknown, temperature: number) => ({
      predict: (tokens: Int32Array, count: number) => table.prediction(stateOf(tokens, count), temperature),
    }),
  };
  return {
    ...learner,
    states,
    vocabularySize,
    get ref() {
      return { name, version };
    },
    open: (conversation) => openTalk(speech, conversation),
    step: async (stepOptions) => {
      const report = await learner.step(stepOptions);
      version += 1;
      return report;
    },
    save: (folder) => saveTable(folder, { table, state: learner.state, version }),
    load: async (folder) => {
      version = await loadTable(folder, { table, state: learner.state });
      learner.discard();
    },
    stateAfter: (tokens) => stateOf(Int32Array.from(tokens), tokens.length),
    logprobs: (state) => table.row(checkState(state, states)).logprobs.slice(),
    entropy: (state) => table.row(checkState(state, states)).entropy,
    close: () => Promise.resolve(),
  };
}

/**
 * Rows of probabilities for tests: softmax of normal draws times `spread`. A spread of 0 gives uniform rows, a large
 * one rows that are nearly certain.
 *
 * @example
 * console.log(randomTable({ states: 2, vocabularySize: 4, seed: 1, spread: 0 })); // [ Float64Array(4) [ 0.25, 0.25, 0.25, 0.25 ], Float64Array(4) [ 0.25, 0.25, 0.25, 0.25 ] ]
 */
export function randomTable(options: {
  readonly states: number;
  readonly vocabularySize: number;
  readonly seed: number | string;
  readonly spread?: number;
}): Float64Array[] {
  const { states, vocabularySize, seed, spread = 1 } = options;
  const rng = createRng(seed);
  return Array.from({ length: states }, () => {
    const weights = Float64Array.from({ length: vocabularySize }, () => Math.exp(spread * rng.normal()));
    const sum = weights.reduce((left, right) => left + right, 0);
    return weights.map((weight) => weight / sum);
  });
}

function lastTokens(history: number, vocabularySize: number): (tokens: Int32Array, count: number) => number {
  return (tokens, count) => {
    let state = 0;
    for (let at = Math.max(0, count - history); at < count; at += 1) {
      state = state * vocabularySize + (tokens[at] as number);
    }
    return state;
  };
}

function checkHistory(history: number, states: number, vocabularySize: number): void {
  const needed = vocabularySize ** history;
  if (Number.isInteger(history) && history >= 0 && states === needed) return;
  throw new EngineError(
    "bad-table",
    `The table has ${states} rows; a history of ${history} tokens out of ${vocabularySize} needs ${needed}. Give as many, or \`stateOf\`.`,
  );
}

function checkState(state: number, states: number): number {
  if (Number.isInteger(state) && state >= 0 && state < states) return state;
  throw new EngineError("bad-state", `There is no row ${state} in the table; it has rows 0 to ${states - 1}.`);
}

// Learning of a softmax table, in closed form. With p the distribution of a token's state and H its entropy,
//
// d logp(a) / d z_j = [j = a] - p_j        d H / d z_j = -p_j (log p_j + H)
//
// Candidates are log-probabilities of other tokens and follow the first line. At a temperature T, p and H are those of z / T,
// and everything is divided by T.

const STATISTICS: readonly StatisticName[] = ["logprob", "candidates", "entropy"];

interface TableLearnerOptions {
  readonly table: Table;
  readonly contextLength: number;
  /** The row that predicts the token after the first `count`. */
  readonly stateOf: (tokens: Int32Array, count: number) => number;
}

interface TableLearner extends WholeScorer, Omit<Learner, "save" | "load"> {
  readonly state: AdamState;
}

function createTableLearner(options: TableLearnerOptions): TableLearner {
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
async function saveTable(folder: string, { table, state, version }: Learned & { version: number }): Promise<void> {
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
    return await plainText(join(folder, FILE));
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
