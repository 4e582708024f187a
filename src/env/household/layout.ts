/** Draws what stands in a room: first what the errand cannot do without, then more until the room is full. */
import { drawWeighted, pick, type Rng } from "../../base/index.ts";
import { drawSpread, type Dial } from "./dial.ts";
import { mustStartElsewhere, type Errand } from "./errand.ts";
import { appliances, familyOf } from "./families.ts";
import { furnishings, lampKind } from "./household-words.ts";
import {
  neighbourKinds,
  shuttingKinds,
  placesOf,
  type ReceptacleKind,
  type Stock,
  type ThingKind,
  type KindCounts,
} from "./things.ts";

/** One piece that stands in the room. */
export interface Fixture {
  readonly kind: ReceptacleKind;
  readonly number: number;
  /** Where it stands. Place 0 is where the agent starts; nothing stands there. */
  readonly place: number;
  readonly shut: boolean;
}

/** How many of each kind stand in the room, or undefined when the errand needs more than the dial allows. */
export function drawCounts(errand: Errand, dial: Dial, rng: Rng): KindCounts | undefined {
  const wanted = drawSpread(dial.receptacles[errand.room], rng);
  const counts = new Map<ReceptacleKind, number>();
  for (const kind of needed(errand, rng)) counts.set(kind, 1);
  if (counts.size > wanted) return undefined;
  const stock = Object.entries(furnishings()[errand.room]) as [ReceptacleKind, Stock][];
  for (let total = counts.size; total < wanted; total += 1) {
    const kind = drawWeighted(
      stock.map(([kind, { weight, again, most }]) => {
        const count = counts.get(kind) ?? 0;
        return [kind, count === 0 ? weight : count < most ? again : 0] as const;
      }),
      rng,
    );
    if (kind === undefined) break;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

function needed(errand: Errand, rng: Rng): ReadonlySet<ReceptacleKind> {
  const { treatment } = familyOf(errand.family);
  const kinds = new Set<ReceptacleKind>();
  if (errand.target !== undefined) kinds.add(errand.target);
  if (treatment !== undefined) kinds.add(appliances[treatment]);
  const keep = (thing: ThingKind): void => {
    const avoid = mustStartElsewhere(errand.family) ? errand.target : undefined;
    const places = [...placesOf(thing, errand.room)].filter(([kind]) => kind !== avoid);
    const place = drawWeighted(places, rng);
    if (place !== undefined) kinds.add(place);
  };
  keep(errand.thing);
  if (errand.target === undefined) keep(lampKind());
  return kinds;
}

/** Gives every piece its number, its place and its state. */
export function furnish(counts: KindCounts, dial: Dial, rng: Rng): readonly Fixture[] {
  const fixtures: Fixture[] = [];
  let place = 0;
  for (const [kind, count] of [...counts].sort(([left], [right]) => (left < right ? -1 : 1))) {
    for (let number = 1; number <= count; number += 1) {
      const shares = number > 1 && neighbourKinds.has(kind) && rng.float() < dial.sharedPlaces;
      if (!shares) place += 1;
      fixtures.push({ kind, number, place, shut: shuttingKinds.has(kind) && rng.float() < dial.shut });
    }
  }
  return fixtures;
}

/** How many pieces of each kind are shut. */
export function shutCounts(fixtures: readonly Fixture[]): KindCounts {
  const counts = new Map<ReceptacleKind, number>();
  for (const { kind, shut } of fixtures) if (shut) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** One piece of that kind, each as likely as the others. */
export function pieceOf(kind: ReceptacleKind, fixtures: readonly Fixture[], rng: Rng): Fixture {
  return pick(
    fixtures.filter((fixture) => fixture.kind === kind),
    rng,
  ) as Fixture;
}
