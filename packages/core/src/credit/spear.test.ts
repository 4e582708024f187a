import { expect, test } from "vitest";
import { answers, assign, episodes, round, rowAdvantages, together } from "../../../../test/support/credit.ts";
import { median } from "limbeck-base/base/statistics/summary";
import { prepareBatch } from "./assign.ts";
import { batchFromJson } from "./batch-json.ts";
import { groupHistory, replayWeight, spear, toolBonus } from "./spear.ts";

test("against the median of recent group means; what is no longer good is dropped", () => {
  // 0.2, 0.4, 0.6, 0.5: median 0.45. 1 - 0.45 = 0.55 stays, 0.3 - 0.45 goes.
  const baseline = median([0.2, 0.4, 0.6, 0.5]);
  expect(round(baseline)).toBe(0.45);
  expect(rowAdvantages(spear, answers([1, 0.3]), { baseline })).toEqual([0.55, 0]);
  expect(assign(spear, answers([1, 0.3]), { baseline }).dropped).toEqual([1]);
  // Over a median deviation of 0.5.
  expect(rowAdvantages(spear, answers([1]), { baseline, spread: 0.5 })).toEqual([1.099998]);
});

test("the history of groups", () => {
  const task = (name: string, outcomes: readonly number[]) =>
    episodes(Object.fromEntries(outcomes.map((outcome, at) => [`${name}${at}`, { outcome, steps: [{}] }])), name);
  const batch = together(task("a", [1, 0]), task("b", [1, 0.5, 0]), task("c", [0.25]));
  const { means, deviations } = groupHistory(prepareBatch(batchFromJson(batch)));
  expect(means).toEqual([0.5, 0.5, 0.25]);
  // Over n: sqrt(0.5 / 2), sqrt(0.5 / 3); one trajectory has none.
  expect(deviations.map(round)).toEqual([0.5, 0.408248, 0]);
  expect(assign(spear, batch).metrics["baseline"]).toBe(0.5);
});

test("the replay loss ramps up while the tool bonus fades", () => {
  expect([0, 50, 100, 200, 500].map((step) => round(replayWeight(step)))).toEqual([0, 0.146447, 0.5, 1, 1]);
  expect([0, 50, 100].map((step) => round(toolBonus(3, step)))).toEqual([0.3, 0.15, 0]);
  expect(toolBonus(30, 0)).toBe(1);
});
