/**
 * Train, valid and test are disjoint by construction.
 *
 * A situation is the errand (family, thing, target) together with the room and how many receptacles of each kind stand
 * in it. A hash of the situation says which split it belongs to, whatever seed it came from; a generator that works for
 * one split throws away the situations of the others. So no errand of a test game was ever asked in a training room
 * with the same furniture, for all seeds and all dials.
 */
import type { Errand } from "./errand.ts";
import { fnv1a } from "./hash.ts";
import type { KindCounts } from "./search-order.ts";

export const splitIds = ["train", "valid", "test"] as const;

export type HouseholdSplit = (typeof splitIds)[number];

/** The situation as text, the same for every order of the receptacles. */
export function situationOf(errand: Errand, counts: KindCounts): string {
  const furniture = [...counts].map(([kind, count]) => `${kind}:${count}`).sort();
  return [errand.family, errand.thing.id, errand.target ?? "", errand.room, ...furniture].join("|");
}

/** Eight situations in ten are for training, one for validation, one for the test. */
export function splitOf(situation: string): HouseholdSplit {
  const bucket = fnv1a(situation) % 10;
  if (bucket === 8) return "valid";
  return bucket === 9 ? "test" : "train";
}
