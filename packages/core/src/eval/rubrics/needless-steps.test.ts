import { expect, test } from "vitest";
import { walkOf } from "../../../../../test/support/walks.ts";
import { needlessSteps } from "./needless-steps.ts";

test("the way back from a find is not needless; standing still and going round again are", () => {
  const walk = walkOf(["a: hall > go b", "b: room > go a", "a: hall > look", "a: hall > go b", "b: room > go c"]);
  // Step 1 brings the news of b back to a. Step 2 stays and shows the same; step 3 goes to b again, and nothing was new
  // since the visit there. The effect of four steps is known.
  expect(needlessSteps.check(walk)).toEqual({ shown: true, steps: [2, 3], share: 0.5 });
});

test("a look that shows something new was worth its step, a refusal is counted elsewhere", () => {
  const looks = walkOf(["a: hall > look", "a: a candle 1 > go b", "b: room > go c"]);
  expect(needlessSteps.check(looks)).toEqual({ shown: false, steps: [], share: 0 });
  const refused = walkOf(["a: hall > !take cup", "a: hall > go b", "b: room > look"]);
  expect(needlessSteps.check(refused)).toMatchObject({ shown: false });
  expect(needlessSteps.check(walkOf(["a: hall > go b"]))).toEqual({ shown: null, why: "fewer than two steps" });
});
