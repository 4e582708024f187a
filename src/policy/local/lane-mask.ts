/** The mask of a lane: what its rows have read and may look at. */
import { HIDDEN, VISIBLE } from "./transformer.ts";

/** Which slots of each row are in use. It is kept between steps, which change it by a slot or so. */
export interface Mask {
  readonly slots: number;
  readonly values: Float32Array;
  readonly seen: Int32Array;
}

export function createMask(rows: number, slots: number): Mask {
  return { slots, values: new Float32Array(rows * slots).fill(HIDDEN), seen: new Int32Array(rows) };
}

export function show({ slots, values, seen }: Mask, row: number, count: number): void {
  const before = seen[row] as number;
  if (count > before) values.fill(VISIBLE, row * slots + before, row * slots + count);
  else values.fill(HIDDEN, row * slots + count, row * slots + before);
  seen[row] = count;
}
