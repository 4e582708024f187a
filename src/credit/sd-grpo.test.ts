import { expect, test } from "vitest";
import { advantages, answers, rowAdvantages } from "../../test/support/credit.ts";
import { sdGrpo } from "./sd-grpo.ts";

const row = (before: number, after: number, token: number | null = 0) => ({
  mask: [1, 1],
  signals: { split: { token, before, after } },
});
const batch = answers([0, 1, 0, 1], [row(0.9, 0), row(0.3, 1), row(0.3, 0), row(0.9, 1)]);

test("each segment by its own reward", () => {
  // Before: mean 0.6, std 0.346410, 0.3 / 0.346411 = 0.866023. After: mean 0.5, std 0.577350, 0.866024.
  const [a, b] = [0.866023, 0.866024];
  expect(advantages(sdGrpo, batch)).toEqual([
    [a, -b],
    [-a, b],
    [-a, -b],
    [a, b],
  ]);
});

test("one score, as the released trainer has it", () => {
  // Sums 0.9, 1.3, 0.3, 1.9: mean 1.1, squares 1.36, / 3, std 0.673300: -0.2 / 0.673301 = -0.297044.
  expect(rowAdvantages(sdGrpo, batch, { form: "scalar" })).toEqual([-0.297044, 0.297044, -1.188175, 1.188175]);
});

test("no boundary: the second reward throughout, and 0 among the first", () => {
  const found = advantages(sdGrpo, answers([0, 1], [row(0.9, 0, null), row(0.6, 1)]));
  // First rewards 0 and 0.6.
  expect(found[0]).toEqual([-0.707106, -0.707106]);
  expect(found[1]).toEqual([0.707105, 0.707106]);
});

test("no difference in one reward silences its segment only", () => {
  expect(advantages(sdGrpo, answers([0, 1], [row(0.5, 0), row(0.5, 1)]))).toEqual([
    [0, -0.707106],
    [0, 0.707106],
  ]);
});
