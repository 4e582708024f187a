import { expect, test } from "vitest";
import { walkOf } from "../../../../../test/support/walks.ts";
import { recovery } from "./recovery.ts";

test("a row of refusals is one error; the next change of state overcomes it", () => {
  const walk = walkOf(["a: x > !take cup", "a: no > !take mug", "a: no > look", "a: x > go b", "b: y > go c"]);
  expect(recovery.check(walk)).toEqual({ shown: true, steps: [0], share: 1 });
});

test("an error that was never overcome is the evidence against it", () => {
  const walk = walkOf(["a: x > !take cup", "a: no > go b", "b: y > !take cup", "b: no > look"]);
  expect(recovery.check(walk)).toEqual({ shown: false, steps: [2], share: 0.5 });
});

test("the last step of a success changed the state; without errors there is nothing to recover from", () => {
  const lines = ["a: x > !take cup", "a: no > take mug"];
  expect(recovery.check(walkOf(lines, { success: true }))).toMatchObject({ shown: true });
  expect(recovery.check(walkOf(lines))).toMatchObject({ shown: false });
  expect(recovery.check(walkOf(["a: x > go b"]))).toEqual({ shown: null, why: "no action was refused" });
});
