/** Sizes that graphs are compiled for. Few sizes mean few sessions; static shapes run fastest. */
import { EngineError } from "../../base/errors.ts";

/** From this size on there is one in between: of a batch or a cache that is half empty, half is computed for nothing. */
const LEAST_BETWEEN = 12;

/** The smallest size that holds `count`, of powers of two and three quarters of them, at least `least`, and never more than `most`. */
export function fineBucket(count: number, least: number, most: number): number {
  const size = bucket(count, least, most);
  const between = 0.75 * size;
  return between >= Math.max(count, least, LEAST_BETWEEN) && Number.isInteger(between) ? between : size;
}

/** The smallest power of two that holds `count`, at least `least`, and never more than `most`. */
export function bucket(count: number, least: number, most: number): number {
  if (count > most) throw new EngineError("too-large", `${count} is more than the largest size ${most}.`);
  let size = least;
  while (size < count) size *= 2;
  return Math.min(size, most);
}
