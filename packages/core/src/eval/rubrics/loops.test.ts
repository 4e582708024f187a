import { expect, test } from "vitest";
import { walkOf } from "../../../../../test/support/walks.ts";
import { loops } from "./loops.ts";

test("coming back and doing the same again is a loop, with the steps that repeat", () => {
  const walk = walkOf(["a: hall > go b", "b: room > go a", "a: hall > go b", "b: room > go a", "a: hall > go c"]);
  // Steps 2 and 3 repeat 0 and 1; step 4 does something else. Four steps could have repeated.
  expect(loops.check(walk)).toEqual({ shown: true, steps: [2, 3], share: 0.5 });
});

test("no loop: the same action in another state, or a stubborn one that never left", () => {
  expect(loops.check(walkOf(["a: x > go on", "b: y > go on", "c: z > go on"]))).toMatchObject({ shown: false });
  expect(loops.check(walkOf(["a: x > !take cup", "a: no > !take cup", "a: no > !take cup"]))).toMatchObject({
    shown: false,
  });
  expect(loops.check(walkOf(["a: x > go on"]))).toEqual({ shown: null, why: "fewer than two steps" });
});
