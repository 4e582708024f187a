/**
 * What never changes in a game: facts that no action touches, as one sorted array of numbers per predicate.
 *
 * A row is folded into one number, first value first, so the order of the numbers is the order of the ids. Thousands
 * of games are held at once; lists of small arrays would be most of their weight.
 */
import type { Entities } from "./entities.ts";

export type Row = readonly number[];
export type Rows = readonly Row[];

export interface Relation {
  readonly size: number;
  rows(): Rows;
  has(values: Row): boolean;
  /** The rows with this value at this position. */
  with(position: number, value: number): Rows;
}

const NONE: Rows = [];

export function createRelation(arity: number, facts: Rows, entities: Entities): Relation {
  const base = entities.count + 1;
  // Official files state some facts several times; one row is kept of each.
  const keys = Float64Array.from(new Set(facts.map((fact) => fold(fact, base)))).sort();
  /** Rows asked for by value, worked out once: position * base + value. */
  let known: Map<number, Rows> | undefined;
  return {
    size: keys.length,
    rows: () => Array.from(keys, (key) => unfold(key, arity, base)),
    has: (values) => {
      const key = fold(values, base);
      return keys[lowest(keys, key)] === key;
    },
    with: (position, value) => {
      if (value < 0) return NONE;
      const slot = position * base + value;
      const before = known?.get(slot);
      if (before !== undefined) return before;
      const found = Array.from(keys, (key) => unfold(key, arity, base)).filter((row) => row[position] === value);
      known ??= new Map();
      known.set(slot, found);
      return found;
    },
  };
}

/** Exact up to 2 ** 53: six terms over 400 things. A value of -1, a thing without facts, folds to what no row has. */
function fold(values: Row, base: number): number {
  let key = 0;
  for (const value of values) key = key * base + (value < 0 ? Number.NaN : value);
  return key;
}

function unfold(key: number, arity: number, base: number): number[] {
  const values: number[] = [];
  let rest = key;
  for (let position = arity - 1; position >= 0; position -= 1) {
    values[position] = rest % base;
    rest = Math.floor(rest / base);
  }
  return values;
}

function lowest(keys: Float64Array, wanted: number): number {
  let [low, high] = [0, keys.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
