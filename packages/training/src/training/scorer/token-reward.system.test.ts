import { describe, expect, test } from "vitest";
import { responses, totalVariation } from "../../../../../test/support/enumerable-strings.ts";
import { createRng } from "limbeck-base/base/rng";
import { mean } from "limbeck-base/base/statistics/summary";
import { createModel } from "limbeck-policy/policy/local/open-model";
import type { ModelConfig } from "limbeck-policy/policy/local/model-config";
import { createProductPolicy } from "limbeck-policy/policy/product-policy";
import type { Policy } from "limbeck-policy/policy/policy";
import type { TrainRow } from "limbeck-policy/policy/objective";
import { createTabularPolicy, randomTable } from "limbeck-policy/policy/tabular/tabular-policy";
import { sigmoid } from "./losses.ts";
import { learnPairs, pairAccuracy, type TokenPair } from "./token-reward.ts";

const row = (said: readonly number[], prompt: readonly number[] = [0]): TrainRow => ({
  ids: Int32Array.from([...prompt, ...said]),
  mask: Uint8Array.from([...prompt.map(() => 0), ...said.map(() => 1)]),
});

const VOCABULARY = 3;
const strings = responses(VOCABULARY, 2);

describe("strings that can be counted out", () => {
  /** A row for every prefix: the prompt, then one for each first word. */
  const perPrefix = (seed: number, spread: number) =>
    createTabularPolicy({
      probabilities: randomTable({ states: 1 + VOCABULARY, vocabularySize: VOCABULARY, seed, spread }),
      stateOf: (tokens, count) => (count === 1 ? 0 : 1 + (tokens[1] as number)),
    });
  const logChance = (policy: ReturnType<typeof perPrefix>, [one = 0, two = 0]: readonly number[]): number =>
    (policy.logprobs(0)[one] as number) + (policy.logprobs(1 + one)[two] as number);
  const normalised = (logs: readonly number[]): number[] => {
    const total = logs.reduce((sum, value) => sum + Math.exp(value), 0);
    return logs.map((value) => Math.exp(value) / total);
  };

  test("learnt from pairs and decoded as a product it is the optimum of reward and divergence: total variation below 0.05", async () => {
    const rng = createRng("hidden reward");
    const rewards = strings.map(() => 1.5 * rng.normal());
    const base = perPrefix(1, 0.7);
    const guide = perPrefix(2, 0);
    // Who wins is drawn by Bradley and Terry's chances of the hidden rewards.
    const pairs = Array.from({ length: 3_000 }, (): TokenPair => {
      const [left, right] = [rng.int(strings.length), rng.int(strings.length)];
      const wins = rng.float() < sigmoid((rewards[left] as number) - (rewards[right] as number));
      const both = [row(strings[left] ?? []), row(strings[right] ?? [])] as const;
      return wins ? both : [both[1], both[0]];
    });
    await learnPairs(guide, pairs, { epochs: 6, batch: 64, learningRate: 0.1 });
    const beta = 1;
    const optimum = normalised(strings.map((ids, at) => logChance(base, ids) + (rewards[at] as number) / beta));
    // Counted out, with nothing drawn.
    const learnt = normalised(strings.map((ids) => logChance(base, ids) + logChance(guide, ids) / beta));
    expect(totalVariation(learnt, optimum)).toBeLessThan(0.05);
    const unled = normalised(strings.map((ids) => logChance(base, ids)));
    expect(totalVariation(unled, optimum)).toBeGreaterThan(0.3);
    // Drawn: 1,500 of 9 strings are about 0.03 off by chance alone.
    const policy = createProductPolicy(base, guide, { beta, draws: 12 });
    const shares = strings.map(() => 0);
    for (let seed = 0; seed < 1_500; seed += 1) {
      const { ids } = await said(policy, seed, 2);
      const at = strings.findIndex((one) => one.join() === ids.join());
      shares[at] = (shares[at] ?? 0) + 1 / 1_500;
    }
    expect(totalVariation(shares, learnt)).toBeLessThan(0.05);
    expect(totalVariation(shares, optimum)).toBeLessThan(0.07);
  }, 240_000);
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
