/**
 * From a loss per token to one number. N trained tokens, B rows that have any, n_i of row i.
 *
 *   token-mean                 sum / N
 *   seq-mean-token-sum         sum over rows of the row's sum, / B
 *   seq-mean-token-mean        mean over rows of sum / (n_i + 1e-8)
 *   seq-mean-token-sum-norm    sum / constant, not divided by rows
 *
 * All of them are linear, so a mode is one factor for each row. A batch without trained tokens gives 0, not NaN.
 */
import { option } from "limbeck-base/base/option";
import type { DeepTable, OptionValues } from "limbeck-base/base/option-table";

export const AGGREGATIONS = [
  "token-mean",
  "seq-mean-token-sum",
  "seq-mean-token-mean",
  "seq-mean-token-sum-norm",
] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];

const countOption = { kind: "number", least: 0 } as const;

/** For losses that belong to a whole row: the mean over rows is all they have. */
export const countsOption = {
  counts: {
    kind: "table",
    default: null,
    fields: {
      tokens: { ...countOption, meaning: "trained tokens" },
      rows: { ...countOption, meaning: "rows that have any" },
    },
    meaning: "tokens and rows of all batches whose gradients are added up before one step; none: those of this batch",
    automatic: true,
  },
} as const satisfies DeepTable;

export const aggregationOptions = {
  aggregation: option.choice("token-mean", AGGREGATIONS, "from losses per token to one"),
  normaliser: option.limit(
    null,
    "the constant of seq-mean-token-sum-norm; none: the longest stretch from first to last trained token",
    { above: 0 },
  ),
  ...countsOption,
} as const satisfies DeepTable;

/** The same with means of rows as the default. */
export const rowMeanOptions = {
  ...aggregationOptions,
  aggregation: { ...aggregationOptions.aggregation, default: "seq-mean-token-mean" },
} as const satisfies DeepTable;

export type AggregationOptions = OptionValues<typeof aggregationOptions>;

/** How a loss that belongs to a whole row is aggregated: it stands at every token, and the mean gives it back. */
export function rowMean({ counts }: Pick<AggregationOptions, "counts">): AggregationOptions {
  return { aggregation: "seq-mean-token-mean", normaliser: null, counts };
}

const ROW_EPSILON = 1e-8;

/** The factor of each row, from the positions of its trained tokens. */
export function rowFactors(trained: readonly Int32Array[], options: AggregationOptions): Float64Array {
  const { aggregation, counts } = options;
  let [tokens, rows, span] = [0, 0, 0];
  for (const positions of trained) {
    if (positions.length === 0) continue;
    tokens += positions.length;
    rows += 1;
    span = Math.max(span, (positions.at(-1) as number) - (positions[0] as number) + 1);
  }
  if (counts !== null) [tokens, rows] = [counts.tokens, counts.rows];
  const constant = options.normaliser ?? span;
  const factor: Readonly<Record<Aggregation, (length: number) => number>> = {
    "token-mean": () => 1 / tokens,
    "seq-mean-token-sum": () => 1 / rows,
    "seq-mean-token-mean": (length) => 1 / rows / (length + ROW_EPSILON),
    "seq-mean-token-sum-norm": () => 1 / constant,
  };
  // A row without trained tokens is multiplied with nothing; 0 keeps the factor finite.
  return Float64Array.from(trained, ({ length }) => (length === 0 ? 0 : factor[aggregation](length)));
}
