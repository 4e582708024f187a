import { expect, test } from "vitest";
import { answers, assign, rowAdvantages } from "../../../../test/support/credit.ts";
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

test("pairs, as published: both sides by the share of pairs that are not clear", () => {
  // A right answer of -0.4; wrong ones of -0.2 and -1.5: distances -0.2 and 1.1, margin 0.5, so one pair of two is unclear.
  // Right: 1.1546985 * (1 + 0.5 * 0.5) = 1.443373. First wrong: -0.577349 * 1.5 = -0.866024. Second: as it is.
  const batch = answers([1, 0, 0], said(-0.4, -0.2, -1.5));
  expect(rowAdvantages(tablemind, batch, { rule: "pairs" })).toEqual([1.443373, -0.866024, -0.577349]);
  // All above the threshold: no pairs.
  const plain = rowAdvantages(tablemind, answers([1, 0.6], said(-0.9, -0.1)), { factor: 1 });
  expect(rowAdvantages(tablemind, answers([1, 0.6], said(-0.9, -0.1)), { rule: "pairs" })).toEqual(plain);
});
