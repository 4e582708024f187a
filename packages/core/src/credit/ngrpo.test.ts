import { expect, test } from "vitest";
import {
  advantages,
  answers,
  assign,
  episodes,
  plainSteps,
  rowAdvantages,
  together,
} from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { ngrpo } from "./ngrpo.ts";

const exact = { epsilon: 1e-12 };

test("a group of failures is below its mean", () => {
  // 0, 0 and the virtual 1: mean 1/3, variance (1/9 + 1/9 + 4/9) / 2 = 1/3; -1/3 / 0.577350 = -0.577350.
  expect(rowAdvantages(ngrpo, answers([0, 0]), exact)).toEqual([-0.57735, -0.57735]);
  // Over n: variance 2/9, -1/3 / 0.471405 = -0.707107.
  expect(rowAdvantages(ngrpo, answers([0, 0]), { ...exact, deviation: "population" })).toEqual([-0.707107, -0.707107]);
});

test("successes gain less than in GRPO, and a group of them nothing", () => {
  // 1, 0 and 1: mean 2/3, the same deviation: 1/3 / 0.577350 and -2/3 / 0.577350.
  expect(rowAdvantages(ngrpo, answers([1, 0]), exact)).toEqual([0.57735, -1.154701]);
  expect(rowAdvantages(ngrpo, answers([1, 1, 1]))).toEqual([0, 0, 0]);
});

test("one answer alone keeps its score, on its trained tokens", () => {
  const one = answers([0.5], [{ mask: [1, 0, 1] }]);
  expect(advantages(ngrpo, one, exact)).toEqual([[0.5, 0, 0.5]]);
  expect(advantages(ngrpo, one, { singleton: "zero" })).toEqual([[0, 0, 0]]);
});

test("eight failures, of one step or of ten: -1/3", () => {
  // Mean 1/9, variance (8/81 + 64/81) / 8 = 1/9.
  expect(rowAdvantages(ngrpo, answers(Array.from({ length: 8 }, () => 0)), exact)[0]).toBeCloseTo(-1 / 3, 6);
  const long = { outcome: 0, steps: plainSteps(10) };
  const batch = episodes(Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`X${at}`, long])));
  expect(rowAdvantages(ngrpo, batch, exact)[79]).toBeCloseTo(-1 / 3, 6);
});

test("every task has a virtual rollout of its own, which is no row", () => {
  const solved = { outcome: 1, steps: [{}] };
  const batch = together(answers([0, 0]), episodes({ X: solved, Y: solved }, "another task"));
  expect(rowAdvantages(ngrpo, batch, exact)).toEqual([-0.57735, -0.57735, 0, 0]);
  expect(assign(ngrpo, batch).metrics).toMatchObject({ groups: 2, rows: 4 });
});

publishedCredit("ngrpo", ngrpo);
