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
