/**
 * A token policy whose every probability is known, for tests: a table from states to distributions over a small
 * vocabulary. It samples, scores and learns as a real model does, in microseconds.
 */
import { checkOptions, may } from "../../base/options.ts";
import { createRng, EngineError } from "../../base/index.ts";
import type { Learner, Policy, WholeScorer } from "../policy.ts";
import { createTableLearner, loadTable, saveTable } from "./table-learner.ts";
import { createTable } from "./table.ts";
import { openTalk, type ReplyDelay } from "./talk.ts";

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
  /** Logarithms of the row's current probabilities; -Infinity for a token that is never said. */
  logprobs(state: number): Float64Array;
  /** Entropy of the row's current distribution, in nats. */
  entropy(state: number): number;
}

/**
 * A policy whose every probability is known: a table from states to distributions.
 *
 * @example
 * import { randomTable } from "limbeck/policy/tabular";
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
