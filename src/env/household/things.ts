/**
 * What lies about: kinds of things, what can be done to them, and where a sensible household keeps them.
 *
 * A habit is shared by things that are kept alike: per room a weight for every receptacle kind they lie in at the
 * start, and further kinds that take them (`fits`) though nobody keeps them there. What a receptacle accepts follows
 * from both. The weights are the prior of the generator and of the demonstrators' search alike.
 */
import type { ReceptacleKind, Room } from "./rooms.ts";

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

const habit = (lies: Habit["lies"], fits: readonly ReceptacleKind[] = []): Habit => ({ lies, fits });

const kitchenTops: Weights = { CounterTop: 3, DiningTable: 2, SideTable: 1 };
const bathShelves: Weights = { Cabinet: 3, CounterTop: 3, Toilet: 2, Shelf: 1, Cart: 1, SideTable: 1, Dresser: 1 };
const livingTops: Weights = { CoffeeTable: 3, DiningTable: 2, SideTable: 2, Dresser: 1, TVStand: 1, Shelf: 1 };
const seats: Weights = { Sofa: 3, ArmChair: 2, Ottoman: 1 };
const deskTops: Weights = { Desk: 3, Dresser: 2, SideTable: 2, Shelf: 2, DiningTable: 1 };

const food = habit({ kitchen: { ...kitchenTops, Fridge: 3, SinkBasin: 1, GarbageCan: 1, Microwave: 1 } });
const greens = habit({ kitchen: { ...kitchenTops, Fridge: 3, SinkBasin: 1 } }, ["GarbageCan"]);
const loaf = habit({ kitchen: { ...kitchenTops, Fridge: 1 } }, ["GarbageCan", "Microwave"]);
const crockeryAtHome: Weights = { ...kitchenTops, Cabinet: 4, Fridge: 1, SinkBasin: 1, Microwave: 1, Shelf: 1 };
const crockery = habit({ kitchen: crockeryAtHome, livingroom: { DiningTable: 3, CoffeeTable: 2, Shelf: 1 } });
const bowl = habit({ ...crockery.lies, bedroom: deskTops });
const mug = habit({ kitchen: { ...crockeryAtHome, CoffeeMachine: 2 }, bedroom: deskTops });
const pots = habit({ kitchen: { StoveBurner: 5, CounterTop: 2, Cabinet: 1, DiningTable: 1 } }, [
  "Fridge",
  "SinkBasin",
  "SideTable",
  "Shelf",
]);
const kettle = habit({ kitchen: { StoveBurner: 4, CounterTop: 3, Cabinet: 2, DiningTable: 1 } }, [
  "SinkBasin",
  "Shelf",
]);
const cutlery = habit({ kitchen: { ...kitchenTops, Drawer: 4, SinkBasin: 1 } });
const ladle = habit({ kitchen: { CounterTop: 3, Drawer: 2, Cabinet: 2, DiningTable: 1 } }, ["SinkBasin"]);
const shakers = habit({ kitchen: { ...kitchenTops, Cabinet: 3, Drawer: 2, Shelf: 1 } });
const bottles = habit(
  { kitchen: { ...kitchenTops, Cabinet: 3, GarbageCan: 1, Shelf: 1 }, bathroom: { ...bathShelves, GarbageCan: 1 } },
  ["Drawer"],
);
const drinks = habit({ kitchen: { ...kitchenTops, Cabinet: 2, Fridge: 1, GarbageCan: 1, Shelf: 1 } });
const sponge = habit({
  kitchen: { CounterTop: 3, Cabinet: 3, Drawer: 2, SinkBasin: 2, DiningTable: 1, GarbageCan: 1 },
  bathroom: { BathtubBasin: 3, Toilet: 2, Cart: 2, SinkBasin: 1, Shelf: 1 },
});
const cloth = habit({ bathroom: { ...bathShelves, BathtubBasin: 3, Drawer: 2, SinkBasin: 1 } }, [
  "GarbageCan",
  "LaundryHamper",
  "ArmChair",
]);
const soapBar = habit({
  bathroom: { ...bathShelves, SinkBasin: 3, BathtubBasin: 1, Drawer: 1, GarbageCan: 1 },
});
const toiletPaper = habit({
  bathroom: { ...bathShelves, ToiletPaperHanger: 2, Drawer: 1, GarbageCan: 1 },
});
const handTowel = habit({ bathroom: { HandTowelHolder: 6, CounterTop: 1 } }, [
  "BathtubBasin",
  "Cabinet",
  "Cart",
  "Drawer",
  "GarbageCan",
  "Shelf",
  "SideTable",
  "SinkBasin",
  "Toilet",
]);
const towel = habit({ bathroom: { TowelHolder: 1 } });
const candle = habit({ bathroom: { ...bathShelves, Drawer: 1 }, livingroom: livingTops });
const tissues = habit({ bathroom: { ...bathShelves, Drawer: 1 }, livingroom: livingTops, bedroom: deskTops }, [
  "GarbageCan",
]);
const paperRoll = habit({ kitchen: { CounterTop: 4, DiningTable: 2, GarbageCan: 1, Shelf: 1 } });
const writing = habit({ bedroom: { ...deskTops, Drawer: 2, GarbageCan: 1 }, livingroom: livingTops }, ["CounterTop"]);
const pocket = habit(
  { bedroom: { ...deskTops, Drawer: 4, ArmChair: 1 }, livingroom: { ...livingTops, ...seats, Drawer: 1 } },
  ["Safe", "CounterTop"],
);
const phone = habit(
  { bedroom: { ...pocket.lies.bedroom, Bed: 4 }, livingroom: { ...pocket.lies.livingroom } },
  pocket.fits,
);
const keys = habit(
  { bedroom: { ...pocket.lies.bedroom, Safe: 2 }, livingroom: { ...pocket.lies.livingroom } },
  pocket.fits,
);
const disc = habit({ bedroom: { ...deskTops, Drawer: 4, GarbageCan: 1, Safe: 1 } }, ["Cabinet", "CounterTop"]);
const watch = habit({ livingroom: { ...livingTops, Drawer: 1 } }, ["Desk", "Safe"]);
const remote = habit({ livingroom: { ...livingTops, ...seats, Drawer: 1 } }, ["Desk"]);
const book = habit(
  { bedroom: { Bed: 5, Desk: 3, Drawer: 1, SideTable: 1, Dresser: 1 }, livingroom: { ...livingTops, ...seats } },
  ["Cabinet", "Shelf"],
);
const laptop = habit(
  { bedroom: { Bed: 5, Desk: 2, Dresser: 1 }, livingroom: { Sofa: 3, DiningTable: 3, CoffeeTable: 2, ArmChair: 1 } },
  ["SideTable", "Ottoman"],
);
const newspaper = habit(
  { livingroom: { ...seats, CoffeeTable: 2, DiningTable: 2, SideTable: 1, Shelf: 1, Drawer: 1 } },
  ["Cabinet", "Dresser", "GarbageCan"],
);
const pillow = habit({ bedroom: { Bed: 1 }, livingroom: { Sofa: 5, ArmChair: 1 } }, ["Ottoman"]);
const clock = habit({ bedroom: deskTops });
const ornament = habit({ livingroom: { ...livingTops, Shelf: 3 }, bedroom: { Shelf: 3, Dresser: 2 } }, [
  "Cabinet",
  "Desk",
  "Safe",
  "SideTable",
]);
const box = habit({ livingroom: { Sofa: 3, DiningTable: 3, CoffeeTable: 2, Dresser: 1, SideTable: 1 } }, [
  "ArmChair",
  "Cabinet",
  "Desk",
  "Ottoman",
  "Shelf",
]);
const toy = habit({ bedroom: { Bed: 1 } }, ["ArmChair", "Sofa"]);
const lampPlaces = habit({
  bedroom: { Desk: 4, SideTable: 4, Dresser: 2, Shelf: 1 },
  livingroom: { SideTable: 4, CoffeeTable: 1 },
});

