import { expect, test } from "vitest";
import { advantages, episodes } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { iwOpd, prefixWeights } from "./iw-opd.ts";

const step = (shifts: readonly number[]) => ({
  mask: shifts.map(() => 1),
  logprobs: { old: shifts.map(() => -3), episodeTeacher: shifts.map((shift) => shift - 3) },
});

test("weights 1.5, 1.35, 1", () => {
  // Prefixes 0, 0.3, 1 of a total of 1.
  prefixWeights([0.3, -0.7, 0], 0.5).forEach((weight, at) => expect(weight).toBeCloseTo([1.5, 1.35, 1][at] ?? 0, 12));
  expect(advantages(iwOpd, episodes({ X: { outcome: 0, steps: [step([0.3, -0.7, 0])] } }))).toEqual([
    [0.45, -0.945, 0],
  ]);
});

test("no discrepancy: all weights 1 + gain; one token: 1 + gain", () => {
  expect(prefixWeights([0, 0], 0.5)).toEqual([1.5, 1.5]);
  expect(prefixWeights([-2], 0.5)).toEqual([1.5]);
  expect(prefixWeights([], 0.5)).toEqual([]);
});

test("masked tokens add nothing to the prefix", () => {
  const masked = { mask: [1, 0, 1], logprobs: { old: [-3, -3, -3], episodeTeacher: [-2.5, 9, -2.5] } };
  // 0.5 * 1.5, and after half of the total 0.5 * 1.25.
  expect(advantages(iwOpd, episodes({ X: { outcome: 0, steps: [masked] } }))).toEqual([[0.75, 0, 0.625]]);
});

test("the prefix runs over the trajectory, or begins anew with every step", () => {
  const turns = episodes({ X: { outcome: 0, steps: [step([1]), step([1])] } });
  expect(advantages(iwOpd, turns)).toEqual([[1.5], [1.25]]);
  expect(advantages(iwOpd, turns, { over: "step" })).toEqual([[1.5], [1.5]]);
});

publishedCredit("iw-opd", iwOpd);
