import { expect, test } from "vitest";
import { answers, assign, rowAdvantages } from "../../test/support/credit.ts";
import { tablemind } from "./tablemind.ts";

const said = (...logprobs: number[]) => logprobs.map((logprob) => ({ logprobs: { old: [logprob] } }));

test("better and less likely than another: multiplied", () => {
  // 1, 0, 0: mean 1/3, std 0.577350: 1.154699 * 1.5 = 1.732048; the wrong ones -0.577349 as they are.
  const batch = answers([1, 0, 0], said(-0.9, -0.2, -1.5));
  expect(rowAdvantages(tablemind, batch)).toEqual([1.732048, -0.577349, -0.577349]);
  expect(assign(tablemind, batch).metrics["misranked"]).toBe(1);
});

test("in the right order nothing changes", () => {
  expect(rowAdvantages(tablemind, answers([1, 0, 0], said(-0.1, -0.2, -1.5)))).toEqual([
    1.154699, -0.577349, -0.577349,
  ]);
});

test("equal outcomes are no ranking; a middle one may be misranked", () => {
  expect(assign(tablemind, answers([1, 1], said(-0.1, -0.9))).metrics["misranked"]).toBe(0);
  // 0.5 says less than 0 does; 1 says more than all.
  const { metrics } = assign(tablemind, answers([0, 0.5, 1], said(-0.5, -0.9, -0.1)));
  expect(metrics["misranked"]).toBe(1);
});
