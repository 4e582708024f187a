import { expect, test } from "vitest";
import type { TrainRow } from "limbeck-policy/policy/objective";
import { sampleTrajectory } from "../../../../../test/support/samples.ts";
import { sigmoid } from "./losses.ts";
import { pairsOf, tokenRewardObjective, trainTokenReward } from "./token-reward.ts";

const row = (said: readonly number[], prompt: readonly number[] = [0]): TrainRow => ({
  ids: Int32Array.from([...prompt, ...said]),
  mask: Uint8Array.from([...prompt.map(() => 0), ...said.map(() => 1)]),
});

test("loss and slopes as worked out by hand", () => {
  const logprob = [Float64Array.from([0, -1, -0.5]), Float64Array.from([0, -2, 0])];
  const rows = [row([1, 2]), row([1])].map((one, at) => ({ ...one, ids: one.ids, at }));
  const sums = tokenRewardObjective({ scale: 2 }).compute({ logprob }, {}, rows);
  // Sums -1.5 and -2, twice their difference is 1: log(1 + e^-1) = 0.3133; slope 2 * sigmoid(-1) = 0.5379.
  expect(sums.loss).toBeCloseTo(0.3133, 4);
  const slope = 2 * sigmoid(-1);
  expect([...(sums.weights.logprob?.[0] ?? [])]).toEqual([0, expect.closeTo(-slope, 9), expect.closeTo(-slope, 9)]);
  expect([...(sums.weights.logprob?.[1] ?? [])].slice(0, 2)).toEqual([0, expect.closeTo(slope, 9)]);
  // Means -0.75 and -2: the difference is 1.25, and each of two tokens has half of the slope.
  const means = tokenRewardObjective({ perToken: true }).compute({ logprob }, {}, rows);
  expect(means.loss).toBeCloseTo(Math.log1p(Math.exp(-1.25)), 9);
  expect(means.weights.logprob?.[0]?.[1]).toBeCloseTo(-sigmoid(-1.25) / 2, 9);
});

test("pairs are a success and a failure of one task; without any nothing is trained", async () => {
  const stream = (ids: readonly number[]) => ({ ids: Int32Array.from(ids), mask: Uint8Array.from(ids, () => 1) });
  const one = (id: string, success: boolean, ids: readonly number[], task = "t") =>
    sampleTrajectory(id, {
      task: { id: task, env: "toy", seed: 1, goal: "", split: "train" },
      success,
      streams: [stream(ids)],
    });
  const some = [one("a", true, [1]), one("b", false, [2]), one("c", false, [3]), one("d", true, [4], "other")];
  expect(pairsOf(some).map((pair) => pair.map(({ ids }) => [...ids]))).toEqual([
    [[1], [2]],
    [[1], [3]],
  ]);
  await expect(trainTokenReward({ model: "bundled:household", out: "nowhere", trajectories: some })).rejects.toThrow(
    "to learn from",
  );
});
