import { expect, test } from "vitest";
import { advantages, answers, assign, round } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { gae } from "./gae.ts";

const values = [0.5, 0.6, 0.8];
const batch = answers([1], [{ mask: [1, 1, 1], values }]);

test("looks ahead through the critic", () => {
  // lambda 0.95, gamma 1, right to left:
  // t2: 1 - 0.8 = 0.2    t1: 0.8 - 0.6 + 0.95 * 0.2 = 0.39    t0: 0.6 - 0.5 + 0.95 * 0.39 = 0.4705
  const result = assign(gae, batch, { lambda: 0.95, whiten: false });
  expect(Array.from(result.advantages[0]!, round)).toEqual([0.4705, 0.39, 0.2]);
  expect(Array.from(result.returns![0]!, round)).toEqual([0.9705, 0.99, 1]);
});

test("whitens over the batch", () => {
  // Mean 0.3535; squares 0.117^2 + 0.0365^2 + 0.1535^2 = 0.0385835; / 2; root 0.138895.
  const [row] = advantages(gae, batch, { lambda: 0.95 });
  for (const [at, expected] of [0.842364, 0.262789, -1.105153].entries()) expect(row![at]).toBeCloseTo(expected, 5);
});

test("skips a masked token and carries on behind it", () => {
  // t2: 0.2    t0: 0.8 - 0.5 + 0.95 * 0.2 = 0.49
  const masked = answers([1], [{ mask: [1, 0, 1], values }]);
  expect(advantages(gae, masked, { lambda: 0.95, whiten: false })).toEqual([[0.49, 0, 0.2]]);
});

test("a cut-off row may go on at its last value", () => {
  // Outcome 0, gamma and lambda 1. Bootstrapped: t1: 0 + 0.4 - 0.4 = 0; t0: 0.4 - 0.3 + 0 = 0.1. Otherwise -0.4, -0.3.
  const cut = answers([0], [{ mask: [1, 1], values: [0.3, 0.4], truncated: true }]);
  expect(advantages(gae, cut, { whiten: false, bootstrapTruncated: true })).toEqual([[0.1, 0]]);
  expect(advantages(gae, cut, { whiten: false })).toEqual([[-0.3, -0.4]]);
});

test("one token comes back unwhitened", () => {
  expect(advantages(gae, answers([1], [{ values: [0.25] }]))).toEqual([[0.75]]);
});

test("refuses without values", () => {
  expect(() => advantages(gae, answers([1]))).toThrow(/Row 0 .* has no "values"\. Add it to every row/);
});

publishedCredit("gae", gae);
