/** What the graphs of scoring and learning are fed, besides parameters. */
import type { TensorData } from "../../graph/tensor.ts";
import type { StatisticName, Statistics } from "../objective.ts";
import type { RowStatistics, ScoreRow, TopTokens } from "../policy.ts";
import { placeOf, tokensOf, type MicroBatch } from "./batches.ts";
import { leadOf } from "./heads.ts";
import type { ModelConfig } from "./model-config.ts";
import { predictionsOf, type Predictions } from "./predictions.ts";
import type { StatisticsShape } from "./statistics-graph.ts";
import { HIDDEN, VISIBLE } from "./transformer.ts";

/** A micro-batch with what is asked of it. */
export interface Work {
  readonly batch: MicroBatch;
  readonly predictions: Predictions;
  readonly shape: StatisticsShape;
}

export function workOf(
  rows: readonly ScoreRow[],
  batch: MicroBatch,
  wanted: readonly Uint8Array[],
  statistics: readonly StatisticName[],
): Work {
  const candidates = statistics.includes("candidates")
    ? batch.members.reduce((most, { row }) => Math.max(most, rows[row]?.candidates?.count ?? 0), 0)
    : 0;
  const whole = candidates > 0 && batch.members.every(({ row }) => rows[row]?.candidates?.whole === true);
  const tempered = batch.members.some(({ row }) => (rows[row]?.temperature ?? 1) !== 1);
  const apart = tempered || statistics.includes("candidates") || statistics.includes("divergence");
  const predictions = predictionsOf(batch, wanted, apart);
  const { count, places } = predictions;
  return {
    batch,
    predictions,
    shape: {
      layout: batch.layout,
      padded: isPadded(batch),
      count,
      chosen: places !== undefined,
      statistics,
      candidates,
      ...(whole ? { whole } : {}),
      tempered,
      top: 0,
    },
  };
}

export function workFeeds(config: ModelConfig, rows: readonly ScoreRow[], work: Work): Record<string, TensorData> {
  const { batch, predictions, shape } = work;
  const { places } = predictions;
  return {
    ...tokenFeeds(rows, batch),
    ...(shape.padded ? { seen: seenFeed(config, batch) } : {}),
    ...(places === undefined ? {} : { places }),
    ...targetFeeds(config, rows, work, shape.statistics),
  };
}

function isPadded({ layout, members }: MicroBatch): boolean {
  return members.some(({ shared }) => shared < layout.prefix);
}

function tokenFeeds(rows: readonly ScoreRow[], { layout, members }: MicroBatch): Record<string, TensorData> {
  const tokens = tokensOf(layout);
  const ids = new BigInt64Array(tokens);
  const forest = layout.prefix > 0;
  const positions = new BigInt64Array(forest ? tokens : 0);
  for (const member of members) {
    const row = rows[member.row] as ScoreRow;
    const end = Math.min(row.ids.length, member.shared + layout.length);
    // The prefix is written once, by the first branch of its tree.
    const start = member.branch % layout.branches === 0 ? 0 : member.shared;
    for (let position = start; position < end; position += 1) {
      const place = placeOf(layout, member, position);
      ids[place] = BigInt(row.ids[position] as number);
      if (forest) positions[place] = BigInt(position);
    }
  }
  return forest ? { ids, positions } : { ids };
}

/** Which places of each tree's prefix hold tokens, once for every key head. */
function seenFeed({ keyValueHeads }: ModelConfig, { layout, members }: MicroBatch): Float32Array {
  const { trees, prefix, branches } = layout;
  const seen = new Float32Array(trees * keyValueHeads * prefix).fill(HIDDEN);
  for (const { branch, shared } of members) {
    const first = Math.floor(branch / branches) * keyValueHeads;
    for (let group = first; group < first + keyValueHeads; group += 1) {
      seen.fill(VISIBLE, group * prefix, group * prefix + shared);
    }
  }
  return seen;
}

