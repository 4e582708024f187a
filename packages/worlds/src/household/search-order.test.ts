import { expect, test } from "vitest";
import { familyIds } from "./families.ts";
import { stepsBesideSearch } from "./house.ts";
import { thingKinds } from "./household-words.ts";
import { searchOrder, searchSteps, type ThingKind } from "./things.ts";

const apple = thingKinds().find(({ id }) => id === "Apple") as ThingKind;
const counts = new Map([
  ["Fridge", 1],
  ["CounterTop", 2],
  ["DiningTable", 1],
  ["SinkBasin", 1],
  ["GarbageCan", 1],
  ["Microwave", 1],
  ["Bed", 1],
] as const);

test("ranks kinds by weight over the steps to look into all of them", () => {
  // weights of food: CounterTop 3, Fridge 3, DiningTable 2, SinkBasin 1, GarbageCan 1, Microwave 1; nothing in beds.
  // DiningTable 2/1 = 2; CounterTop 3/2 = 1.5 and Fridge 3/(1 x 2) = 1.5, by name; GarbageCan and SinkBasin 1/1, by
  // name; Microwave 1/(1 x 2) = 0.5.
  expect(searchOrder(apple, counts)).toEqual([
    "DiningTable",
    "CounterTop",
    "Fridge",
    "GarbageCan",
    "SinkBasin",
    "Microwave",
  ]);
});

test("counts a step to go to every piece and one to open each that is shut", () => {
  // DiningTable 1 + CounterTop 2 + Fridge 1 + 1 for its door = 5.
  expect(searchSteps(["DiningTable", "CounterTop", "Fridge"], counts, new Map([["Fridge", 1]]))).toBe(5);
});

test("knows what an errand takes beside the search, at worst", () => {
  // place: take, go, move. light: take, go, use. clean, heat, cool: take, go, treat, go, move. two: take, go, move,
  // back, take, go, move. A target that shuts takes one more.
  const steps = (target: "Shelf" | "Cabinet") =>
    familyIds.map((family) =>
      stepsBesideSearch({
        family,
        room: "kitchen",
        thing: apple,
        target: family === "look_at_obj_in_light" ? undefined : target,
      }),
    );
  expect(steps("Shelf")).toEqual([3, 3, 5, 5, 5, 7]);
  expect(steps("Cabinet")).toEqual([4, 3, 6, 6, 6, 8]);
});
