import { expect, test } from "vitest";
import { advantages, assign, episodes } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { opd } from "./opd.ts";

// kl = [-0.3, 0.7, 0].
const tokens = { mask: [1, 1, 1], logprobs: { old: [-1, -0.2, -3], episodeTeacher: [-0.7, -0.9, -3] } };
const alone = episodes({ X: { outcome: 1, steps: [tokens] } });
/** Its outcome is 0.5 above the group's mean. */
const better = episodes({ X: { outcome: 1, steps: [tokens] }, Y: { outcome: 0, steps: [{}] } });

test("the teacher's shift is the advantage; a group of one has no reward part", () => {
  expect(advantages(opd, alone)).toEqual([[0.3, -0.7, 0]]);
  expect(advantages(opd, alone, { rewardWeight: 1 })).toEqual([[0.3, -0.7, 0]]);
  expect(assign(opd, alone).metrics["teacherKl"]).toBeCloseTo(0.133333, 6);
});

test("beside a reward of 0.5, with coefficient 0.1", () => {
  expect(advantages(opd, better, { rewardWeight: 1, coefficient: 0.1 })[0]).toEqual([0.53, 0.43, 0.5]);
});

test("discount 0.5: -0.7 + 0 and 0.3 - 0.35", () => {
  expect(advantages(opd, alone, { discount: 0.5 })).toEqual([[-0.05, -0.7, 0]]);
});

test("the discount goes on over turns", () => {
  const turns = episodes({
    X: {
      outcome: 0,
      steps: [1, 2].map((shift) => ({ mask: [1, 0], logprobs: { old: [-3, 0], episodeTeacher: [shift - 3, 0] } })),
    },
  });
  // 1 + 0.5 * 2.
  expect(advantages(opd, turns, { discount: 0.5 })).toEqual([
    [2, 0],
    [2, 0],
  ]);
});

test("centred: coefficient 0.1 times 0.133333 - kl", () => {
  expect(advantages(opd, alone, { centred: true, coefficient: 0.1 })).toEqual([[0.043333, -0.056667, 0.013333]]);
});

test("a teacher that agrees gives exactly 0; rows without one are counted", () => {
  const agreed = episodes({ X: { outcome: 1, steps: [{ logprobs: { old: [-1], episodeTeacher: [-1] } }] } });
  expect(advantages(opd, agreed)).toEqual([[0]]);
  const { metrics, advantages: found } = assign(opd, better);
  expect(metrics["untaughtRows"]).toBe(1);
  expect([...(found[1] ?? [])]).toEqual([0]);
});

test("a step's own teacher goes before the episode's", () => {
  const both = { mask: [1], logprobs: { old: [-2], episodeTeacher: [-1], stepTeacher: [-1.5] } };
  expect(advantages(opd, episodes({ X: { outcome: 0, steps: [both] } }))).toEqual([[0.5]]);
});

publishedCredit("opd", opd);
