/**
 * What objectives with a teacher share: which tokens are taught, the sampled word and the candidate words at each of them,
 * token weights, aggregation and metrics. An objective adds the loss of one token and its slopes.
 */
import type { Objective, StatisticName, TrainRow } from "limbeck-policy/policy/objective";
import type { Divergence } from "./divergences.ts";
import { rowFactors, type AggregationOptions } from "./aggregation.ts";
import {
  badRow,
  statistic,
  taughtPositions,
  tokenFields,
  tokenMeans,
  trainedPositions,
  type TokenField,
} from "./row-fields.ts";

/** The candidates of a row: what the policy and the teacher think of each, and where slopes are written. */
export interface Words {
  readonly now: Float64Array;
  readonly teacher: Float32Array;
  readonly slopes: Float64Array;
  readonly count: number;
}

export interface TaughtView<Field extends TokenField> {
  readonly row: TrainRow;
  /** Of the sampled token; empty where the objective does not ask for it. */
  readonly live: Float64Array;
  readonly frozen: Float64Array;
  readonly fields: Readonly<Record<Field, Float64Array>>;
  /** Undefined where the row has no candidates, or the objective does not ask for them. */
  readonly words: Words | undefined;
}

/** Written for each token: its value, d(value)/d(log p of the sampled token), and what the metrics count. */
export interface TaughtLoss {
  value: number;
  slope: number;
  readonly counts: Float64Array;
}

export interface TaughtObjective<Field extends TokenField, Metric extends string> {
  readonly id: string;
  readonly needs: readonly StatisticName[];
  readonly fields: readonly Field[];
  readonly options: AggregationOptions;
  readonly metrics: readonly Metric[];
  readonly includes: (row: TrainRow) => boolean;
  /** Whether the value of a token is a divergence, which people may want to see. */
  readonly isDivergence?: boolean;
  /** See `Objective.constantWeights`. */
  readonly constantWeights?: boolean;
  readonly row: (view: TaughtView<Field>, out: TaughtLoss) => (token: number) => void;
}

export function taughtObjective<Field extends TokenField, Metric extends string>(
  definition: TaughtObjective<Field, Metric>,
): Objective {
  const { id, needs, options } = definition;
  return {
    needs,
    ...(definition.constantWeights === true ? { constantWeights: true } : {}),
    compute: (live, frozen, rows) => {
      const asked = (name: StatisticName, from: typeof live): Float64Array[] | undefined =>
        needs.includes(name) ? statistic(id, from, name, rows) : undefined;
      const [lives, frozens] = [asked("logprob", live), asked("logprob", frozen)];
      const words = asked("candidates", live);
      const trained = trainedPositions(id, rows).map((positions, at) => {
        const row = rows[at] as TrainRow;
        return definition.includes(row) ? taughtPositions(row, positions) : new Int32Array(0);
      });
      const factors = rowFactors(trained, options);
      const out: TaughtLoss = { value: 0, slope: 0, counts: new Float64Array(definition.metrics.length) };
      let [loss, tokens] = [0, 0];
      const onSampled = rows.map(({ ids }) => new Float64Array(lives === undefined ? 0 : ids.length));
      const values = rows.map(({ ids }) => new Float64Array(ids.length));
      const onWords = rows.map((_, at) => new Float64Array(words?.[at]?.length ?? 0));
      rows.forEach((row, at) => {
        const positions = trained[at] as Int32Array;
        if (positions.length === 0) return;
        const own = words === undefined ? undefined : wordsOf(id, rows, at, words, onWords);
        const compute = definition.row(
          {
            row,
            live: lives?.[at] ?? new Float64Array(0),
            frozen: frozens?.[at] ?? new Float64Array(0),
            fields: tokenFields(definition, rows, at, positions),
            words: own,
          },
          out,
        );
        for (const token of positions) {
          out.slope = 0;
          compute(token);
          (values[at] as Float64Array)[token] = out.value;
          const factor = (factors[at] as number) * (row.weights?.[token] ?? 1);
          loss += factor * out.value;
          if (lives !== undefined) (onSampled[at] as Float64Array)[token] = factor * out.slope;
          if (own !== undefined) scale(own, token, factor);
        }
        tokens += positions.length;
      });
      return {
        loss,
        weights: {
          ...(lives === undefined ? {} : { logprob: onSampled }),
          ...(words === undefined ? {} : { candidates: onWords }),
        },
        metrics: tokenMeans(definition, out.counts, tokens),
        ...(definition.isDivergence === true ? { divergence: values } : {}),
      };
    },
  };
}

/** A divergence of a token's words, their slopes times a factor; without the factor in its value. */
export function weighedDivergence(divergence: Divergence, words: Words, token: number, factor: number): number {
  const { now, teacher, slopes, count } = words;
  const value = divergence(now, teacher, slopes, token * count, (token + 1) * count);
  scale(words, token, factor);
  return value;
}

function scale({ slopes, count }: Words, token: number, factor: number): void {
  for (let at = token * count; at < (token + 1) * count; at += 1) slopes[at] = factor * (slopes[at] as number);
}

/** Undefined where the row has no teacher for words; an error where it has one of the wrong size. */
function wordsOf(
  id: string,
  rows: readonly TrainRow[],
  at: number,
  now: readonly Float64Array[],
  slopes: readonly Float64Array[],
): Words | undefined {
  const { teacherCandidates, candidates, ids } = rows[at] as TrainRow;
  if (teacherCandidates === undefined) return undefined;
  const count = candidates?.count ?? 0;
  if (count > 0 && teacherCandidates.length === ids.length * count) {
    return { now: now[at] as Float64Array, teacher: teacherCandidates, slopes: slopes[at] as Float64Array, count };
  }
  throw badRow(
    at,
    "teacherCandidates",
    `${id}: row ${at} has ${teacherCandidates.length} teacherCandidates for ${ids.length} tokens of ${count} candidates; give one for each candidate.`,
  );
}
