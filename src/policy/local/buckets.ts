/** Sizes that graphs are compiled for. Few sizes mean few sessions; static shapes run fastest. */
import { EngineError } from "../../base/errors.ts";

/** The smallest power of two that holds `count`, at least `least`, and never more than `most`. */
export function bucket(count: number, least: number, most: number): number {
  if (count > most) throw new EngineError("too-large", `${count} is more than the largest size ${most}.`);
  let size = least;
  while (size < count) size *= 2;
  return Math.min(size, most);
}
