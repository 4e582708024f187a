import { expect, test } from "vitest";
import { walkOf } from "../../../../../test/support/walks.ts";
import { stateSlips } from "./state-slips.ts";

test("a refused action with a known verb about things that were seen", () => {
  const walk = walkOf([
    "a: a candle 1 on the table > take candle 1",
    "b: taken > !take candle 1 from table",
    "b: no > go c",
  ]);
  expect(stateSlips.check(walk)).toEqual({ shown: true, steps: [1], share: 1 / 3 });
});

test("no slip: a verb the world does not know, things never seen, words without things, accepted actions", () => {
  const walk = walkOf([
    "a: a candle 1 > !put candle 1",
    "a: no > !take dragon 1",
    "a: no > !take it",
    "a: no > take candle 1",
  ]);
  expect(stateSlips.check(walk)).toEqual({ shown: false, steps: [], share: 0 });
  expect(stateSlips.check(walkOf([]))).toEqual({ shown: null, why: "no steps" });
});

test("the goal is no sight of the thing, and another number is another thing", () => {
  const goal = "find the candle 1";
  const named = walkOf([`a: task: ${goal} > !take candle 1`, "a: a candle 2 > !take candle 1"], { goal });
  expect(stateSlips.check(named)).toMatchObject({ shown: false });
  const seen = walkOf([`a: task: ${goal} > look`, "a: a candle 1 > go b", "b: hall > !take candle 1"], { goal });
  expect(stateSlips.check(seen)).toMatchObject({ shown: true, steps: [2] });
});

test("what is seen later does not excuse an earlier guess", () => {
  const walk = walkOf(["a: hall > !take candle 1", "a: no > go b", "b: a candle 1 > take candle 1"]);
  expect(stateSlips.check(walk)).toMatchObject({ shown: false });
});
