/** Statistics of given tokens: rows into micro-batches, through the graph, and back into row order. */
import { EngineError, throwIfAborted } from "../../base/index.ts";
import type { Program, TensorData } from "../../graph/index.ts";
import type { StatisticName } from "../objective.ts";
import type { RowStatistics, ScoreOptions, ScoreRow } from "../policy.ts";
import { microBatches, type MicroBatch } from "./batches.ts";
import { isHead } from "./heads.ts";
import type { ModelConfig } from "./model-config.ts";
import type { StatisticsShape } from "./statistics-graph.ts";

export interface ScorerOptions {
  readonly config: ModelConfig;
  readonly weights: Readonly<Record<string, Float32Array>>;
  readonly program: (shape: StatisticsShape) => Promise<Program>;
  /** Tokens per micro-batch. */
  readonly budgetTokens: number;
}

export async function scoreRows(
  engine: ScorerOptions,
  rows: readonly ScoreRow[],
  options: ScoreOptions = {},
): Promise<RowStatistics[]> {
  const { statistics = ["logprob"], signal } = options;
  rows.forEach((row, at) => checkRow(engine.config, row, at, statistics));
  const results: Record<string, Float32Array>[] = rows.map(() => ({}));
  for (const batch of microBatches(
    rows.map((row) => row.ids.length),
    engine.budgetTokens,
  )) {
    throwIfAborted(signal);
    const shape = { ...shapeOf(rows, batch, statistics) };
    const program = await engine.program(shape);
    const outputs = await program.run({ ...engine.weights, ...batchFeeds(engine.config, rows, batch, shape) });
    for (const name of statistics) {
      const values = outputs[name] as Float32Array;
      const width = name === "candidates" ? shape.candidates : 1;
      batch.members.forEach((member, at) => {
        const { length } = (rows[member] as ScoreRow).ids;
        const row = new Float32Array(length * width);
        // The statistic of token t stands where token t was predicted: one place earlier. A value belongs to its own place.
        const shift = isHead(name) ? 0 : 1;
        const start = at * batch.length * width;
        row.set(values.subarray(start, start + (length - shift) * width), shift * width);
        (results[member] as Record<string, Float32Array>)[name] = row;
      });
    }
  }
  return results;
}

export function shapeOf(
  rows: readonly ScoreRow[],
  batch: MicroBatch,
  statistics: readonly StatisticName[],
): StatisticsShape {
  const candidates = statistics.includes("candidates") ? (rows[batch.members[0] as number]?.candidates?.count ?? 0) : 0;
  return { rows: batch.rows, length: batch.length, statistics, candidates };
}

/** Everything the graph needs besides parameters and weights, shifted so that place t predicts token t + 1. */
export function batchFeeds(
  config: ModelConfig,
  rows: readonly ScoreRow[],
  batch: MicroBatch,
  shape: StatisticsShape,
): Record<string, TensorData> {
  const count = batch.rows * batch.length;
  const uses = (name: StatisticName): boolean => shape.statistics.includes(name);
  const ids = new BigInt64Array(count);
  const targets = new BigInt64Array(uses("logprob") ? count : 0);
  const candidateIds = new BigInt64Array(count * shape.candidates);
  const teacher = new Float32Array(uses("divergence") ? count * config.vocabularySize : 0);
  batch.members.forEach((member, at) => {
    const row = rows[member] as ScoreRow;
    const start = at * batch.length;
    for (let place = 0; place < row.ids.length; place += 1) {
      const id = BigInt(row.ids[place] as number);
      ids[start + place] = id;
      if (place > 0 && targets.length > 0) targets[start + place - 1] = id;
    }
    const chosen = row.candidates?.ids ?? [];
    for (let place = shape.candidates; place < chosen.length && shape.candidates > 0; place += 1) {
      candidateIds[start * shape.candidates + place - shape.candidates] = BigInt(chosen[place] as number);
    }
    if (teacher.length > 0 && row.teacher !== undefined) {
      teacher.set(row.teacher.subarray(config.vocabularySize), start * config.vocabularySize);
    }
  });
  return {
    ids,
    ...(uses("logprob") ? { targets } : {}),
    ...(uses("candidates") ? { candidateIds } : {}),
    ...(uses("divergence") ? { teacher } : {}),
  };
}

export function checkRow(config: ModelConfig, row: ScoreRow, at: number, statistics: readonly StatisticName[]): void {
  const { length } = row.ids;
  const fail = (code: string, message: string): never => {
    throw new EngineError(code, `Row ${at}: ${message}`, { details: { row: at } });
  };
  if (length === 0) fail("empty-prompt", "it has no tokens; give at least one.");
  if (length > config.contextLength) {
    fail("past-context", `it has ${length} tokens; the model's context is ${config.contextLength}.`);
  }
  const wrong = row.ids.findIndex((id) => id < 0 || id >= config.vocabularySize);
  if (wrong >= 0) {
    fail(
      "bad-token",
      `token ${row.ids[wrong]} at place ${wrong} is not in the vocabulary of ${config.vocabularySize}.`,
    );
  }
  if (statistics.includes("candidates")) {
    const { candidates } = row;
    if (candidates === undefined || candidates.ids.length !== length * candidates.count) {
      fail(
        "bad-candidates",
        `the statistic "candidates" needs the same number of candidate ids for each of its ${length} tokens.`,
      );
    }
  }
  if (statistics.includes("divergence") && row.teacher?.length !== length * config.vocabularySize) {
    fail(
      "bad-teacher",
      `the statistic "divergence" needs ${length} x ${config.vocabularySize} teacher log-probabilities; got ${row.teacher?.length ?? 0}.`,
    );
  }
}
