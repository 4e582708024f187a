/**
 * From a loss per token to one number (methods.md 2.13). N trained tokens, B rows that have any, n_i of row i.
 *
 *   token-mean                 sum / N
 *   seq-mean-token-sum         sum over rows of the row's sum, / B
 *   seq-mean-token-mean        mean over rows of sum / (n_i + 1e-8)
 *   seq-mean-token-sum-norm    sum / constant, not divided by rows
 *
 * All of them are linear, so a mode is one factor for each row. A batch without trained tokens gives 0, not NaN.
 */
import { unknownName } from "../base/index.ts";
import { badOption, checkNumber } from "./train.ts";

export const AGGREGATIONS = [
  "token-mean",
  "seq-mean-token-sum",
  "seq-mean-token-mean",
  "seq-mean-token-sum-norm",
] as const;
export type Aggregation = (typeof AGGREGATIONS)[number];

export interface AggregationOptions {
  readonly aggregation: Aggregation;
  /** The constant of "seq-mean-token-sum-norm"; null: the longest stretch from first to last trained token. */
  readonly normaliser: number | null;
  /** Tokens and rows of all batches whose gradients are added up before one step; null: those of this batch. */
  readonly counts: { readonly tokens: number; readonly rows: number } | null;
}

export const AGGREGATION_DEFAULTS: AggregationOptions = { aggregation: "token-mean", normaliser: null, counts: null };

const ROW_EPSILON = 1e-8;

export function checkAggregation(id: string, { aggregation, normaliser, counts }: AggregationOptions): void {
  if (!AGGREGATIONS.includes(aggregation)) throw unknownName(aggregation, AGGREGATIONS, `aggregation of ${id}`);
  if (normaliser !== null && !(normaliser > 0)) throw badOption(id, "normaliser", normaliser, "above 0, or null");
  if (counts === null) return;
  checkNumber(id, "counts.tokens", counts.tokens, 0);
  checkNumber(id, "counts.rows", counts.rows, 0);
}

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
