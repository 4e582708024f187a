import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRng } from "limbeck-base/base/rng";
import { mean } from "limbeck-base/base/statistics/summary";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { createCheckGround } from "../walk/check-ground.ts";
import { createStrategy } from "./registry.ts";
import { chanceOf, fitHead, keepBalanced, keepLikeliest, prune, type Example } from "./prune.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import { strategyContract } from "./strategy.contract.ts";

const early = { size: 6, keep: 3, check: 2, labels: 6, spare: 0.1, protect: false, below: 1, wave: 1, window: 100 };
strategyContract({ name: "prune with a head", create: () => prune.create(early), runner: { describe, test } });

test("those leave whose leaving brings the mean chance closest to 0.5", () => {
  // Without 0.9 the mean is 3.15 / 5 = 0.63, closer to 0.5 than without any other; then without 0.85 it is 0.575.
  expect(keepBalanced([0.9, 0.85, 0.8, 0.2, 0.7, 0.6], 4)).toEqual([2, 3, 4, 5]);
  // All hopeless: the worst leave. Of equals the later one.
  expect(keepBalanced([0.1, 0.3, 0.2, 0.1], 2)).toEqual([1, 2]);
  expect(keepBalanced([0.5, 0.5, 0.5], 2)).toEqual([0, 1]);
  expect(keepBalanced([0.4, 0.6], 5)).toEqual([0, 1]);
  expect(keepBalanced([], 2)).toEqual([]);
});

test("without a success the least likely leave", () => {
  expect(keepLikeliest([0.9, 0.85, 0.8, 0.2, 0.7, 0.6], 4)).toEqual([0, 1, 2, 4]);
  expect(keepLikeliest([0.1, 0.9, 0.2], 1, new Set([0]))).toEqual([0]);
  expect(keepLikeliest([0.5, 0.5, 0.5], 2)).toEqual([0, 1]);
  expect(keepLikeliest([0.3], 4)).toEqual([0]);
});

test("the fixed ones stay, and never more leave than must", () => {
  expect(keepBalanced([0.9, 0.85, 0.8, 0.2, 0.7, 0.6], 4, new Set([0]))).toContain(0);
  expect(keepBalanced([0.9, 0.1], 1, new Set([0, 1]))).toEqual([0, 1]);
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 8 }),
      (chances, keep) => {
        const left = keepBalanced(chances, keep);
        expect(left).toHaveLength(Math.min(keep, chances.length));
        // The first to leave is the best to leave: no other would bring the mean closer.
        const first = keepBalanced(chances, chances.length - 1);
        const distance = (places: readonly number[]): number =>
          places.length === 0 ? 0 : Math.abs(mean(places.map((at) => chances[at] as number)) - 0.5);
        const others = chances.map((_, gone) => distance([...chances.keys()].filter((at) => at !== gone)));
        expect(distance(first)).toBeLessThanOrEqual(Math.min(...others) + 1e-9);
      },
    ),
  );
});

test("the head finds the chances that the examples were drawn with", () => {
  const rng = createRng("examples");
  const examples = Array.from({ length: 4_000 }, (): Example => {
    const features = [rng.normal() * 3 + 5, rng.float(), 1];
    const chance = 1 / (1 + Math.exp(-(0.8 * ((features[0] as number) - 5) - 2 * (features[1] as number) + 1)));
    return { features, success: rng.float() < chance ? 1 : 0 };
  });
  const head = fitHead(examples);
  for (const [first, second] of [
    [5, 0.5],
    [8, 0.5],
    [2, 0],
    [5, 1],
  ] as const) {
    const wanted = 1 / (1 + Math.exp(-(0.8 * (first - 5) - 2 * second + 1)));
    expect(chanceOf(head, [first, second, 1])).toBeCloseTo(wanted, 1);
  }
  // At the least cross-entropy the mean prediction is the share of successes.
  expect(mean(examples.map(({ features }) => chanceOf(head, features)))).toBeCloseTo(
    mean(examples.map(({ success }) => success)),
    6,
  );
});

test("examples that a line parts, or that are all alike, give chances between 0 and 1", () => {
  const parted = fitHead([0, 1, 2, 3].map((at) => ({ features: [at], success: at < 2 ? 0 : 1 })));
  // By symmetry 1.5 is even.
  expect(chanceOf(parted, [1.5])).toBeCloseTo(0.5, 9);
  expect(chanceOf(parted, [3])).toBeGreaterThan(0.6);
  expect(chanceOf(parted, [3])).toBeLessThan(1);
  const alike = fitHead(Array.from({ length: 9 }, () => ({ features: [2], success: 1 as const })));
  expect(chanceOf(alike, [2])).toBeGreaterThan(0.9);
});

