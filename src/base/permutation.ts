/**
 * A shuffled order of 0 to size - 1 that is asked place by place. Small ones are shuffled whole; of large ones nothing is
 * listed: a Feistel network permutes the next power of four, and what falls outside is walked on until it falls inside.
 */
import { shuffle, type Rng } from "./rng.ts";

/** Above this no list is made. */
const LISTED = 65_536;
/** Three make a pseudorandom permutation of random round functions (Luby and Rackoff); one more costs nothing here. */
const ROUNDS = 4;
/** Halves of 26 bits, so that both together are whole numbers of a float64. */
const MOST_HALF_BITS = 26;

/** The largest size there is an order for. */
export const LARGEST_ORDER = 2 ** (2 * MOST_HALF_BITS);

/** What stands at a place of the order. The same generator gives the same order; it must be fresh. */
export function shuffledOrder(size: number, rng: Rng): (place: number) => number {
  if (size <= LISTED) {
    const order = shuffle([...Array(size).keys()], rng);
    return (place) => order[place] as number;
  }
  const half = 2 ** Math.ceil(Math.log2(size) / 2);
  const keys = Array.from({ length: ROUNDS }, () => Math.floor(rng.float() * 2 ** 32));
  const permute = (value: number): number => {
    let [left, right] = [Math.floor(value / half), value % half];
    for (const key of keys) [left, right] = [right, (left ^ (mix(right, key) % half)) >>> 0];
    return left * half + right;
  };
  return (place) => {
    let found = permute(place);
    while (found >= size) found = permute(found);
    return found;
  };
}

/** 32 bits of a number and a key, well stirred: multiplications by odd numbers and shifts, each of which can be undone. */
function mix(value: number, key: number): number {
  let bits = Math.imul(value ^ key, 0x9e37_79b1);
  bits = Math.imul(bits ^ (bits >>> 15), 0x85eb_ca77);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2_ae3d) ^ key;
  return (bits ^ (bits >>> 16)) >>> 0;
}
