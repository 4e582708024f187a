import { expect, test } from "vitest";
import { nextTasks } from "./given-training.ts";

const read = (...next: readonly string[]) => nextTasks({ next });

test("a world, and options of it behind its name", () => {
  expect(read("shop", 'household families=["pick_two_obj_and_place"]  dial=tiny')).toEqual([
    { env: "shop", envOptions: {} },
    { env: "household", envOptions: { families: ["pick_two_obj_and_place"], dial: "tiny" } },
  ]);
});

test("a word that is no option is named", () => {
  expect(() => read("household tiny")).toThrow('--next takes a world and NAME=VALUE words behind it, not "tiny".');
});
