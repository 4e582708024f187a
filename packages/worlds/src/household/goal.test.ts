import { expect, test } from "vitest";
import { familyIds, familyOf } from "./families.ts";
import { readGoal } from "./goal.ts";

test("reads both sentences of every family", () => {
  for (const id of familyIds) {
    const { count, target, treatment, sentences } = familyOf(id);
    for (const sentence of sentences) {
      expect(readGoal(sentence("mug", "shelf"))).toEqual({
        thing: "mug",
        target: "shelf",
        count,
        treatment,
        underLamp: target === "lamp",
      });
    }
  }
});

test("finds the errand behind the phrase that introduces it, and the older in/on", () => {
  const goal = readGoal("-= Welcome =-\n\nYour task is to: put a hot mug in/on shelf.");
  expect(goal).toMatchObject({ thing: "mug", target: "shelf", treatment: "heat" });
});

test("says what it cannot read", () => {
  expect(() => readGoal("juggle three apples")).toThrow(/No household errand reads "juggle three apples"/);
});
