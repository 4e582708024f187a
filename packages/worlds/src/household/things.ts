/**
 * What lies about: kinds of things, what can be done to them, and where a sensible household keeps them. The kinds
 * themselves are in `packages/core/data/worlds/household.json`.
 *
 * A habit is shared by things that are kept alike: per room a weight for every receptacle kind they lie in at the
 * start, and further kinds that take them (`fits`) though none lie there. What a receptacle accepts follows
 * from both. The weights are the prior of the generator and of the demonstrators' search alike.
 */

/** What stands in a room: kinds of receptacles, and which of them shut. */
export const receptacleKinds = [
  "ArmChair",
  "BathtubBasin",
  "Bed",
  "Cabinet",
  "Cart",
  "CoffeeMachine",
  "CoffeeTable",
  "CounterTop",
  "Desk",
  "DiningTable",
  "Drawer",
  "Dresser",
  "Fridge",
  "GarbageCan",
  "HandTowelHolder",
  "LaundryHamper",
  "Microwave",
  "Ottoman",
  "Safe",
  "Shelf",
  "SideTable",
  "SinkBasin",
  "Sofa",
  "StoveBurner",
  "Toaster",
  "Toilet",
  "ToiletPaperHanger",
  "TowelHolder",
  "TVStand",
] as const;

export type ReceptacleKind = (typeof receptacleKinds)[number];

export const roomIds = ["kitchen", "bathroom", "bedroom", "livingroom"] as const;

export type Room = (typeof roomIds)[number];

/** Kinds with a door or a lid; everything else is a surface or stands open for good. */
export const shuttingKinds: ReadonlySet<ReceptacleKind> = new Set(["Cabinet", "Drawer", "Fridge", "Microwave", "Safe"]);

/** Kinds that stand side by side, so that two of them may be reached from one place. */
export const neighbourKinds: ReadonlySet<ReceptacleKind> = new Set(["Cabinet", "Drawer"]);

/**
 * How often a kind of receptacle is met. A heavy weight is a piece nearly every such room has. Set by judgement, so that
 * rooms of official size come out with about the counts measured on 340 official games.
 */
export interface Stock {
  /** The pull of the first piece of that kind. */
  readonly weight: number;
  /** Pieces of it in one room at most. */
  readonly most: number;
  /** The pull of every piece after the first. */
  readonly again: number;
}

/** What stands in each room, from `packages/core/data/worlds/household.json`. */
export type Furnishings = Readonly<Record<Room, Readonly<Partial<Record<ReceptacleKind, Stock>>>>>;

export type Treatment = "clean" | "heat" | "cool";

type Weights = Readonly<Partial<Record<ReceptacleKind, number>>>;

interface Habit {
  readonly lies: Readonly<Partial<Record<Room, Weights>>>;
  readonly fits: readonly ReceptacleKind[];
}

export interface ThingKind {
  readonly id: string;
  readonly habit: Habit;
  readonly takes: ReadonlySet<Treatment>;
  readonly sliceable: boolean;
  readonly blade: boolean;
  /** Can hold other things, so that examining it tells what is in it. */
  readonly hollow: boolean;
  /** A lamp stays where it stands and can be used. */
  readonly lamp: boolean;
}

/** The receptacle kinds that take a thing of this kind. */
export function acceptedBy(thing: ThingKind): ReadonlySet<ReceptacleKind> {
  const kept = Object.values(thing.habit.lies).flatMap((weights) => Object.keys(weights) as ReceptacleKind[]);
  return new Set([...kept, ...thing.habit.fits]);
}

/** Receptacle kinds of a room in which such a thing may lie at the start, with their weights. */
export function placesOf(thing: ThingKind, room: Room): ReadonlyMap<ReceptacleKind, number> {
  return new Map(Object.entries(thing.habit.lies[room] ?? {}) as [ReceptacleKind, number][]);
}

/*
 * Where a sensible searcher looks first, and what a search costs at worst.
 *
 * Kinds are ranked by the chance that the thing lies in one piece of that kind over the steps it takes to look there
 * (one to go, one more to open what shuts). The generator uses the same ranking to make sure that a search ends within
 * the horizon in whatever order the pieces of one kind are tried.
 */

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
