import { expect, test } from "vitest";
import { mean } from "../../base/index.ts";
import { createModel, type ModelConfig } from "../../policy/local/index.ts";
import { createProductPolicy } from "../../policy/product-policy.ts";
import type { Policy, TrainRow } from "../../policy/index.ts";
import { sampleTrajectory } from "../../../test/support/samples.ts";
import { sigmoid } from "./losses.ts";
import {
  learnPairs,
  pairAccuracy,
  pairsOf,
  tokenRewardObjective,
  trainTokenReward,
  type TokenPair,
} from "./token-reward.ts";

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


async function said(policy: Policy, seed: number, maxTokens: number) {
  const talk = policy.open({ seed });
  talk.extend([0]);
  const found = await talk.sample({ maxTokens });
  talk.close();
  return found;
}

const config = (hiddenSize: number, layers: number): ModelConfig => ({
  form: "qwen3",
  vocabularySize: 12,
  hiddenSize,
  layers,
  heads: 2,
  keyValueHeads: 1,
  headSize: hiddenSize / 2,
  intermediateSize: 2 * hiddenSize,
  contextLength: 32,
  ropeTheta: 10_000,
  normEpsilon: 1e-6,
  tiedEmbeddings: true,
});

test("a small reward model lifts a larger base", { timeout: 240_000 }, async () => {
  const [base, small] = [
    await createModel(config(32, 2), { seed: 1, threads: 1 }),
    await createModel(config(8, 1), { seed: 2, threads: 1 }),
  ];
  try {
    expect(small.weights.flat.length * 8).toBeLessThan(base.weights.flat.length);
    /** What nobody tells: words above 7 are good, and a word said twice in a row is not. */
    const worth = (ids: ArrayLike<number>): number =>
      Array.from(ids).reduce((sum, id, at, all) => sum + Number(id > 7) - Number(at > 0 && all[at - 1] === id), 0);
    const drawn = async (policy: Policy, from: number, count: number) =>
      await Promise.all(Array.from({ length: count }, (_, at) => said(policy, from + at, 6)));
    const heard = await drawn(base, 0, 800);
    const pairs = Array.from({ length: 400 }, (_, at): TokenPair | undefined => {
      const [left, right] = [heard[2 * at]?.ids ?? [], heard[2 * at + 1]?.ids ?? []];
      if (worth(left) === worth(right)) return undefined;
      const both = [row(Array.from(left)), row(Array.from(right))] as const;
      return worth(left) > worth(right) ? both : [both[1], both[0]];
    }).filter((pair) => pair !== undefined);
    const [learning, test] = [pairs.slice(0, -60), pairs.slice(-60)];
    const before = await pairAccuracy(small, test);
    await learnPairs(small, learning, { epochs: 8, batch: 16, learningRate: 0.02 });
    expect(await pairAccuracy(small, test)).toBeGreaterThan(Math.max(0.7, before));
    const alone = mean((await drawn(base, 1_000, 100)).map(({ ids }) => worth(ids)));
    const led = mean((await drawn(createProductPolicy(base, small), 1_000, 100)).map(({ ids }) => worth(ids)));
    expect(led).toBeGreaterThan(alone + 0.5);
  } finally {
    await Promise.all([base.close(), small.close()]);
  }
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
