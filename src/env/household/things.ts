/**
 * What lies about: kinds of things, what can be done to them, and where a sensible household keeps them. The kinds
 * themselves are in `data/worlds/household.json`.
 *
 * A habit is shared by things that are kept alike: per room a weight for every receptacle kind they lie in at the
 * start, and further kinds that take them (`fits`) though nobody keeps them there. What a receptacle accepts follows
 * from both. The weights are the prior of the generator and of the demonstrators' search alike.
 */
import type { ReceptacleKind, Room } from "./rooms.ts";

export type Treatment = "clean" | "heat" | "cool";

type Weights = Readonly<Partial<Record<ReceptacleKind, number>>>;

export interface Habit {
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
