/** Statistics of given tokens: rows into micro-batches, through the graph, and back into row order. */
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import { mapLimit } from "limbeck-base/base/concurrency";
import type { EngineErrorCode } from "limbeck-base/base/error-codes";
import type { Program } from "../../graph/program.ts";
import type { TensorData } from "../../graph/tensor.ts";
import type { StatisticName } from "../objective.ts";
import {
  COLDEST,
  type RowStatistics,
  type ScoreOptions,
  type ScoreRow,
  type TopTokens,
  type TopTokensOptions,
} from "../policy.ts";
import { costOf, planBatches, type Packing } from "./batches.ts";
import { readStatistics, readTop, workFeeds, workOf, type Work } from "./feeds.ts";
import type { ModelConfig } from "./model-config.ts";
import { neededLength, wantedPositions } from "./predictions.ts";
import type { StatisticsShape } from "./statistics-graph.ts";

export interface ScorerOptions {
  readonly config: ModelConfig;
  readonly weights: Readonly<Record<string, Float32Array>>;
  readonly program: (shape: StatisticsShape) => Promise<Program>;
  /** Tokens per micro-batch. */
  readonly budgetTokens: number;
  readonly packing?: Packing | undefined;
  /** Micro-batches that are computed at once. Default: 1. */
  readonly atOnce?: number;
  /** Computes a micro-batch elsewhere. Default: by `program`, here. */
  readonly away?: ((shape: StatisticsShape, feeds: Record<string, TensorData>) => Promise<Outputs>) | undefined;
}

type Outputs = Readonly<Record<string, TensorData>>;

async function compute(engine: ScorerOptions, rows: readonly ScoreRow[], work: Work): Promise<Outputs> {
  const feeds = workFeeds(engine.config, rows, work);
  if (engine.away !== undefined) return await engine.away(work.shape, feeds);
  const program = await engine.program(work.shape);
  return await program.run({ ...engine.weights, ...feeds });
}

export async function scoreRows(
  engine: ScorerOptions,
  rows: readonly ScoreRow[],
  options: ScoreOptions = {},
): Promise<RowStatistics[]> {
  const { statistics = ["logprob"], signal } = options;
  rows.forEach((row, at) => checkRow(engine.config, row, at, statistics));
  const works = planWork(engine, rows, statistics, (row, token) => rows[row]?.mask?.[token] !== 0);
  const results = await runScores(engine, rows, works, statistics, signal);
  const tokens = rows.reduce((total, { ids }) => total + ids.length, 0);
  options.report?.({ tokens, tokensSaved: tokensSaved(works) });
  return results;
}

/** The most probable tokens at every asked position, found in the graph: only they leave it. */
export async function topTokens(
  engine: ScorerOptions,
  rows: readonly ScoreRow[],
  { count, signal }: TopTokensOptions,
): Promise<TopTokens[]> {
  checkTopCount(count, engine.config.vocabularySize);
  rows.forEach((row, at) => checkRow(engine.config, row, at, []));
  const results = emptyTop(rows, count);
  const works = planWork(engine, rows, ["logprob"], (row, token) => rows[row]?.mask?.[token] !== 0);
  await mapLimit(works, engine.atOnce ?? 1, async (work) => {
    throwIfAborted(signal);
    const asked = { ...work, shape: { ...work.shape, statistics: [], top: count } };
    readTop(rows, asked, await compute(engine, rows, asked), results);
  });
  return results;
}

/** Zeros of the right sizes. */
export function emptyTop(rows: readonly ScoreRow[], count: number): TopTokens[] {
  return rows.map(({ ids }) => ({
    count,
    ids: new Int32Array(ids.length * count),
    logprobs: new Float32Array(ids.length * count),
  }));
}

export function checkTopCount(count: number, vocabularySize: number): void {
  if (Number.isInteger(count) && count >= 1 && count <= vocabularySize) return;
  throw new EngineError(
    "bad-option",
    `The ${count} most probable tokens were asked for; allowed: a whole number from 1 to ${vocabularySize}, the vocabulary.`,
  );
}