function targetFeeds(
  { vocabularySize }: ModelConfig,
  rows: readonly ScoreRow[],
  { batch, predictions: { count, slots }, shape: { candidates: given, whole, tempered } }: Work,
  statistics: readonly StatisticName[],
): Record<string, TensorData> {
  const uses = (name: StatisticName): boolean => statistics.includes(name);
  const candidates = whole === true ? 0 : given;
  const targets = new BigInt64Array(uses("logprob") ? count : 0);
  const candidateIds = new BigInt64Array(count * candidates);
  const teacher = new Float32Array(uses("divergence") ? count * vocabularySize : 0);
  const sharpness = new Float32Array(tempered ? count : 0).fill(1);
  batch.members.forEach((member, at) => {
    const row = rows[member.row] as ScoreRow;
    (slots[at] as Int32Array).forEach((slot, position) => {
      const token = position + 1;
      if (slot < 0 || token >= row.ids.length) return;
      if (tempered) sharpness[slot] = 1 / (row.temperature ?? 1);
      if (uses("logprob")) targets[slot] = BigInt(row.ids[token] as number);
      const own = candidates > 0 ? (row.candidates?.count ?? 0) : 0;
      for (let index = 0; index < own; index += 1) {
        candidateIds[slot * candidates + index] = BigInt(row.candidates?.ids[token * own + index] as number);
      }
      if (uses("divergence") && row.teacher !== undefined) {
        const start = token * vocabularySize;
        teacher.set(row.teacher.subarray(start, start + vocabularySize), slot * vocabularySize);
      }
    });
  });
  return {
    ...(uses("logprob") ? { targets } : {}),
    ...(uses("candidates") && whole !== true ? { candidateIds } : {}),
    ...(uses("divergence") ? { teacher } : {}),
    ...(tempered ? { sharpness } : {}),
  };
}

/** Calls back with each row's place in its statistic and the place of the same number in the graph's. */
function eachNumber(
  rows: readonly ScoreRow[],
  { batch, predictions, shape }: Work,
  name: StatisticName,
  visit: (row: number, place: number, slot: number) => void,
): void {
  const wide = name === "candidates";
  const shift = leadOf(name);
  batch.members.forEach(({ row }, at) => {
    const width = wide ? (rows[row]?.candidates?.count ?? 0) : 1;
    const length = rows[row]?.ids.length ?? 0;
    (predictions.slots[at] as Int32Array).forEach((slot, position) => {
      const token = position + shift;
      if (slot < 0 || token >= length) return;
      for (let index = 0; index < width; index += 1) {
        visit(row, token * width + index, slot * (wide ? shape.candidates : 1) + index);
      }
    });
  });
}

/** Statistics of a micro-batch into the rows they belong to. */
export function readStatistics(
  rows: readonly ScoreRow[],
  work: Work,
  outputs: Readonly<Record<string, TensorData>>,
  into: readonly RowStatistics[],
): void {
  for (const name of work.shape.statistics) {
    const values = outputs[name] as Float32Array;
    if (name === "candidates" && work.shape.whole === true) {
      readWhole(rows, work, values, into);
      continue;
    }
    eachNumber(rows, work, name, (row, place, slot) => {
      const target = into[row]?.[name];
      if (target !== undefined) target[place] = values[slot] as number;
    });
  }
}

/** Candidates that lie in the graph's output as they do in the rows: each token's at once. */
function readWhole(rows: readonly ScoreRow[], work: Work, values: Float32Array, into: readonly RowStatistics[]): void {
  const { candidates: size } = work.shape;
  eachNumber(rows, work, "logprob", (row, token, slot) => {
    into[row]?.candidates?.set(values.subarray(slot * size, (slot + 1) * size), token * size);
  });
}

/** The most probable tokens of a micro-batch into the rows they belong to. */
export function readTop(
  rows: readonly ScoreRow[],
  work: Work,
  outputs: Readonly<Record<string, TensorData>>,
  into: readonly TopTokens[],
): void {
  const { top } = work.shape;
  const [logprobs, ids] = [outputs["topLogprobs"] as Float32Array, outputs["topIds"] as BigInt64Array];
  eachNumber(rows, work, "logprob", (row, token, slot) => {
    const target = into[row] as TopTokens;
    for (let index = 0; index < top; index += 1) {
      target.ids[token * top + index] = Number(ids[slot * top + index]);
      target.logprobs[token * top + index] = logprobs[slot * top + index] as number;
    }
  });
}

/** Weights on statistics, summed where rows share a prediction. */
export function weightFeeds(rows: readonly ScoreRow[], work: Work, weights: Statistics): Record<string, TensorData> {
  return Object.fromEntries(
    work.shape.statistics.map((name) => {
      const data = new Float32Array(work.shape.count * (name === "candidates" ? work.shape.candidates : 1));
      eachNumber(rows, work, name, (row, place, slot) => {
        data[slot] = (data[slot] as number) + (weights[name]?.[row]?.[place] as number);
      });
      return [`weight ${name}`, data];
    }),
  );
}
