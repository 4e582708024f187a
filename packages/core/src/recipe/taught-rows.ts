/** Rows of which a teacher has something to say. */
import type { TrainRow } from "limbeck-policy/policy/objective";

/**
 * Rows without a teacher are left out, and so are tokens that it did not score and the first `skip` tokens of every
 * answer (a stretch of trained tokens).
 */
export function taughtAfter(rows: readonly TrainRow[], skip = 0): TrainRow[] {
  return rows.flatMap((row) => {
    const { teacherMask } = row;
    if (teacherMask === undefined) return [];
    let run = 0;
    const mask = row.mask.map((on, at) => {
      run = on === 1 ? run + 1 : 0;
      return run > skip && teacherMask[at] === 1 ? 1 : 0;
    });
    return mask.includes(1) ? [{ ...row, mask, teacherMask: mask }] : [];
  });
}