type Mark = Treatment | "slice" | "blade" | "hollow" | "lamp";

function kind(id: string, habit: Habit, ...marks: readonly Mark[]): ThingKind {
  const has = (mark: Mark): boolean => marks.includes(mark);
  return {
    id,
    habit,
    takes: new Set((["clean", "heat", "cool"] as const).filter(has)),
    sliceable: has("slice"),
    blade: has("blade"),
    hollow: has("hollow"),
    lamp: has("lamp"),
  };
}

export const thingKinds: readonly ThingKind[] = [
  kind("Apple", food, "clean", "heat", "cool", "slice"),
  kind("Egg", food, "clean", "heat", "cool", "slice"),
  kind("Potato", food, "clean", "heat", "cool", "slice"),
  kind("Tomato", food, "clean", "heat", "cool", "slice"),
  kind("Lettuce", greens, "clean", "cool", "slice"),
  kind("Bread", loaf, "heat", "cool", "slice"),
  kind("Plate", crockery, "clean", "heat", "cool", "hollow"),
  kind("Cup", habit({ kitchen: crockeryAtHome }), "clean", "heat", "cool", "hollow"),
  kind("Bowl", bowl, "clean", "cool", "hollow"),
  kind("Mug", mug, "clean", "heat", "cool", "hollow"),
  kind("Pot", pots, "clean", "cool", "hollow"),
  kind("Pan", pots, "clean", "cool", "hollow"),
  kind("Kettle", kettle, "clean"),
  kind("Knife", cutlery, "clean", "blade"),
  kind("ButterKnife", cutlery, "clean", "blade"),
  kind("Fork", cutlery, "clean"),
  kind("Spoon", cutlery, "clean"),
  kind("Spatula", cutlery, "clean"),
  kind("Ladle", ladle, "clean"),
  kind("SaltShaker", shakers),
  kind("PepperShaker", shakers),
  kind("SoapBottle", bottles),
  kind("SprayBottle", bottles),
  kind("WineBottle", drinks, "cool"),
  kind("Glassbottle", drinks),
  kind("DishSponge", sponge, "clean"),
  kind("Cloth", cloth, "clean"),
  kind("SoapBar", soapBar, "clean"),
  kind("ToiletPaper", toiletPaper),
  kind("HandTowel", handTowel),
  kind("Towel", towel),
  kind("Candle", candle),
  kind("TissueBox", tissues),
  kind("PaperTowelRoll", paperRoll),
  kind("Pen", writing),
  kind("Pencil", writing),
  kind("CreditCard", pocket),
  kind("CellPhone", phone),
  kind("KeyChain", keys),
  kind("CD", disc),
  kind("Watch", watch),
  kind("RemoteControl", remote),
  kind("Book", book),
  kind("Laptop", laptop),
  kind("Newspaper", newspaper),
  kind("Pillow", pillow),
  kind("AlarmClock", clock),
  kind("Statue", ornament),
  kind("Vase", ornament),
  kind("Box", box, "hollow"),
  kind("TeddyBear", toy),
  kind("DeskLamp", lampPlaces, "lamp"),
];

/** The receptacle kinds that take a thing of this kind. */
export function acceptedBy(thing: ThingKind): ReadonlySet<ReceptacleKind> {
  const kept = Object.values(thing.habit.lies).flatMap((weights) => Object.keys(weights) as ReceptacleKind[]);
  return new Set([...kept, ...thing.habit.fits]);
}

/** Receptacle kinds of a room in which such a thing may lie at the start, with their weights. */
export function placesOf(thing: ThingKind, room: Room): ReadonlyMap<ReceptacleKind, number> {
  return new Map(Object.entries(thing.habit.lies[room] ?? {}) as [ReceptacleKind, number][]);
}
