/**
 * Columns of numbers, and how they are read, added to and gathered: one number for each row, trajectory or group. A place
 * that does not exist is an error, never undefined and never a silent 0. There is one reader for each type of array,
 * which keeps loops over millions of tokens fast.
 */

/** Places and the group each belongs to. */
export interface Grouping {
  readonly of: Int32Array;
  readonly count: number;
}

export function real(values: Float64Array, place: number): number {
  const value = values[place];
  if (value === undefined) throw outside(values, place);
  return value;
}

export function intAt(values: Int32Array, place: number): number {
  const value = values[place];
  if (value === undefined) throw outside(values, place);
  return value;
}

export function add(values: Float64Array, place: number, amount: number): void {
  values[place] = real(values, place) + amount;
}

/** An entry of a list that is known to be there. */
export function entry<Value>(values: readonly Value[], place: number): Value {
  const value = values[place];
  if (value === undefined) throw outside(values, place);
  return value;
}

function outside({ length }: { readonly length: number }, place: number): RangeError {
  return new RangeError(`There is no place ${place} among ${length}.`);
}

/** A number for each entry of a list. */
export function columnOf<Item>(list: readonly Item[], valueOf: (item: Item, at: number) => number): Float64Array {
  const values = new Float64Array(list.length);
  for (let at = 0; at < list.length; at += 1) values[at] = valueOf(entry(list, at), at);
  return values;
}

/** The group's number on each of its members. */
export function onMembers({ of }: Pick<Grouping, "of">, perGroup: Float64Array): Float64Array {
  const values = new Float64Array(of.length);
  for (let at = 0; at < of.length; at += 1) values[at] = real(perGroup, intAt(of, at));
  return values;
}

/** Sums over the members of each group, of 1 where no values are given. Members whose `counted` is 0 are left out. */
export function groupSums({ of, count }: Grouping, values?: Float64Array, counted?: Uint8Array): Float64Array {
  const sums = new Float64Array(count);
  for (let at = 0; at < of.length; at += 1) {
    if (counted?.[at] !== 0) add(sums, intAt(of, at), values === undefined ? 1 : real(values, at));
  }
  return sums;
}

/** Means over the members of each group; NaN where none counts. */
export function groupMeans(groups: Grouping, values: Float64Array, counted?: Uint8Array): Float64Array {
  const sizes = groupSums(groups, undefined, counted);
  return groupSums(groups, values, counted).map((sum, group) => sum / real(sizes, group));
}

/** The members of each group, in order. */
export function groupMembers({ of, count }: Grouping): number[][] {
  const members = Array.from({ length: count }, (): number[] => []);
  for (const [at, group] of of.entries()) entry(members, group).push(at);
  return members;
}

/** Equal keys are one group; groups are numbered as they are met. */
export function groupBy(count: number, keyOf: (at: number) => number | string): Grouping {
  const numbers = new Map<number | string, number>();
  const of = new Int32Array(count);
  for (let at = 0; at < count; at += 1) {
    const key = keyOf(at);
    const known = numbers.get(key) ?? numbers.size;
    if (known === numbers.size) numbers.set(key, known);
    of[at] = known;
  }
  return { of, count: numbers.size };
}

/** How many places are not 0. */
export function countOf(values: Float64Array | Int32Array | Uint8Array): number {
  let count = 0;
  for (const value of values) if (value !== 0) count += 1;
  return count;
}

/** 0 without any. */
export function meanOf(values: Float64Array): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
