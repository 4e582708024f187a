/**
 * A seeded, splittable random generator.
 *
 * Draws come from sfc32 (Chris Doty-Humphrey's small fast counter generator, 128 bits of state). A split depends on
 * the parent's seed and the label only, never on how many numbers the parent has drawn, so adding a draw in one place
 * leaves every other place unchanged.
 */
import { createHash } from "node:crypto";

/** The whole state of a generator; plain data, so that a run can be saved and resumed. */
export interface RngState {
  readonly key: readonly [number, number, number, number];
  readonly state: readonly [number, number, number, number];
}

export interface Rng {
  /** Uniform in [0, 1), with 32 random bits. */
  float(): number;
  /** Uniform integer in [0, below). */
  int(below: number): number;
  /** Standard normal, by the Box-Muller transform; two draws a number, so that state stays four integers. */
  normal(): number;
  /** An independent generator for this label. */
  split(label: string | number): Rng;
  save(): RngState;
}

type Words = [number, number, number, number];

const WARM_UP_ROUNDS = 12;

/** Above this no list is made. */
const LISTED = 65_536;
/** Three make a pseudorandom permutation of random round functions (Luby and Rackoff); one more costs nothing here. */
const ROUNDS = 4;
/** Halves of 26 bits, so that both together are whole numbers of a float64. */
const MOST_HALF_BITS = 26;

/** The largest size there is an order for. */
export const LARGEST_ORDER = 2 ** (2 * MOST_HALF_BITS);

/**
 * Random numbers that a seed reproduces. Split it by labels, so that what is drawn in one place does not change another.
 *
 * @example
 * const rng = createRng(7);
 * console.log(rng.split("tasks").int(10) === createRng(7).split("tasks").int(10)); // true
 */
export function createRng(seed: string | number): Rng {
  return fromKey(hashWords([0, 0, 0, 0], `${typeof seed}:${seed}`));
}

/**
 * A generator that goes on where another was saved.
 *
 * @example
 * const rng = createRng(7);
 * const saved = rng.save();
 * console.log(rng.int(100) === restoreRng(saved).int(100)); // true
 */
export function restoreRng(saved: RngState): Rng {
  return build([...saved.key], [...saved.state]);
}

/**
 * A shuffled copy (Fisher-Yates).
 *
 * @example
 * console.log(shuffle([1, 2, 3, 4], createRng(1))); // [ 4, 3, 1, 2 ]
 */
export function shuffle<T>(items: readonly T[], rng: Rng): T[] {
  const copy = [...items];
  for (let last = copy.length - 1; last > 0; last -= 1) {
    const other = rng.int(last + 1);
    const held = copy[last] as T;
    copy[last] = copy[other] as T;
    copy[other] = held;
  }
  return copy;
}

/**
 * A shuffled order of 0 to size - 1 that is asked place by place; the same generator, fresh, gives the same order. Small ones
 * are shuffled whole; of large ones nothing is listed: a Feistel network permutes the next power of four, and what falls
 * outside is walked on until it falls inside.
 */
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

/**
 * One item, uniformly; undefined for an empty list.
 *
 * @example
 * console.log(pick(["left", "right"], createRng(1))); // left
 */
export function pick<T>(items: readonly T[], rng: Rng): T | undefined {
  return items.length === 0 ? undefined : items[rng.int(items.length)];
}

/**
 * One of the entries, with a chance in proportion to its weight; undefined when nothing has weight.
 *
 * @example
 * const drawn = drawWeighted([["rare", 0], ["common", 3]], createRng(1));
 * console.log(drawn); // common
 */
export function drawWeighted<T>(entries: readonly (readonly [T, number])[], rng: Rng): T | undefined {
  let total = 0;
  for (const [, weight] of entries) total += weight;
  if (total <= 0) return undefined;
  let left = rng.float() * total;
  let last: T | undefined;
  for (const [item, weight] of entries) {
    if (weight <= 0) continue;
    last = item;
    left -= weight;
    if (left < 0) return item;
  }
  return last;
}

function fromKey(key: Words): Rng {
  const rng = build(key, [...key]);
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) rng.float();
  return rng;
}

function build(key: Words, state: Words): Rng {
  let [a, b, c, counter] = state;
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };
  const float = (): number => next() / 4_294_967_296;
  return {
    float,
    int: (below) => Math.floor(float() * below),
    normal: () => Math.sqrt(-2 * Math.log(1 - float())) * Math.cos(2 * Math.PI * float()),
    split: (label) => fromKey(hashWords(key, `${typeof label}:${label}`)),
    save: () => ({ key: [...key], state: [a, b, c, counter] }),
  };
}

/** 128 bits of SHA-256 over the parent's key and the label. */
function hashWords(key: Words, label: string): Words {
  const digest = createHash("sha256").update(Int32Array.from(key)).update(label).digest();
  return [digest.readInt32LE(0), digest.readInt32LE(4), digest.readInt32LE(8), digest.readInt32LE(12)];
}
