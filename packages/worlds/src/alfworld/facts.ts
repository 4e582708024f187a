/**
 * What can change in a game, numbered without gaps, so that a state is a set of bits.
 *
 * Texts may ask for `not_p(…)`. The original records such a fact only once an action has made p false, never at the
 * start: a look around after moving a box between two cabinets at one place lists the box as lying beside them. Those
 * records are facts here too.
 */
import type { Entities, Members } from "./entities.ts";
import { checkFacts } from "./work.ts";

export interface Fluent {
  readonly predicate: string;
  readonly members: readonly Members[];
  /** Number of its first fact. */
  readonly base: number;
  readonly size: number;
  /** The record of what was made false, where a text asks for it. */
  readonly denied: Fluent | undefined;
}

export interface FactSpace {
  readonly fluents: ReadonlyMap<string, Fluent>;
  /** In the order of their numbers. */
  readonly ordered: readonly Fluent[];
  readonly size: number;
}

export function createFactSpace(
  signatures: ReadonlyMap<string, readonly string[]>,
  denied: ReadonlySet<string>,
  entities: Entities,
): FactSpace {
  const fluents = new Map<string, Fluent>();
  const ordered: Fluent[] = [];
  let next = 0;
  const add = (predicate: string, members: readonly Members[], record: Fluent | undefined): Fluent => {
    const size = members.reduce((product, { list }) => product * list.length, 1);
    const fluent = { predicate, members, base: next, size, denied: record };
    next += size;
    fluents.set(predicate, fluent);
    ordered.push(fluent);
    return fluent;
  };
  for (const [predicate, types] of signatures) {
    const members = types.map((type) => entities.members(type));
    const record = denied.has(predicate) ? add(`not_${predicate}`, members, undefined) : undefined;
    add(predicate, members, record);
  }
  checkFacts(next);
  return { fluents, ordered, size: next };
}

/** The number of a fact, or -1 where a value is not of the type the predicate takes: such a fact is never true. */
export function factNumber(fluent: Fluent, values: ArrayLike<number>): number {
  let number = 0;
  for (let index = 0; index < fluent.members.length; index += 1) {
    const { list, position } = fluent.members[index] as Members;
    const place = position[values[index] as number] ?? -1;
    if (place < 0) return -1;
    number = number * list.length + place;
  }
  return fluent.base + number;
}

/** The values a fact is about. */
export function factValues(fluent: Fluent, fact: number): number[] {
  const values: number[] = [];
  let rest = fact - fluent.base;
  for (let index = fluent.members.length - 1; index >= 0; index -= 1) {
    const { list } = fluent.members[index] as Members;
    values[index] = list[rest % list.length] as number;
    rest = Math.floor(rest / list.length);
  }
  return values;
}

export function fluentOf(space: FactSpace, fact: number): Fluent | undefined {
  return space.ordered.find(({ base, size }) => fact >= base && fact < base + size);
}

export function holds(bits: Uint32Array, fact: number): boolean {
  return fact >= 0 && (((bits[fact >>> 5] as number) >>> (fact & 31)) & 1) === 1;
}

// Lists of numbers without a small array for each: what a game holds for every action it knows.

/** All lists in one array, and where each begins; the last start is the end. */
export function pack(lists: readonly (readonly number[])[]): [Int32Array, Int32Array] {
  const starts = new Int32Array(lists.length + 1);
  for (let index = 0; index < lists.length; index += 1) {
    starts[index + 1] = (starts[index] as number) + (lists[index] as readonly number[]).length;
  }
  const all = new Int32Array(starts[lists.length] as number);
  for (let index = 0; index < lists.length; index += 1) all.set(lists[index] as readonly number[], starts[index]);
  return [all, starts];
}

/** Whether the facts asked for from `start` to `end` (+ number + 1 must, - number - 1 must not hold) are as asked. */
export function isMet(demands: Int32Array, start: number, end: number, bits: Uint32Array): boolean {
  for (let index = start; index < end; index += 1) {
    const demand = demands[index] as number;
    if (demand > 0 ? !holds(bits, demand - 1) : holds(bits, -demand - 1)) return false;
  }
  return true;
}

/** The owners of the packed demands that ask for a fact. */
export type Watching = (fact: number) => Int32Array;

const NOBODY = new Int32Array(0);

export function watch(demands: Int32Array, starts: Int32Array): Watching {
  const owners = new Int32Array(demands.length);
  for (let owner = 0; owner + 1 < starts.length; owner += 1) {
    owners.fill(owner, starts[owner], starts[owner + 1]);
  }
  const factAt = (place: number): number => Math.abs(demands[place] as number) - 1;
  const order = Int32Array.from(demands.keys()).sort((left, right) => factAt(left) - factAt(right) || left - right);
  const facts = order.map(factAt);
  const sorted = order.map((place) => owners[place] as number);
  return (fact) => {
    const from = lowest(facts, fact);
    if (facts[from] !== fact) return NOBODY;
    return sorted.subarray(from, lowest(facts, fact + 1));
  };
}

function lowest(sorted: Int32Array, wanted: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
