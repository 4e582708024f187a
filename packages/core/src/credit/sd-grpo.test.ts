import { expect, test } from "vitest";
import { advantages, answers, rowAdvantages } from "../../../../test/support/credit.ts";
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

test("no boundary: the second reward throughout, and no part in the comparison of the first", () => {
  const found = advantages(sdGrpo, answers([0, 1], [row(0.9, 0, null), row(0.6, 1)]));
  // One row has a first part: nothing to compare it with.
  expect(found[0]).toEqual([-0.707106, -0.707106]);
  expect(found[1]).toEqual([0, 0.707106]);
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
    [-0.866024, -0.866024],
    [-0.866024, -0.866024],
    [0.866024, 0.866024],
    [0.866024, 0.866024],
  ]);
});

test("of three searches the one that found nothing is pushed down, also where every answer is wrong", () => {
  // 1, 1, 0: mean 2/3, deviation 0.577350: 0.577349 and -1.154699.
  const found = advantages(sdGrpo, answers([0, 0, 0, 0], [row(1, 0, 1), row(1, 0, 1), row(0, 0, 1), row(0, 0, null)]), {
    singleton: "zero",
  });
  expect(found).toEqual([
    [0.577349, 0.577349],
    [0.577349, 0.577349],
    [-1.154699, -1.154699],
    [0, 0],
  ]);
});

test("no difference in one reward silences its segment only", () => {
  expect(advantages(sdGrpo, answers([0, 1], [row(0.5, 0), row(0.5, 1)]))).toEqual([
    [0, -0.707106],
    [0, 0.707106],
  ]);
});
