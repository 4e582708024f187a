import { expect, test } from "vitest";
import { walkOf } from "../../../test/support/walks.ts";
import { needlessSteps } from "./needless-steps.ts";

test("back to a known state with nothing new to see", () => {
  const walk = walkOf(["a: hall > go b", "b: room > go a", "a: hall > look", "a: hall > go c", "c: cellar > take cup"]);
  // Step 1 leads back to a and its text; step 2 stays and shows the same; two of four steps with a known effect.
  expect(needlessSteps.check(walk)).toEqual({ shown: true, steps: [1, 2], share: 0.5 });
});

test("a look that shows something new was worth its step, a refusal is counted elsewhere", () => {
  const looks = walkOf(["a: hall > look", "a: a candle 1 > go b", "b: room > go c"]);
  expect(needlessSteps.check(looks)).toEqual({ shown: false, steps: [], share: 0 });
  const refused = walkOf(["a: hall > !take cup", "a: hall > go b", "b: room > look"]);
  expect(needlessSteps.check(refused)).toMatchObject({ shown: false });
  expect(needlessSteps.check(walkOf(["a: hall > go b"]))).toEqual({ shown: null, why: "fewer than two steps" });
});
