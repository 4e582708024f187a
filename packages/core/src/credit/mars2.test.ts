import { expect, test } from "vitest";
import { answers, episodes, forks, round, rowAdvantages } from "../../../../test/support/credit.ts";
import { prepareBatch } from "./assign.ts";
import { batchFromJson } from "./batch-json.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { mars2, shape } from "./mars2.ts";

const options = { alpha: 0.5, mix: 0.5, inPlace: false };
const family = forks({ A: [1, 0, 0] }, (_, leaf) => ({
  reward: leaf === null ? 0.4 : ([0.8, 0.5, 0.7][leaf] ?? 0),
}));
const shaped = (inPlace: boolean) => {
  const batch = prepareBatch(batchFromJson(family));
  return Array.from(
    shape(
      batch,
      Float64Array.from(batch.rows, ({ reward }) => reward ?? 0),
      { ...options, inPlace },
    ),
    round,
  );
};

test("a reward against its parent and its siblings", () => {
  // First child: siblings' mean 0.6, base 0.5 * 0.4 + 0.5 * 0.6 = 0.5; 0.8 + 0.5 * 0.3 = 0.95.
  // Second: siblings 0.75, base 0.575; 0.5 - 0.0375 = 0.4625. Third: 0.65, base 0.525; 0.7 + 0.0875 = 0.7875.
  expect(shaped(false)).toEqual([0.4, 0.95, 0.4625, 0.7875]);
});

test("in place, as published, children see the shaped parent and siblings as they were", () => {
  // Roots A 0.4 and B 0.6: A against 0.6 is 0.4 - 0.1 = 0.3, B is 0.7.
  // A's children 0.8 and 0.5, from a copy: bases 0.5 * 0.4 + 0.5 * 0.5 = 0.45 and 0.6; 0.975 and 0.45.
  // In place with A at 0.3: bases 0.4 and 0.55; 1 and 0.475. B's only child 0.2: base 0.6, 0; in place base 0.7, -0.05.
  const rewards: Readonly<Record<string, readonly number[]>> = { A: [0.4, 0.8, 0.5], B: [0.6, 0.2] };
  const batch = prepareBatch(
    batchFromJson(
      forks({ A: [1, 0], B: [0] }, (branch, leaf) => ({
        reward: rewards[branch]?.[leaf === null ? 0 : leaf + 1] ?? 0,
      })),
    ),
  );
  const given = Float64Array.from(batch.rows, ({ reward }) => reward ?? 0);
  expect(Array.from(shape(batch, given, options), round)).toEqual([0.3, 0.975, 0.45, 0.7, 0]);
  expect(Array.from(shape(batch, given, { ...options, inPlace: true }), round)).toEqual([0.3, 1, 0.475, 0.7, -0.05]);
});

test("then each row against its task", () => {
  // 0.4, 0.95, 0.4625, 0.7875: mean 0.65, squares 0.0625 + 0.09 + 0.035156 + 0.018906, / 3, std 0.262401.
  expect(rowAdvantages(mars2, family)).toEqual([-0.952737, 1.143285, -0.714553, 0.524006]);
});

test("a root without siblings, and equal rewards, stay as they are", () => {
  const one = episodes({ X: { outcome: 1, steps: [{ reward: 0.5 }] } });
  expect(rowAdvantages(mars2, one, { singleton: "raw" })).toEqual([0.5]);
  expect(rowAdvantages(mars2, answers([1, 0], [{ reward: 0.3 }, { reward: 0.3 }]))).toEqual([0, 0]);
});

publishedCredit("mars2", mars2);
