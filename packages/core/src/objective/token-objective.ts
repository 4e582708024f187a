/**
 * What objectives with a loss per token share: checks, trained positions, rollout correction, token weights,
 * aggregation, and metrics as means over trained tokens. An objective adds the loss of one token and its slope.
 */
import type { Objective, StatisticName, TrainRow } from "limbeck-policy/policy/objective";
import { aggregationOptions, rowFactors, type AggregationOptions } from "./aggregation.ts";
import { correctRollouts, rolloutCorrectionOption, type RolloutCorrection } from "./rollout-correction.ts";
import {
  statistic,
  taughtPositions,
  tokenField,
  tokenFields,
  tokenMeans,
  trainedPositions,
  type TokenField,
} from "./row-fields.ts";

/** Options of every policy loss with a loss per token. */
export const policyLossOptions = { ...aggregationOptions, ...rolloutCorrectionOption };

/** One row as a loss sees it; arrays are aligned with its tokens. */
export interface RowView<Field extends TokenField> {
  /** Index of the row. */
  readonly at: number;
  readonly live: Float64Array;
  readonly frozen: Float64Array;
  readonly trained: Int32Array;
  readonly fields: Readonly<Record<Field, Float64Array>>;
  /** Factors of the clip range, where the row has them. */
  readonly clipScales?: Float64Array;
}

/** Written by the loss of a token: its value, d(value)/d(live), and what the metrics count. */
export interface TokenLoss {
  value: number;
  slope: number;
  readonly counts: Float64Array;
}

export interface TokenObjective<Field extends TokenField, Metric extends string, Prepared = undefined> {
  readonly id: string;
  /** The statistic that the loss is a function of. */
  readonly needs: readonly StatisticName[];
  readonly fields: readonly Field[];
  readonly options: AggregationOptions & { readonly rolloutCorrection?: RolloutCorrection | null };
  readonly metrics: readonly Metric[];
  /** Rows that take part. Default: all. */
  readonly includes?: (row: TrainRow, at: number) => boolean;
  /** Whether only tokens count at which the row's teacher has spoken. */
  readonly taught?: boolean;
  /** See `Objective.constantWeights`. */
  readonly constantWeights?: boolean;
  /** Looks at the whole batch before the rows: losses that compare tokens with all others. */
  readonly prepare?: (views: readonly RowView<Field>[]) => Prepared;
  /** Called once for each row; the function it gives is called for each trained token. */
  readonly row: (view: RowView<Field>, out: TokenLoss, prepared: Prepared) => (token: number) => void;
}

export function tokenObjective<Field extends TokenField, Metric extends string, Prepared = undefined>(
  definition: TokenObjective<Field, Metric, Prepared>,
): Objective {
  const { id, options, needs } = definition;
  const name = needs[0] as StatisticName;
  const correction = options.rolloutCorrection ?? null;
  return {
    needs,
    ...(definition.constantWeights === true ? { constantWeights: true } : {}),
    compute: (live, frozen, rows) => {
      const lives = statistic(id, live, name, rows);
      const frozens = statistic(id, frozen, name, rows);
      const masked = trainedPositions(id, rows).map((positions, at) =>
        definition.includes?.(rows[at] as TrainRow, at) === false
          ? new Int32Array(0)
          : definition.taught === true
            ? taughtPositions(rows[at] as TrainRow, positions)
            : positions,
      );
      const corrected = correction === null ? null : correctRollouts(id, rows, masked, correction);
      const trained = corrected?.trained ?? masked;
      const factors = rowFactors(trained, options);
      const views = rows.map((row, at): RowView<Field> | undefined => {
        const positions = trained[at] as Int32Array;
        if (positions.length === 0) return undefined;
        return {
          at,
          live: lives[at] as Float64Array,
          frozen: frozens[at] as Float64Array,
          trained: positions,
          fields: tokenFields(definition, rows, at, positions, correction?.bypass === true),
          ...(row.clipScales && { clipScales: tokenField(id, rows, at, "clipScales", positions) }),
        };
      });
      const prepared = definition.prepare?.(views.filter((view) => view !== undefined)) as Prepared;
      const out: TokenLoss = { value: 0, slope: 0, counts: new Float64Array(definition.metrics.length) };
      let [loss, tokens] = [0, 0];
      const weights = rows.map((row, at) => {
        const gradient = new Float64Array(row.ids.length);
        const view = views[at];
        if (view === undefined) return gradient;
        const own = row.weights === undefined ? undefined : tokenField(id, rows, at, "weights", view.trained);
        const compute = definition.row(view, out, prepared);
        for (const token of view.trained) {
          compute(token);
          const factor = (factors[at] as number) * (own?.[token] ?? 1) * (corrected?.weights[at]?.[token] ?? 1);
          loss += factor * out.value;
          gradient[token] = factor * out.slope;
        }
        tokens += view.trained.length;
        return gradient;
      });
      const metrics = { ...tokenMeans(definition, out.counts, tokens), ...corrected?.metrics };
      return { loss, weights: { [name]: weights }, metrics };
    },
  };
}
