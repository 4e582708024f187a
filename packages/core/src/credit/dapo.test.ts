import { expect, test } from "vitest";
import { advantages, answers, assign, episodes, rowAdvantages, together } from "../../../../test/support/credit.ts";
import { dapo, overlongBonus } from "./dapo.ts";

test("shaping is 0, then a straight line down to -factor", () => {
  const small = { maxTokens: 10, bufferTokens: 4, factor: 1 };
  // -(9 - 6) / 4 = -0.75
  expect([6, 9, 10].map((length) => overlongBonus(length, small) + 0)).toEqual([0, -0.75, -1]);
  const full = { maxTokens: 20_480, bufferTokens: 4096, factor: 1 };
  expect([16_384, 18_432, 20_480].map((length) => overlongBonus(length, full) + 0)).toEqual([0, -0.5, -1]);
});

test("the shaped score enters the group", () => {
  const ones = (length: number) => ({ mask: Array.from({ length }, () => 1) });
  const options = { maxTokens: 10, bufferTokens: 4 };
  // Scores 1, 1 - 0.75, 0 - 1: mean 0.083333; distances 0.916667, 0.166667, -1.083333;
  // squares 0.840278 + 0.027778 + 1.173611 = 2.041667; / 2; root 1.010363.
  const found = advantages(dapo, answers([1, 1, 0], [ones(6), ones(9), ones(10)]), options);
  expect(found.map(([first]) => first)).toEqual([0.907264, 0.164957, -1.072221]);
  // Without shaping: scores 1, 1, 0, mean 2/3, std 0.577350.
  const plain = advantages(dapo, answers([1, 1, 0], [ones(6), ones(9), ones(10)]), { ...options, overlong: "none" });
  expect(plain.map(([first]) => first)).toEqual([0.577349, 0.577349, -1.154699]);
});

test("drops tasks that teach nothing", () => {
  const group = (task: string, scores: readonly number[]) =>
    episodes(Object.fromEntries(scores.map((outcome, at) => [`${task}${at}`, { outcome, steps: [{}] }])), task);
  const batch = together(group("a", [1, 1]), group("b", [1, 0]), group("c", [0, 0]), group("d", [0.5]));
  const result = assign(dapo, batch);
  expect(result.dropped).toEqual([0, 1, 4, 5]);
  expect(result.metrics["droppedTasks"]).toBe(2);
  expect(rowAdvantages(dapo, batch).map((value) => value !== 0)).toEqual([
    false,
    false,
    true,
    true,
    false,
    false,
    true,
  ]);
  expect(assign(dapo, batch, { dynamicSampling: false }).dropped).toEqual([]);
  // Success (outcome of 1 and more) is the same everywhere but in b and, being alone, d.
  expect(assign(dapo, batch, { filterMetric: "success" }).dropped).toEqual([0, 1, 4, 5]);
});

test("the filter leaves cut-off rows out of training but in the statistics", () => {
  const batch = answers([1, 0], [{ truncated: true }, { truncated: false }]);
  const result = assign(dapo, batch, { overlong: "filter" });
  expect(result.dropped).toEqual([0]);
  // Mean 0.5, std 0.707107: -0.5 / 0.707108 = -0.707106.
  expect(rowAdvantages(dapo, batch, { overlong: "filter" })).toEqual([0, -0.707106]);
  expect(() => assign(dapo, answers([1, 0]), { overlong: "filter" })).toThrow(/has no "truncated"/);
});