/** Micro-batches for the tokens of which something is asked; rows and endings without any are left out. */
export function planWork(
  { config, budgetTokens, packing = "auto" }: Pick<ScorerOptions, "config" | "budgetTokens" | "packing">,
  rows: readonly ScoreRow[],
  statistics: readonly StatisticName[],
  wanted: (row: number, token: number, name: StatisticName) => boolean,
): Work[] {
  const positions = rows.map(({ ids }, row) =>
    wantedPositions(ids.length, statistics, (token, name) => wanted(row, token, name)),
  );
  const needed = rows.map(({ ids }, row) => ids.subarray(0, neededLength(positions[row] as Uint8Array)));
  return planBatches(needed, { budgetTokens, cost: costOf(config), packing }).map((batch) =>
    workOf(rows, batch, positions, statistics),
  );
}

export function tokensSaved(works: readonly Work[]): number {
  return works.reduce((total, { batch }) => total + batch.saved, 0);
}

export async function runScores(
  engine: ScorerOptions,
  rows: readonly ScoreRow[],
  works: readonly Work[],
  statistics: readonly StatisticName[],
  signal?: AbortSignal,
): Promise<RowStatistics[]> {
  const results = emptyStatistics(rows, statistics);
  await mapLimit(works, engine.atOnce ?? 1, async (work) => {
    throwIfAborted(signal);
    readStatistics(rows, work, await compute(engine, rows, work), results);
  });
  return results;
}

/** Zeros of the right sizes. */
export function emptyStatistics(rows: readonly ScoreRow[], statistics: readonly StatisticName[]): RowStatistics[] {
  return rows.map(({ ids, candidates }) =>
    Object.fromEntries(
      statistics.map((name) => {
        const width = name === "candidates" ? (candidates?.count ?? 0) : 1;
        return [name, new Float32Array(ids.length * width)];
      }),
    ),
  );
}

type Limits = Pick<ModelConfig, "contextLength" | "vocabularySize">;

export function refuseRow(at: number, code: EngineErrorCode, message: string): never {
  throw new EngineError(code, `Row ${at}: ${message}`, { details: { row: at } });
}

/** The tokens of a row and its mask, for every scorer. */
export function checkRowTokens({ contextLength, vocabularySize }: Limits, { ids, mask }: ScoreRow, at: number): void {
  const { length } = ids;
  if (length === 0) refuseRow(at, "empty-prompt", "it has no tokens; give at least one.");
  if (length > contextLength) {
    refuseRow(at, "past-context", `it has ${length} tokens; the model's context is ${contextLength}.`);
  }
  const wrong = ids.findIndex((id) => id < 0 || id >= vocabularySize);
  if (wrong >= 0) {
    refuseRow(at, "bad-token", `token ${ids[wrong]} at place ${wrong} is not in the vocabulary of ${vocabularySize}.`);
  }
  if (mask !== undefined && mask.length !== length) {
    refuseRow(at, "bad-mask", `its mask has ${mask.length} entries for ${length} tokens; give one for each token.`);
  }
}

export function checkRow(config: Limits, row: ScoreRow, at: number, statistics: readonly StatisticName[]): void {
  const fail = (code: EngineErrorCode, message: string): never => refuseRow(at, code, message);
  const { length } = row.ids;
  checkRowTokens(config, row, at);
  const { temperature = 1 } = row;
  if (!(temperature >= COLDEST && Number.isFinite(temperature))) {
    fail("bad-option", `its temperature is ${temperature}; it must be a number of at least ${COLDEST}.`);
  }
  if (statistics.includes("candidates")) {
    const { candidates } = row;
    if (candidates === undefined || candidates.ids.length !== length * candidates.count) {
      fail(
        "bad-candidates",
        `the statistic "candidates" needs the same number of candidate ids for each of its ${length} tokens.`,
      );
    }
    if (candidates?.whole === true && candidates.count !== config.vocabularySize) {
      fail(
        "bad-candidates",
        `its ${candidates.count} candidates at a token are not the whole vocabulary of ${config.vocabularySize}; leave "whole" out.`,
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
