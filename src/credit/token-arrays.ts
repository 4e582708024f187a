/** Arrays that are aligned with the masks of rows. */
import type { CreditRow } from "./credit.ts";

/** Zeros for each row, aligned with its mask, in one block of memory. */
export function tokenArrays(rows: readonly CreditRow[]): Float64Array[] {
  let total = 0;
  for (const { mask } of rows) total += mask.length;
  const { buffer, BYTES_PER_ELEMENT: bytes } = new Float64Array(total);
  let from = 0;
  return rows.map(({ mask }) => {
    const part = new Float64Array(buffer, from * bytes, mask.length);
    from += mask.length;
    return part;
  });
}
