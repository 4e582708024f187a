/**
 * What stands in a room: kinds of receptacles, which of them shut, and how often each is met.
 *
 * `weight` is the pull of the first piece of that kind, `again` that of every further one, while fewer than `most` stand
 * there; a heavy weight is a piece nearly every such room has. Set by judgement, so that rooms of official size come out with about the
 * counts measured on 340 official games.
 */
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

export interface Stock {
  readonly weight: number;
  readonly most: number;
  /** The pull of every piece after the first. */
  readonly again: number;
}

type Furnishing = Readonly<Partial<Record<ReceptacleKind, Stock>>>;

const stock = (weight: number, most: number, again = weight / 8): Stock => ({ weight, most, again });

export const furnishings: Readonly<Record<Room, Furnishing>> = {
  kitchen: {
    Fridge: stock(9, 1),
    Microwave: stock(9, 1),
    SinkBasin: stock(9, 1),
    CounterTop: stock(8, 4, 0.5),
    GarbageCan: stock(6, 1),
    StoveBurner: stock(6, 4, 6),
    CoffeeMachine: stock(5, 1),
    Toaster: stock(4, 1),
    Cabinet: stock(4, 27, 4),
    DiningTable: stock(1.2, 2, 0.1),
    Drawer: stock(3, 13, 1.5),
    Shelf: stock(0.15, 3, 4),
    SideTable: stock(0.1, 1),
  },
  bathroom: {
    SinkBasin: stock(9, 2, 2),
    Toilet: stock(9, 1),
    GarbageCan: stock(8, 1),
    CounterTop: stock(6, 2, 0.3),
    ToiletPaperHanger: stock(6, 1),
    HandTowelHolder: stock(6, 4, 2),
    TowelHolder: stock(6, 2, 1),
    Cabinet: stock(4, 9, 2),
    BathtubBasin: stock(2, 1),
    Drawer: stock(1.5, 8, 2),
    Shelf: stock(0.7, 4, 1.5),
    Cart: stock(0.3, 1),
    SideTable: stock(0.2, 1),
    Dresser: stock(0.2, 1),
  },
  bedroom: {
    Bed: stock(9, 2, 0.6),
    Desk: stock(5, 2, 0.3),
    GarbageCan: stock(7, 1),
    Drawer: stock(5, 17, 5),
    SideTable: stock(4, 2, 1),
    Dresser: stock(2, 2, 0.2),
    Shelf: stock(2, 12, 2),
    Safe: stock(0.8, 1),
    LaundryHamper: stock(0.6, 1),
    ArmChair: stock(0.6, 3, 0.4),
    Cabinet: stock(0.4, 4, 0.5),
    DiningTable: stock(0.4, 1),
  },
  livingroom: {
    Sofa: stock(9, 2, 0.6),
    ArmChair: stock(8, 2, 1.5),
    CoffeeTable: stock(4, 2, 0.6),
    GarbageCan: stock(9, 1),
    SideTable: stock(4, 5, 1.5),
    DiningTable: stock(2.5, 2, 0.2),
    Drawer: stock(4, 21, 3),
    TVStand: stock(1.5, 2, 0.2),
    Dresser: stock(1.5, 2, 0.1),
    Shelf: stock(2, 14, 2),
    Ottoman: stock(0.5, 1),
    Cabinet: stock(0.3, 8, 0.5),
    Safe: stock(0.2, 1),
  },
};
