/**
 * Learning of a softmax table, in closed form. With p the distribution of a token's state and H its entropy,
 *
 *   d logp(a) / d z_j = [j = a] - p_j        d H / d z_j = -p_j (log p_j + H)
 *
 * Candidates are log-probabilities of other tokens and follow the first line. At a temperature T, p and H are those of z / T,
 * and everything is divided by T.
 */
import { EngineError, throwIfAborted } from "../../base/index.ts";
import { adamStep, type AdamState } from "../local/adam.ts";
import { checkRow, checkTopCount, emptyStatistics, emptyTop } from "../local/scorer.ts";
import { checkOutcome, checkRequest } from "../objective-check.ts";
import type { StatisticName, Statistics } from "../objective.ts";
import type { Learner, RowStatistics, ScoreOptions, ScoreRow, TopTokens, WholeScorer } from "../policy.ts";
import { checkStepOptions } from "../step-checks.ts";
import type { Table } from "./table.ts";

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

export function createTableLearner({ table, contextLength, stateOf }: TableLearnerOptions): TableLearner {
  const { vocabularySize, shift } = table;
  const limits = { contextLength, vocabularySize };
  const gradient = new Float32Array(shift.length);
  const state: AdamState = {
    step: 0,
    first: new Float32Array(shift.length),
    second: new Float32Array(shift.length),
  };

  const measure = (
    rows: readonly ScoreRow[],
    names: readonly StatisticName[],
    wanted: (row: number, token: number) => boolean,
  ): RowStatistics[] => {
    rows.forEach((row, at) => checkRow(limits, row, at, names));
    const results = emptyStatistics(rows, names);
    rows.forEach(({ ids, candidates, temperature = 1 }, at) => {
      const { logprob, entropy, candidates: others } = results[at] as RowStatistics;
      for (let token = 1; token < ids.length; token += 1) {
        if (!wanted(at, token)) continue;
        const row = table.tempered(stateOf(ids, token), temperature);
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
  };

  /** Adds `weight` times the gradient of one token's log-probability. */
  const pull = (start: number, logprobs: Float64Array, id: number, weight: number): void => {
    for (let other = 0; other < vocabularySize; other += 1) {
      const change = (other === id ? 1 : 0) - Math.exp(logprobs[other] as number);
      gradient[start + other] = (gradient[start + other] as number) + weight * change;
    }
  };
  const pullEntropy = (start: number, logprobs: Float64Array, entropy: number, weight: number): void => {
    for (let other = 0; other < vocabularySize; other += 1) {
      const value = logprobs[other] as number;
      if (value === -Infinity) continue;
      gradient[start + other] = (gradient[start + other] as number) - weight * Math.exp(value) * (value + entropy);
    }
  };
  const pullRow = ({ ids, candidates, temperature = 1 }: ScoreRow, at: number, weights: Statistics): void => {
    const count = candidates?.count ?? 0;
    for (let token = 1; token < ids.length; token += 1) {
      const place = stateOf(ids, token);
      const start = place * vocabularySize;
      const { logprobs, entropy } = table.tempered(place, temperature);
      const weight = (weights.logprob?.[at]?.[token] ?? 0) / temperature;
      if (weight !== 0) pull(start, logprobs, ids[token] as number, weight);
      const spread = (weights.entropy?.[at]?.[token] ?? 0) / temperature;
      if (spread !== 0) pullEntropy(start, logprobs, entropy, spread);
      for (let other = token * count; other < (token + 1) * count; other += 1) {
        const part = (weights.candidates?.[at]?.[other] ?? 0) / temperature;
        if (part !== 0) pull(start, logprobs, candidates?.ids[other] as number, part);
      }
    }
  };

  return {
    state,
    statistics: STATISTICS,
    score: async (rows, options: ScoreOptions = {}) => {
      const { statistics = ["logprob"], signal, report } = options;
      throwIfAborted(signal);
      refuseUnknown(statistics);
      const results = measure(rows, statistics, () => true);
      report?.({ tokens: tokensIn(rows), tokensSaved: 0 });
      return results;
    },
    topTokens: async (rows, { count, signal }) => {
      throwIfAborted(signal);
      checkTopCount(count, vocabularySize);
      rows.forEach((row, at) => checkRow(limits, row, at, []));
      const results = emptyTop(rows, count);
      rows.forEach(({ ids, mask, temperature = 1 }, at) => {
        const top = results[at] as TopTokens;
        for (let token = 1; token < ids.length; token += 1) {
          if (mask?.[token] === 0) continue;
          const { logprobs } = table.tempered(stateOf(ids, token), temperature);
          // Sorting keeps the order of equal ones, which is that of their ids.
          const best = [...logprobs.entries()].sort(([, left], [, right]) => (left === right ? 0 : right - left));
          best.slice(0, count).forEach(([id, value], index) => {
            top.ids[token * count + index] = id;
            top.logprobs[token * count + index] = value;
          });
        }
      });
      return results;
    },
    backward: async (rows, objective, { signal } = {}) => {
      throwIfAborted(signal);
      checkRequest(STATISTICS, objective, rows);
      const scored = measure(rows, objective.needs, (row, token) => rows[row]?.mask[token] === 1);
      const live = doubles(scored, objective.needs);
      const outcome = objective.compute(live, doubles(scored, objective.needs), rows);
      const { loss, weights, metrics = {} } = outcome;
      checkOutcome(objective, outcome, live, rows);
      rows.forEach((row, at) => pullRow(row, at, weights));
      return { loss, metrics, tokens: tokensIn(rows), tokensSaved: 0 };
    },
    step: async (options) => {
      checkStepOptions(options);
      const { learningRate, clipNorm, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0 } = options;
      const norm = Math.sqrt(gradient.reduce((sum, value) => sum + value * value, 0));
      const scale = clipNorm !== undefined && norm > clipNorm ? clipNorm / (norm + 1e-6) : 1;
      const arrays = { parameters: shift, gradients: gradient, decayed: shift.length, scale };
      try {
        adamStep(arrays, state, { learningRate, beta1, beta2, epsilon, weightDecay });
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

function refuseUnknown(statistics: readonly StatisticName[]): void {
  const missing = statistics.filter((name) => !STATISTICS.includes(name));
  if (missing.length === 0) return;
  throw new EngineError(
    "missing-statistic",
    `"${missing.join('", "')}" was asked for, which a tabular policy does not compute. It has: ${STATISTICS.join(", ")}.`,
  );
}

function doubles(scored: readonly RowStatistics[], names: readonly StatisticName[]): Statistics {
  return Object.fromEntries(
    names.map((name) => [name, scored.map((row) => new Float64Array(row[name] as Float32Array))]),
  );
}

function tokensIn(rows: readonly ScoreRow[]): number {
  return rows.reduce((total, { ids }) => total + ids.length, 0);
}
