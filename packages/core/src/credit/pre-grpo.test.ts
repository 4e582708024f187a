import { expect, test } from "vitest";
import { episodes, round, rowAdvantages } from "../../../../test/support/credit.ts";
import { prepareBatch } from "./assign.ts";
import { batchFromJson } from "./batch-json.ts";
import { preGrpo, trajectoryRewards } from "./pre-grpo.ts";

const quality = (...values: number[]) => ({ outcome: 0, steps: values.map((reward) => ({ reward })) });
const batch = episodes({ X: quality(0.4, 0.8, 0.6), Y: quality(0.4, 0.8), Z: quality(0.4, 0.5, 0.8) });
const weights = { retention: 0.5, efficiency: 0.2, maxTurns: 5 };
const rewards = (json: typeof batch) =>
  Array.from(trajectoryRewards(prepareBatch(batchFromJson(json)) as never, weights), round);

test("peak, less what was lost and wasted", () => {
  // X: 0.8 - 0.5 * 0.2 - 0.2 * 1/5 = 0.66. Y and Z end at their peak.
  expect(rewards(batch)).toEqual([0.66, 0.8, 0.8]);
});

test("then against the task's trajectories", () => {
  // Mean 0.753333, std 0.080829: -0.093333 / 0.080830 = -1.154686, 0.577343.
  const found = rowAdvantages(preGrpo, batch);
  expect([found[0], found[3], found[5]]).toEqual([-1.154686, 0.577343, 0.577343]);
});

test("one turn loses and wastes nothing; the first of equal peaks counts", () => {
  // 0.8 held for two more turns: only waste, 0.2 * 2/5.
  expect(rewards(episodes({ X: quality(0.7), Y: quality(0.8, 0.8, 0.8) }))).toEqual([0.7, 0.72]);
});
