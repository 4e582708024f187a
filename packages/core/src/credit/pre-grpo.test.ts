import { expect, test } from "vitest";
import { episodes, round, rowAdvantages } from "../../../../test/support/credit.ts";
import { prepareBatch } from "./assign.ts";
import { batchFromJson } from "./batch-json.ts";
import { preGrpo, trajectoryRewards } from "./pre-grpo.ts";

const quality = (...values: number[]) => ({ outcome: 0, steps: values.map((reward) => ({ reward })) });
const batch = episodes({ X: quality(0.4, 0.8, 0.6), Y: quality(0.4, 0.8), Z: quality(0.4, 0.5, 0.8) });
const published = { form: "all-turns", retention: 0.25, efficiency: 0.025, maxTurns: 3, format: 0 };
const own = { form: "after-peak", retention: 0.5, efficiency: 0.2, maxTurns: 5, format: 0 };
const rewards = (json: typeof batch, options = published) =>
  Array.from(trajectoryRewards(prepareBatch(batchFromJson(json)) as never, options), round);

/** The paper's worked values as they are handed on: scores out of 5, at most three turns. */
const worked: readonly (readonly [readonly number[], number])[] = [
  [[4.8], 1.2],
  [[4.5, 4.8], 1.1875],
  [[3, 4, 4.8], 1.175],
  [[3, 4.8, 4], 1.135],
  [[4.75], 1.1875],
];

test.each(worked)("scores %j are worth %d", (scores, wanted) => {
  const json = episodes({ X: quality(...scores.map((score) => score / 5)) });
  expect(rewards(json)[0]).toBeCloseTo(wanted, 6);
  expect(rewards(json, { ...published, format: 0.1 })[0]).toBeCloseTo(wanted + 0.1, 6);
});

test("an early good result is before a late one that is a little better", () => {
  // 1.1875 and 1.175: z = 1 / sqrt(2), less epsilon's share of the deviation 0.008839.
  const pair = episodes({ X: quality(0.95), Y: quality(0.6, 0.8, 0.96) });
  const found = rowAdvantages(preGrpo, pair);
  for (const [at, sign] of [1, -1, -1, -1].entries()) expect(found[at]).toBeCloseTo(sign * 0.707027, 5);
  // With turns before the peak free it is the other way round.
  expect(rowAdvantages(preGrpo, pair, own)[0]).toBeLessThan(0);
});

test("an episode with a turn nobody understood has no share in the format", () => {
  const json = episodes({
    X: { outcome: 0, steps: [{ reward: 0.4, valid: false }, { reward: 0.8 }] },
    Y: quality(0.4, 0.8),
  });
  // 0.8 + 0.2 - 0.0125, and 0.1 more.
  const found = rewards(json, { ...published, format: 0.1 });
  expect(found[0]).toBeCloseTo(0.9875, 6);
  expect(found[1]).toBeCloseTo(1.0875, 6);
});

test("after-peak: peak, less what was lost and wasted", () => {
  // X: 0.8 - 0.5 * 0.2 - 0.2 * 1/5 = 0.66. Y and Z end at their peak.
  expect(rewards(batch, own)).toEqual([0.66, 0.8, 0.8]);
  // Mean 0.753333, std 0.080829: -0.093333 / 0.080830 = -1.154686, 0.577343.
  const found = rowAdvantages(preGrpo, batch, own);
  expect([found[0], found[3], found[5]]).toEqual([-1.154686, 0.577343, 0.577343]);
});

test("after-peak: one turn loses and wastes nothing; the first of equal peaks counts", () => {
  // 0.8 held for two more turns: only waste, 0.2 * 2/5.
  expect(rewards(episodes({ X: quality(0.7), Y: quality(0.8, 0.8, 0.8) }), own)).toEqual([0.7, 0.72]);
});
