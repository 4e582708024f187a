/** An objective for some of the rows; the others count for nothing in it, neither in sums nor in means. */
import type { Objective, TrainRow } from "../policy/index.ts";

export function onlyRows(objective: Objective, includes: (row: TrainRow) => boolean): Objective {
  return {
    ...objective,
    compute: (live, frozen, rows) =>
      objective.compute(
        live,
        frozen,
        rows.map((row) => (includes(row) ? row : { ...row, mask: new Uint8Array(row.mask.length) })),
      ),
  };
}
