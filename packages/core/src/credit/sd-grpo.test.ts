import { expect, test } from "vitest";
import { advantages, answers, rowAdvantages } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { sdGrpo } from "./sd-grpo.ts";

const row = (before: number, after: number, token: number | null = 0) => ({
  mask: [1, 1],
  signals: { split: { token, before, after } },
});
const batch = answers([0, 1, 0, 1], [row(0.9, 0), row(0.3, 1), row(0.3, 0), row(0.9, 1)]);

test("each segment by its own reward", () => {
  // Before: mean 0.6, std 0.346410, 0.3 / 0.346510 = 0.865775. After: mean 0.5, std 0.577350, 0.865875.
  const [a, b] = [0.865775, 0.865875];
  expect(advantages(sdGrpo, batch)).toEqual([
    [a, -b],
    [-a, b],
    [-a, -b],
    [a, b],
  ]);
});

test("a sum of both compared apart, as the released script has it", () => {
  // z of the first column +- 0.865775, of the second +- 0.865875; their sums compared again.
  const found = rowAdvantages(sdGrpo, batch, { form: "scalar-each" });
  for (const [at, value] of [-0.000071, 0.000071, -1.224658, 1.224658].entries())
    expect(found[at]).toBeCloseTo(value, 6);
});

test("one score, as the released trainer has it", () => {
  // Sums 0.9, 1.3, 0.3, 1.9: mean 1.1, squares 1.36, / 3, std 0.673300: -0.2 / 0.673400 = -0.297.
  expect(rowAdvantages(sdGrpo, batch, { form: "scalar" })).toEqual([-0.297, 0.297, -1.188001, 1.188001]);
});

test("no boundary: the second reward throughout, and no part in the comparison of the first", () => {
  const found = advantages(sdGrpo, answers([0, 1], [row(0.9, 0, null), row(0.6, 1)]));
  // One row has a first part: nothing to compare it with.
  expect(found[0]).toEqual([-0.707007, -0.707007]);
  expect(found[1]).toEqual([0, 0.707007]);
});

test("searches that are all equally good are worth nothing, whatever the answers beside them earned", () => {
  // Four searches are all first part and found what was needed; four answers have none, and two are right.
  const search = row(1, 0, 1);
  const found = advantages(
    sdGrpo,
    answers(
      [0, 0, 0, 0, 0, 0, 1, 1],
      [search, search, search, search, row(0, 0, null), row(0, 0, null), row(0, 1, null), row(0, 1, null)],
    ),
  );
  for (const tokens of found.slice(0, 4)) expect(tokens).toEqual([0, 0]);
  // Answers among themselves: mean 0.5, deviation 0.577350.
  expect(found.slice(4)).toEqual([
    [-0.865875, -0.865875],
    [-0.865875, -0.865875],
    [0.865875, 0.865875],
    [0.865875, 0.865875],
  ]);
});

test("of three searches the one that found nothing is pushed down, also where every answer is wrong", () => {
  // 1, 1, 0: mean 2/3, deviation 0.577350: 0.577250 and -1.154501.
  const found = advantages(sdGrpo, answers([0, 0, 0, 0], [row(1, 0, 1), row(1, 0, 1), row(0, 0, 1), row(0, 0, null)]), {
    singleton: "zero",
  });
  expect(found).toEqual([
    [0.57725, 0.57725],
    [0.57725, 0.57725],
    [-1.154501, -1.154501],
    [0, 0],
  ]);
});

test("no difference in one reward silences its segment only", () => {
  expect(advantages(sdGrpo, answers([0, 1], [row(0.5, 0), row(0.5, 1)]))).toEqual([
    [0, -0.707007],
    [0, 0.707007],
  ]);
});

publishedCredit("sd-grpo", sdGrpo);
