/**
 * Metrics of a batch that went in several requests. The part of a name after the colon says how: `mean`, `sum`, `min`,
 * `max`, `slack` (largest minus mean), `unique` (each kept) and `hash_unordered`. Means are weighted by rows.
 */
export interface PartMetrics {
  readonly rows: number;
  readonly metrics: Readonly<Record<string, number>>;
}

export function mergeMetrics(parts: readonly PartMetrics[]): Record<string, number> {
  const names = [...new Set(parts.flatMap(({ metrics }) => Object.keys(metrics)))];
  return Object.fromEntries(names.flatMap((name) => mergeOne(name, parts)));
}

function mergeOne(name: string, parts: readonly PartMetrics[]): (readonly [string, number])[] {
  const found = parts.flatMap(({ rows, metrics }) => {
    const value = metrics[name];
    return value === undefined ? [] : [{ rows, value }];
  });
  const values = found.map(({ value }) => value);
  const how = name.slice(name.lastIndexOf(":") + 1);
  if (how === "unique" && values.length > 1) return values.map((value, at) => [`${name}_${at}`, value]);
  const merge = MERGES[how] ?? weightedMean;
  return [
    [
      name,
      merge(
        values,
        found.map(({ rows }) => rows),
      ),
    ],
  ];
}

const MERGES: Readonly<Record<string, (values: readonly number[], rows: readonly number[]) => number>> = {
  sum: (values) => values.reduce((total, value) => total + value, 0),
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
  // The order of the parts must not matter; a sum does not know it.
  hash_unordered: (values) => values.reduce((total, value) => total + value, 0),
};

function weightedMean(values: readonly number[], rows: readonly number[]): number {
  const total = rows.reduce((sum, count) => sum + count, 0);
  return values.reduce((sum, value, at) => sum + (value * (rows[at] as number)) / total, 0);
}
