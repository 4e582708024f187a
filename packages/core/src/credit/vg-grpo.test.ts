import { expect, test } from "vitest";
import { answers, rowAdvantages } from "../../../../test/support/credit.ts";
import { grpo } from "./grpo.ts";
import { vgGrpo } from "./vg-grpo.ts";

test("clear differences keep their size, tiny ones lose it", () => {
  // 1 and 0: variance 0.5, gate 0.5 / 0.51 = 0.980392; 0.707106 * 0.980392 = 0.693241.
  expect(rowAdvantages(vgGrpo, answers([1, 0]))).toEqual([0.693241, -0.693241]);
  // 0.51 and 0.5: variance 0.00005, gate 0.00005 / 0.01005 = 0.004975; 0.707007 * 0.004975 = 0.003517.
  expect(rowAdvantages(vgGrpo, answers([0.51, 0.5]))).toEqual([0.003517, -0.003517]);
});

test("no difference, and nobody to differ from, give 0", () => {
  expect(rowAdvantages(vgGrpo, answers([0.3, 0.3]))).toEqual([0, 0]);
  expect(rowAdvantages(vgGrpo, answers([0.7]))).toEqual([0]);
  expect(rowAdvantages(vgGrpo, answers([0.7]), { singleton: "raw" })).toEqual([0.7]);
});

test("without a threshold it is GRPO", () => {
  expect(rowAdvantages(vgGrpo, answers([1, 0, 0, 1]), { threshold: 0 })).toEqual([
    0.866024, -0.866024, -0.866024, 0.866024,
  ]);
});

test("what a group pushes with vanishes with its variance, where GRPO's push stays whole", () => {
  const push = (credit: typeof vgGrpo | typeof grpo, difference: number): number =>
    Math.hypot(...rowAdvantages(credit, answers([0.5 + difference, 0.5, 0.5, 0.5 + difference])));
  // Of four scores, two of them d higher: variance d^2 / 3, gate = variance / (variance + 0.01); GRPO's push is sqrt(3).
  for (const difference of [1, 0.1, 0.01]) {
    const variance = difference ** 2 / 3;
    expect(push(grpo, difference)).toBeCloseTo(Math.sqrt(3), 3);
    expect(push(vgGrpo, difference)).toBeCloseTo((Math.sqrt(3) * variance) / (variance + 0.01), 3);
  }
  // A variance of a thousandth of the threshold leaves a thousandth, and none leaves nothing.
  expect(push(vgGrpo, 0.0055)).toBeLessThan(0.002);
  expect(push(vgGrpo, 0)).toBe(0);
});
