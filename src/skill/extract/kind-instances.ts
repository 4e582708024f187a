/** Requests that are an instance of a wider kind: their sessions ended before they came to the value. */
import { fitShape, type ShapeGroup } from "./goal-shapes.ts";
import { isFunctionWord, wordSet } from "./words.ts";

/**
 * "Upgrade jest from {1} to {2}" is an instance of "Upgrade {1} from {2} to {3}": that session gave up before it came to jest.
 * So is whatever else fits a kind that has more sessions: what a few of them show of their places, the many know better.
 */
export function withInstances(kinds: readonly ShapeGroup[]): ShapeGroup[] {
  const homes = kinds
    .filter(({ members }) => members.length > 1 && placesOf(members) > 0)
    .map((kind) => ({ kind, members: [...kind.members] }))
    .sort((one, other) => other.members.length - one.members.length);
  const joined = new Set<ShapeGroup>();
  for (const kind of kinds) {
    const home = homes.find(
      (other) =>
        other.kind !== kind &&
        !joined.has(other.kind) &&
        isWider(other.kind, kind) &&
        kind.members.every(({ trajectory }) => isInstance(other.kind, trajectory.task.goal)),
    );
    if (home === undefined) continue;
    joined.add(kind);
    for (const { trajectory } of kind.members)
      home.members.push({ trajectory, values: fitShape(home.kind.shape, trajectory.task.goal) ?? [] });
  }
  const grown = new Map(homes.map(({ kind, members }) => [kind, members]));
  return kinds
    .filter((kind) => !joined.has(kind))
    .map((kind) => ({ ...kind, members: grown.get(kind) ?? kind.members }));
}

function placesOf(members: ShapeGroup["members"]): number {
  return members[0]?.values.length ?? 0;
}

function isWider(one: ShapeGroup, other: ShapeGroup): boolean {
  const more = one.members.length - other.members.length;
  return more > 0 || (more === 0 && placesOf(one.members) > placesOf(other.members));
}

/** Words beside its places by which a request is known. */
export const LEAST_WORDS = 3;

/** They stand before a thing or for one, and are none. */
const POINTING =
  /^(?:an?|the|my|our|your|their|its?|this|that|these|those|them|all|any|some|every|each|everything|me|us)$/i;

/** Where nobody else had a plain word in the place, the rest of the request must say enough to know it by. */
function isInstance({ shape, members }: ShapeGroup, goal: string): boolean {
  const values = fitShape(shape, goal);
  if (values === undefined || values.some((value) => POINTING.test(value))) return false;
  const isWord = (value: string | undefined): boolean => /^[\p{L}\p{M}-]+$/u.test(value ?? "");
  const said = wordSet(shape.replaceAll(/\{\d+\}/g, " "));
  if ([...said].filter((word) => !isFunctionWord(word)).length >= LEAST_WORDS) return true;
  return values.every((value, at) => !isWord(value) || members.some((member) => isWord(member.values[at])));
}
