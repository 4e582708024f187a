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

/** What stands in each room, from `data/worlds/household.json`. */
export type Furnishings = Readonly<Record<Room, Readonly<Partial<Record<ReceptacleKind, Stock>>>>>;
