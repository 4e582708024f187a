import { expect, test } from "vitest";
import { advantages, answers } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { reinforcePlusPlusBaseline } from "./reinforce-plus-plus-baseline.ts";

test("whitens scores less their group's mean", () => {
  // Centred: 0.5 twice, -0.5 three times; mean -0.1; squares 2 * 0.36 + 3 * 0.16 = 1.2; / 4 = 0.3; root 0.547723.
  // 0.6 / 0.547723 = 1.095445    -0.4 / 0.547723 = -0.730297
  const batch = answers([1, 0], [{ mask: [1, 1] }, { mask: [1, 1, 1] }]);
  expect(advantages(reinforcePlusPlusBaseline, batch)).toEqual([
    [1.095445, 1.095445],
    [-0.730297, -0.730297, -0.730297],
  ]);
});

test("a group of one is raw before whitening, or 0", () => {
  // One row, score 1, two tokens: whitening equal values leaves (1 - mean) / 1e-4 of rounding, about 5e-5.
  const batch = answers([1], [{ mask: [1, 1] }]);
  for (const singleton of ["raw", "zero"]) {
    for (const value of advantages(reinforcePlusPlusBaseline, batch, { singleton })[0]!)
      expect(value).toBeCloseTo(0, 3);
  }
});

test("one token is refused, or 0", () => {
  expect(() => advantages(reinforcePlusPlusBaseline, answers([1]))).toThrow(/at least 2/);
  expect(advantages(reinforcePlusPlusBaseline, answers([1]), { tooFewTokens: "centre" })).toEqual([[0]]);
});

publishedCredit("reinforce-plus-plus-baseline", reinforcePlusPlusBaseline);
