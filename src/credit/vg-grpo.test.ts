import { expect, test } from "vitest";
import { answers, rowAdvantages } from "../../test/support/credit.ts";
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
