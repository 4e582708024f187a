/** An objective for some of the rows; the others count for nothing in it, neither in sums nor in means. */
import type { Objective, TrainRow } from "limbeck-policy/policy/objective";

/**
 * An objective for the rows that `includes` says yes to.
 *
 * @example
 * import { objectives } from "limbeck/update";
 *
 * const won = onlyRows(objectives["cross-entropy"].create(), ({ rank }) => rank === 1);
 * const rows = [0, 1].map((rank) => ({ ids: Int32Array.of(0, 1), mask: Uint8Array.of(0, 1), rank }));
 * const said = { logprob: [Float64Array.of(0, -4), Float64Array.of(0, -0.5)] };
 * console.log(won.compute(said, said, rows).loss); // 0.5
 */
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
