/** Sizes that graphs are compiled for. Few sizes mean few sessions; static shapes run fastest. */
import { EngineError } from "../../base/errors.ts";

/** The smallest power of two that holds `count`, at least `least`, and never more than `most`. */
export function bucket(count: number, least: number, most: number): number {
  if (count > most) throw new EngineError("too-long", `${count} is more than the largest size ${most}.`);
  let size = least;
  while (size < count) size *= 2;
  return Math.min(size, most);
}

/**
 * The smallest of 64, 128, 192, 256, 384, 512, 768, 1,024 and so on that holds `count`; never more than `most`. All are
 * multiples of 64: sums over positions are taken in lanes, and a position must stay in its lane whatever the size is.
 */
export function lengthSize(count: number, most: number): number {
  if (count > most) throw new EngineError("too-long", `${count} is more than the largest size ${most}.`);
  let size = 64;
  while (size < count) {
    const halfMore = size * 1.5;
    size = halfMore % 64 === 0 && halfMore >= count ? halfMore : size * 2;
  }
  return Math.min(size, most);
}
