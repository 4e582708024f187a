/**
 * Where the rows of a long list stand when only those in sight have been measured: a tree of partial sums (Fenwick),
 * so that a measurement and a look-up take logarithmic time however long the list is.
 */
export interface RowHeights {
  readonly count: number;
  /** Height of all rows. */
  total(): number;
  heightOf(row: number): number;
  /** Where a row begins. */
  offsetOf(row: number): number;
  /** The row at an offset; the last row for offsets beyond the end. */
  rowAt(offset: number): number;
  /** False when the height was that already. */
  measure(row: number, height: number): boolean;
}

export function createRowHeights(count: number, estimate: number): RowHeights {
  const heights = new Float64Array(count).fill(estimate);
  const sums = new Float64Array(count + 1);
  for (let row = 1; row <= count; row += 1) {
    sums[row] = (sums[row] ?? 0) + estimate;
    const above = row + (row & -row);
    if (above <= count) sums[above] = (sums[above] ?? 0) + (sums[row] ?? 0);
  }
  const highest = 2 ** Math.floor(Math.log2(Math.max(1, count)));

  const offsetOf = (row: number): number => {
    let sum = 0;
    for (let at = Math.min(row, count); at > 0; at -= at & -at) sum += sums[at] ?? 0;
    return sum;
  };

  return {
    count,
    total: () => offsetOf(count),
    heightOf: (row) => heights[row] ?? 0,
    offsetOf,
    rowAt: (offset) => {
      let at = 0;
      let left = offset;
      for (let step = highest; step > 0; step >>= 1) {
        const next = at + step;
        if (next > count || (sums[next] ?? 0) > left) continue;
        at = next;
        left -= sums[next] ?? 0;
      }
      return Math.max(0, Math.min(at, count - 1));
    },
    measure: (row, height) => {
      const change = height - (heights[row] ?? 0);
      // Browsers round layout to 1/64 of a pixel; smaller changes would only cause another round of drawing.
      if (row >= count || Math.abs(change) < 0.02) return false;
      heights[row] = height;
      for (let at = row + 1; at <= count; at += at & -at) sums[at] = (sums[at] ?? 0) + change;
      return true;
    },
  };
}

/** Rows to draw for a part of the list that is in sight, with some more on either side; `end` is exclusive. */
export function rowsInSight(
  heights: RowHeights,
  sight: { readonly top: number; readonly height: number },
  margin: number,
): { readonly start: number; readonly end: number } {
  if (heights.count === 0) return { start: 0, end: 0 };
  const start = heights.rowAt(Math.max(0, sight.top - margin));
  const end = heights.rowAt(Math.max(0, sight.top + sight.height + margin)) + 1;
  return { start, end };
}
