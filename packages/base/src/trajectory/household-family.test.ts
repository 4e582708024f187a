import { expect, test } from "vitest";
import { familyOf, successByFamily } from "./household-family.ts";

test.each([
  ["valid_seen/pick_two_obj_and_place-Vase-None-Desk-204/trial_1/game.tw-pddl", "pick_two_obj_and_place"],
  ["look_at_obj_in_light-Book-None-DeskLamp-302", "look_at_obj_in_light"],
  ["train/pick_and_place_simplest-Book/trial", undefined],
  ["", undefined],
])("%j belongs to %s", (path, family) => expect(familyOf(path)).toBe(family));

test("counts successes by family and leaves out what nobody judged", () => {
  const task = (id: string, family?: string) => ({
    id,
    env: "alfworld",
    seed: 0,
    goal: "",
    split: "train",
    ...(family === undefined ? {} : { data: { family } }),
  });
  const rates = successByFamily([
    { task: task("train/pick_heat_then_place_in_recep-Egg/a"), success: true },
    { task: task("x", "pick_heat_then_place_in_recep"), success: false },
    { task: task("train/pick_heat_then_place_in_recep-Egg/b"), success: null },
    { task: task("mine"), success: true },
  ]);
  expect(rates).toEqual({
    pick_heat_then_place_in_recep: { successes: 1, episodes: 2 },
    other: { successes: 1, episodes: 1 },
  });
});
