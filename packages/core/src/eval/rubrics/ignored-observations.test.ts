import { expect, test } from "vitest";
import { walkOf } from "../../../../../test/support/walks.ts";
import { ignoredObservations } from "./ignored-observations.ts";

test("a refused action again in the same state, even later", () => {
  const walk = walkOf(["a: x > !take cup", "a: no > !take cup", "a: no > go b", "b: y > go a", "a: x > !take cup"]);
  // In state a the refusal was known at steps 1, 2 and 4; it was ignored at 1 and 4.
  expect(ignoredObservations.check(walk)).toEqual({ shown: true, steps: [1, 4], share: 2 / 3 });
});

test("an accepted action counts only when it changed nothing and showed nothing", () => {
  // The first look shows something new, the second what already stands there, the third knows that.
  const looks = walkOf(["a: x > look", "a: all > look", "a: all > look", "a: all > go b"]);
  expect(ignoredObservations.check(looks)).toEqual({ shown: true, steps: [2], share: 0.5 });
  expect(ignoredObservations.check(walkOf(["a: x > look", "a: all > go b"]))).toMatchObject({ shown: null });
});

test("learning from the refusal is not shown, and another state is another chance", () => {
  const walk = walkOf(["a: x > !take cup", "a: no > go b", "b: y > take cup", "c: held > go d"]);
  expect(ignoredObservations.check(walk)).toEqual({ shown: false, steps: [], share: 0 });
  // What was refused and later worked in the same state is no longer known as useless.
  const door = walkOf(["a: x > !open box", "a: no > open box", "b: in > go a", "a: x > open box"]);
  expect(ignoredObservations.check(door)).toMatchObject({ shown: true, steps: [1] });
});
