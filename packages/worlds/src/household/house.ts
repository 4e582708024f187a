/**
 * Draws one house for one errand: the furniture, and what lies where.
 *
 * The wanted things are put only where a search in the order of `searchOrder` finds them early enough: looking through
 * every piece of the kinds up to theirs, and then doing the errand, fits the horizon. That is a bound for the worst
 * order among equals, so every game can be solved from what is seen, by construction.
 */
import { drawWeighted, pick, type Rng, shuffle } from "limbeck-base/base/rng";
import { type Dial, drawSpread } from "./dial.ts";
import { type Errand, mustStartElsewhere } from "./errand.ts";
import { appliances, familyOf } from "./families.ts";
import { furnishings, lampKind, thingKinds } from "./household-words.ts";
import {
  type KindCounts,
  neighbourKinds,
  placesOf,
  type ReceptacleKind,
  searchOrder,
  searchSteps,
  shuttingKinds,
  type Stock,
  type ThingKind,
} from "./things.ts";

/** One thing that lies somewhere. */
export interface Item {
  readonly kind: ThingKind;
  readonly number: number;
  readonly fixture: Fixture;
}

export interface House {
  readonly errand: Errand;
  readonly fixtures: readonly Fixture[];
  readonly items: readonly Item[];
}

type Placed = Omit<Item, "number">;
type Weighted<T> = readonly (readonly [T, number])[];

const LAMP_SHARE = 0.6;
const SECOND_LAMP_SHARE = 0.25;

/** A house for the errand with this furniture, or undefined when no search for the wanted things fits the horizon. */
export function drawHouse(errand: Errand, counts: KindCounts, dial: Dial, rng: Rng): House | undefined {
  const fixtures = furnish(counts, dial, rng);
  const wanted = placeWanted(errand, counts, fixtures, dial, rng);
  if (wanted === undefined) return undefined;
  const avoid = mustStartElsewhere(errand.family) ? errand.target : undefined;
  const placed = [...wanted];
  const add = (kind: ThingKind): void => {
    const banned = kind === errand.thing ? avoid : undefined;
    const place = drawWeighted(present(placesOf(kind, errand.room), counts, banned), rng);
    if (place !== undefined) placed.push({ kind, fixture: pieceOf(place, fixtures, rng) });
  };
  for (let copies = drawSpread(dial.copies, rng); copies > 0; copies -= 1) add(errand.thing);
  if (rng.float() < (errand.target === undefined ? SECOND_LAMP_SHARE : LAMP_SHARE)) add(lampKind());
  const others = thingKinds().filter(
    (kind) => !kind.lamp && kind !== errand.thing && present(placesOf(kind, errand.room), counts).length > 0,
  );
  const distractors = others.length === 0 ? 0 : drawSpread(dial.distractors[errand.room], rng);
  for (let index = 0; index < distractors; index += 1) add(others[rng.int(others.length)] as ThingKind);
  return { errand, fixtures, items: numbered(shuffle(placed, rng)) };
}

/** Steps beside the search: taking, carrying, treating, and walking back for what was seen earlier. */
export function stepsBesideSearch(errand: Errand): number {
  const { count, target, treatment } = familyOf(errand.family);
  if (target === "lamp") return 3;
  const opening = errand.target !== undefined && shuttingKinds.has(errand.target) ? 1 : 0;
  if (count === 2) return 7 + opening;
  return 3 + opening + (treatment === undefined ? 0 : 2);
}

function placeWanted(
  errand: Errand,
  counts: KindCounts,
  fixtures: readonly Fixture[],
  dial: Dial,
  rng: Rng,
): readonly Placed[] | undefined {
  const avoid = mustStartElsewhere(errand.family) ? errand.target : undefined;
  const budget = dial.horizon - stepsBesideSearch(errand);
  const shut = shutCounts(fixtures);
  const order = searchOrder(errand.thing, counts).filter((kind) => kind !== avoid);
  const choices = present(placesOf(errand.thing, errand.room), counts, avoid);
  const upTo = (kind: ReceptacleKind, kinds: readonly ReceptacleKind[]): readonly ReceptacleKind[] =>
    kinds.slice(0, kinds.indexOf(kind) + 1);
  if (errand.target !== undefined) {
    const near = choices.filter(([kind]) => searchSteps(upTo(kind, order), counts, shut) <= budget);
    const placed: Placed[] = [];
    for (let left = familyOf(errand.family).count; left > 0; left -= 1) {
      const place = drawWeighted(near, rng);
      if (place === undefined) return undefined;
      placed.push({ kind: errand.thing, fixture: pieceOf(place, fixtures, rng) });
    }
    return placed;
  }
  const lampOrder = searchOrder(lampKind(), counts);
  const pairs: Weighted<readonly [ReceptacleKind, ReceptacleKind]> = choices.flatMap(([place, weight]) =>
    present(placesOf(lampKind(), errand.room), counts)
      .filter(([lampPlace]) => {
        const kinds = new Set([...upTo(place, order), ...upTo(lampPlace, lampOrder)]);
        return searchSteps(kinds, counts, shut) <= budget;
      })
      .map(([lampPlace, lampWeight]) => [[place, lampPlace] as const, weight * lampWeight] as const),
  );
  const pair = drawWeighted(pairs, rng);
  if (pair === undefined) return undefined;
  return [
    { kind: errand.thing, fixture: pieceOf(pair[0], fixtures, rng) },
    { kind: lampKind(), fixture: pieceOf(pair[1], fixtures, rng) },
  ];
}

function present(
  places: ReadonlyMap<ReceptacleKind, number>,
  counts: KindCounts,
  banned?: ReceptacleKind,
): Weighted<ReceptacleKind> {
  return [...places].filter(([kind]) => counts.has(kind) && kind !== banned);
}

/** Numbers per kind in the order given; the caller shuffles, so that a number tells nothing about the errand. */
function numbered(placed: readonly Placed[]): readonly Item[] {
  const counts = new Map<ThingKind, number>();
  return placed.map(({ kind, fixture }) => {
    const number = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, number);
    return { kind, number, fixture };
  });
}

// What stands in a room: first what the errand cannot do without, then more until the room is full.

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
function furnish(counts: KindCounts, dial: Dial, rng: Rng): readonly Fixture[] {
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
function shutCounts(fixtures: readonly Fixture[]): KindCounts {
  const counts = new Map<ReceptacleKind, number>();
  for (const { kind, shut } of fixtures) if (shut) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** One piece of that kind, each as likely as the others. */
function pieceOf(kind: ReceptacleKind, fixtures: readonly Fixture[], rng: Rng): Fixture {
  return pick(
    fixtures.filter((fixture) => fixture.kind === kind),
    rng,
  ) as Fixture;
}
