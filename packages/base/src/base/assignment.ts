/**
 * Who is matched with whom: optimal, greedy or soft, over a table of similarities of at least 0.
 *
 * The optimal one is the Hungarian method with potentials (Kuhn 1955, in the shortest-path form): one row after the
 * other is matched along the cheapest alternating path; O(rows^2 * columns).
 */

export type Similarities = readonly (readonly number[])[];

/** For each row the column it is matched with, or -1; the sum of the matched similarities is as high as can be. */
export function optimalAssignment(table: Similarities): number[] {
  const rows = table.length;
  const columns = table[0]?.length ?? 0;
  if (rows === 0 || columns === 0) return table.map(() => -1);
  if (rows > columns) {
    const flipped = Array.from({ length: columns }, (_, column) => table.map((row) => row[column] as number));
    const result = table.map(() => -1);
    for (const [column, row] of optimalAssignment(flipped).entries()) if (row >= 0) result[row] = column;
    return result;
  }
  const matched = Array.from({ length: columns }, () => -1);
  const rowPotential = new Float64Array(rows);
  const columnPotential = new Float64Array(columns);
  for (let row = 0; row < rows; row += 1) augment({ table, matched, rowPotential, columnPotential }, row);
  const result = table.map(() => -1);
  for (const [column, row] of matched.entries()) if (row >= 0) result[row] = column;
  return result;
}

interface Matching {
  readonly table: Similarities;
  /** The row of each column, or -1. */
  readonly matched: number[];
  readonly rowPotential: Float64Array;
  readonly columnPotential: Float64Array;
}

/** Matches one more row: Dijkstra over columns by reduced cost, then the path is turned over. */
function augment({ table, matched, rowPotential, columnPotential }: Matching, start: number): void {
  const columns = matched.length;
  const distance = new Float64Array(columns).fill(Number.POSITIVE_INFINITY);
  const from = Array.from({ length: columns }, () => -1);
  const done = new Uint8Array(columns);
  let row = start;
  let via = -1;
  let travelled = 0;
  for (;;) {
    let nearest = -1;
    for (let column = 0; column < columns; column += 1) {
      if (done[column] === 1) continue;
      const reduced =
        -(table[row]?.[column] as number) - (rowPotential[row] as number) - (columnPotential[column] as number);
      if (travelled + reduced < (distance[column] as number)) {
        distance[column] = travelled + reduced;
        from[column] = via;
      }
      if (nearest < 0 || (distance[column] as number) < (distance[nearest] as number)) nearest = column;
    }
    travelled = distance[nearest] as number;
    done[nearest] = 1;
    via = nearest;
    const owner = matched[nearest] as number;
    if (owner < 0) break;
    row = owner;
  }
  rowPotential[start] = (rowPotential[start] as number) + travelled;
  for (let column = 0; column < columns; column += 1) {
    if (done[column] === 0) continue;
    const slack = travelled - (distance[column] as number);
    columnPotential[column] = (columnPotential[column] as number) - slack;
    const owner = matched[column] as number;
    if (owner >= 0) rowPotential[owner] = (rowPotential[owner] as number) + slack;
  }
  for (let column = via; column >= 0;) {
    const before = from[column] as number;
    matched[column] = before < 0 ? start : (matched[before] as number);
    column = before;
  }
}

/** The best pair first, each row and column once; pairs of similarity 0 stay unmatched. Ties: the earlier row, then column. */
export function greedyAssignment(table: Similarities): number[] {
  const pairs = table.flatMap((row, at) => row.map((value, column) => ({ at, column, value })));
  pairs.sort((left, right) => right.value - left.value);
  const result = table.map(() => -1);
  const taken = new Set<number>();
  for (const { at, column, value } of pairs) {
    if (value <= 0 || result[at] !== -1 || taken.has(column)) continue;
    result[at] = column;
    taken.add(column);
  }
  return result;
}

/**
 * Optimal transport with entropy (Sinkhorn): how much of each row goes to each column, with uniform marginals.
 * Rows of the plan add up to 1 / rows, columns to 1 / columns.
 */
export function transportPlan(table: Similarities, regularisation: number): number[][] {
  const rows = table.length;
  const columns = table[0]?.length ?? 0;
  if (rows === 0 || columns === 0) return table.map(() => []);
  const best = table.flat().reduce((left, right) => Math.max(left, right));
  const kernel = table.map((row) => row.map((value) => Math.exp((value - best) / regularisation)));
  let left = Array.from({ length: rows }, () => 1);
  let right = Array.from({ length: columns }, () => 1);
  for (let round = 0; round < 500; round += 1) {
    const wasLeft = left;
    right = right.map(
      (_, column) =>
        1 / (columns * kernel.reduce((sum, row, at) => sum + (row[column] as number) * (left[at] as number), 0)),
    );
    left = kernel.map(
      (row) => 1 / (rows * row.reduce((sum, value, column) => sum + value * (right[column] as number), 0)),
    );
    if (left.every((value, at) => Math.abs(value - (wasLeft[at] as number)) <= 1e-12 * value)) break;
  }
  return kernel.map((row, at) => row.map((value, column) => (left[at] as number) * value * (right[column] as number)));
}
