/**
 * Where a sensible searcher looks first, and what a search costs at worst.
 *
 * Kinds are ranked by the chance that the thing lies in one piece of that kind over the steps it takes to look there
 * (one to go, one more to open what shuts). The generator uses the same ranking to make sure that a search ends within
 * the horizon in whatever order the pieces of one kind are tried.
 */
import { shuttingKinds, type ReceptacleKind } from "./rooms.ts";
import type { ThingKind } from "./things.ts";

export type KindCounts = ReadonlyMap<ReceptacleKind, number>;

/** The kinds worth searching for such a thing, best first. Needs no knowledge of the room. */
export function searchOrder(thing: ThingKind, counts: KindCounts): readonly ReceptacleKind[] {
  const scores = new Map<ReceptacleKind, number>();
  for (const weights of Object.values(thing.habit.lies)) {
    for (const [key, weight] of Object.entries(weights)) {
      const kind = key as ReceptacleKind;
      const count = counts.get(kind);
      if (count === undefined) continue;
      const steps = count * (shuttingKinds.has(kind) ? 2 : 1);
      scores.set(kind, Math.max(scores.get(kind) ?? 0, weight / steps));
    }
  }
  return [...scores]
    .sort(([left, leftScore], [right, rightScore]) => rightScore - leftScore || (left < right ? -1 : 1))
    .map(([kind]) => kind);
}

/** Steps to look into every piece of these kinds: going to each, and opening those that are shut. */
export function searchSteps(kinds: Iterable<ReceptacleKind>, counts: KindCounts, shut: KindCounts): number {
  let steps = 0;
  for (const kind of kinds) steps += (counts.get(kind) ?? 0) + (shut.get(kind) ?? 0);
  return steps;
}
