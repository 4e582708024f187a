/**
 * The assignment of rows to columns with the largest sum of values (the Hungarian method, with potentials; Kuhn 1955,
 * in the form that adds one row at a time). Time grows with rows^2 * columns.
 */
export function optimalAssignment(values: readonly (readonly number[])[]): number[] {
  const rows = values.length;
  const columns = values[0]?.length ?? 0;
  if (rows === 0 || columns === 0) return values.map(() => -1);
  // The method wants at least as many columns as rows; columns that do not exist are worth nothing.
  const width = Math.max(rows, columns);
  const cost = (row: number, column: number): number => -(values[row]?.[column] ?? 0);
  const owner = new Int32Array(width + 1).fill(-1);
  const rowPotential = new Float64Array(rows);
  const columnPotential = new Float64Array(width + 1);
  for (let start = 0; start < rows; start += 1) {
    owner[width] = start;
    let column = width;
    const slack = new Float64Array(width).fill(Number.POSITIVE_INFINITY);
    const from = new Int32Array(width).fill(width);
    const used = new Uint8Array(width + 1);
    while (owner[column] !== -1) {
      used[column] = 1;
      const row = owner[column] as number;
      let [step, next] = [Number.POSITIVE_INFINITY, width];
      for (let other = 0; other < width; other += 1) {
        if (used[other] === 1) continue;
        const reduced = cost(row, other) - (rowPotential[row] as number) - (columnPotential[other] as number);
        if (reduced < (slack[other] as number)) {
          slack[other] = reduced;
          from[other] = column;
        }
        if ((slack[other] as number) < step) [step, next] = [slack[other] as number, other];
      }
      for (let other = 0; other <= width; other += 1) {
        if (used[other] === 1) {
          const own = owner[other] as number;
          rowPotential[own] = (rowPotential[own] as number) + step;
          columnPotential[other] = (columnPotential[other] as number) - step;
        } else if (other < width) slack[other] = (slack[other] as number) - step;
      }
      column = next;
    }
    while (column !== width) {
      const before = from[column] as number;
      owner[column] = owner[before] as number;
      column = before;
    }
    owner[width] = -1;
  }
  const partner = values.map(() => -1);
  for (let column = 0; column < columns; column += 1)
    if (owner[column] !== -1) partner[owner[column] as number] = column;
  return partner;
}
