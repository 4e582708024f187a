/**
 * What stands in a room: kinds of receptacles, which of them shut, and how often each is met.
 *
 * `weight` is the pull of one more piece of that kind while fewer than `most` stand there; a heavy weight with a `most`
 * of 1 is a piece nearly every such room has. Set by judgement, so that rooms of official size come out with about the
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
}

type Furnishing = Readonly<Partial<Record<ReceptacleKind, Stock>>>;

const stock = (weight: number, most: number): Stock => ({ weight, most });

export const furnishings: Readonly<Record<Room, Furnishing>> = {
  kitchen: {
    Fridge: stock(9, 1),
    Microwave: stock(9, 1),
    SinkBasin: stock(9, 1),
    CounterTop: stock(8, 4),
    GarbageCan: stock(6, 1),
    StoveBurner: stock(6, 4),
    CoffeeMachine: stock(5, 1),
    Toaster: stock(4, 1),
    Cabinet: stock(4, 27),
    DiningTable: stock(3, 2),
    Drawer: stock(3, 13),
    Shelf: stock(0.5, 3),
    SideTable: stock(0.4, 1),
  },
  bathroom: {
    SinkBasin: stock(9, 2),
    Toilet: stock(9, 1),
    GarbageCan: stock(8, 1),
    CounterTop: stock(7, 2),
    ToiletPaperHanger: stock(6, 1),
    HandTowelHolder: stock(5, 2),
    TowelHolder: stock(5, 2),
    Cabinet: stock(5, 9),
    BathtubBasin: stock(4, 1),
    Drawer: stock(2, 8),
    Shelf: stock(1, 4),
    Cart: stock(1, 1),
    SideTable: stock(0.6, 1),
    Dresser: stock(0.5, 1),
  },
  bedroom: {
    Bed: stock(9, 2),
    Desk: stock(8, 2),
    GarbageCan: stock(7, 1),
    Drawer: stock(5, 17),
    SideTable: stock(5, 2),
    Dresser: stock(4, 2),
    Shelf: stock(3, 12),
    Safe: stock(2, 1),
    LaundryHamper: stock(2, 1),
    ArmChair: stock(2, 3),
    Cabinet: stock(1, 4),
    DiningTable: stock(1, 1),
  },
  livingroom: {
    Sofa: stock(9, 2),
    ArmChair: stock(7, 2),
    CoffeeTable: stock(6, 2),
    GarbageCan: stock(6, 1),
    SideTable: stock(6, 5),
    DiningTable: stock(5, 2),
    Drawer: stock(4, 21),
    TVStand: stock(4, 2),
    Dresser: stock(3, 2),
    Shelf: stock(3, 14),
    Ottoman: stock(1, 1),
    Cabinet: stock(1, 8),
    Safe: stock(0.2, 1),
  },
};