const roll = async (strategy: ReturnType<typeof createStrategy>, seed: number) => {
  const { env, agent } = createCheckGround();
  return await rollOut({ env, agent, strategy, tasks: [...(env.tasks("train") as Iterable<never>)], seed });
};

test("without enough labels nobody is stopped; with them groups shrink and what was stopped is unscored", async () => {
  const strategy = createStrategy("prune", { labels: 40, check: 3, spare: 0 });
  const first = await roll(strategy, 1);
  expect(first.trajectories).toHaveLength(64);
  expect(first.trajectories.filter(({ info }) => info?.["stopped"] === "pruned")).toEqual([]);

  const next = await roll(strategy, 2);
  const stopped = next.trajectories.filter(({ info }) => info?.["stopped"] === "pruned");
  expect(stopped.length).toBeGreaterThan(8);
  expect(stopped.every(({ reward, ending }) => reward.kind === "unscored" && ending === "truncated")).toBe(true);
  expect(stopped.every(({ steps }) => steps.length === 3)).toBe(true);
  expect(next.spent.sampledTokens).toBeLessThan(first.spent.sampledTokens);
  for (const { group } of next.trajectories) {
    const scored = next.trajectories.filter((other) => other.group === group && other.reward.kind === "scored");
    // Four, or more where more were over before the check.
    expect(scored.length).toBeGreaterThanOrEqual(4);
  }
});

test("those that are spared are never stopped", async () => {
  const strategy = createStrategy("prune", { labels: 40, check: 3, spare: 1 });
  await roll(strategy, 1);
  const next = await roll(strategy, 2);
  expect(next.trajectories.filter(({ reward }) => reward.kind === "unscored")).toEqual([]);
});

test("a trained scorer says the chances from the first group on", async () => {
  const { env, agent } = createCheckGround();
  const asked: number[] = [];
  const outcomeScorer = {
    scoreSteps: () => Promise.resolve([]),
    scoreTokens: (contexts: readonly Int32Array[]) => {
      const chances = contexts.map((_, at) => (at + 1) / 10);
      asked.push(...chances);
      return Promise.resolve(chances);
    },
  };
  const strategy = prune.create({ ...early, check: 1, labels: 1_000, spare: 0, protect: true });
  const tasks = [...(env.tasks("train", { count: 1 }) as Iterable<Task>)];
  const { trajectories } = await rollOut({ env, agent, strategy, tasks, seed: 1, outcomeScorer });
  const noted = trajectories.flatMap(({ info }) => (info?.["prune"] as { readonly chance: number } | undefined) ?? []);
  expect(asked.length).toBeGreaterThan(0);
  const rising = (left: number, right: number): number => left - right;
  expect(noted.map(({ chance }) => chance).toSorted(rising)).toEqual(asked.toSorted(rising));
  const stopped = trajectories.filter(({ info }) => info?.["stopped"] === "pruned");
  // Nobody has succeeded yet, so the least likely leave: three of those that are open.
  const over = trajectories.length - asked.length;
  expect(stopped).toHaveLength(Math.min(asked.length, trajectories.length - Math.max(early.keep, over)));
});

test("below: nobody is stopped whose chance is higher, and groups shrink to keep only where all are lower", async () => {
  const pruned = async (below: number): Promise<number[]> => {
    const { env, agent } = createCheckGround();
    const outcomeScorer = {
      scoreSteps: () => Promise.resolve([]),
      scoreTokens: (contexts: readonly Int32Array[]) => Promise.resolve(contexts.map((_, at) => (at + 1) / 10)),
    };
    const strategy = prune.create({ ...early, keep: 1, check: 1, spare: 0, protect: true, below });
    const tasks = [...(env.tasks("train", { count: 1 }) as Iterable<Task>)];
    const { trajectories } = await rollOut({ env, agent, strategy, tasks, seed: 1, outcomeScorer });
    return trajectories
      .filter(({ info }) => info?.["stopped"] === "pruned")
      .map(({ info }) => (info?.["prune"] as { readonly chance: number } | undefined)?.chance ?? -1)
      .toSorted((left, right) => left - right);
  };
  const all = await pruned(1);
  expect(all.length).toBeGreaterThan(3);
  expect(await pruned(0.3)).toEqual([0.1, 0.2, 0.3]);
  expect(await pruned(0)).toEqual([]);
});
