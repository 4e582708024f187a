import { describe, expect, test } from "vitest";
import { sampleDeviation } from "limbeck-base/base/statistics/summary";
import { createCorridor } from "../env/corridor.ts";
import { plainDialect } from "limbeck-policy/policy/tabular/script-tokenizer";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { allocate, extraWanted, halfWidth, narrowing, nextByInterval, nextByWant } from "./allocate.ts";
import { createStrategy } from "./registry.ts";
import { goalLikeness } from "./ask.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import { strategyContract } from "./strategy.contract.ts";
import type { OutcomeScorer } from "../walk/judge.ts";
import { createTokenAgent } from "../walk/mind/token-agent.ts";

const hard = { by: "hardness", size: 3, first: 2, most: 6, wave: 2, explore: 0, examples: 0, prior: 4 } as const;
strategyContract({ name: "allocate by hardness", create: () => allocate.create(hard), runner: { describe, test } });

test("XRPO: half widths, what one more rollout gains, and the bonus", () => {
  // Rewards [1, 0, 0, 1]: s = sqrt(1/3) = 0.577350; 3.182 s / 2 = 0.918564, 2.776 s / sqrt(5) = 0.716760.
  const spread = sampleDeviation([1, 0, 0, 1]);
  expect(halfWidth(spread, 4)).toBeCloseTo(0.918564, 6);
  expect(halfWidth(spread, 5)).toBeCloseTo(0.71676, 6);
  expect(narrowing(spread, 4, 16, 0)).toBeCloseTo(0.201804, 6);
  // 0.1 sqrt(ln 17 / 4) = 0.084161; a task whose rewards do not differ has nothing but that.
  expect(narrowing(0, 4, 16, 0.1)).toBeCloseTo(0.084161, 6);
  expect(narrowing(sampleDeviation([1, 0, 0, 0]), 4, 16, 0)).toBeCloseTo(0.174768, 6);
  expect(narrowing(0, 1, 4, 0.1)).toBe(Number.POSITIVE_INFINITY);
  // Beyond the table: t of 60 degrees is 2.000, of 120 is 1.980.
  expect(halfWidth(Math.sqrt(61), 61)).toBeCloseTo(2, 3);
  expect(halfWidth(11, 121)).toBeCloseTo(1.98, 3);
});

test("XRPO: the next rollouts go to what is least certain, then to what was tried least", () => {
  const tried = [{ rewards: [1, 1, 1, 1] }, { rewards: [1, 0, 0, 1] }, { rewards: [1, 0, 0, 0] }, { rewards: [0] }];
  // The single rollout first; with two of equal rewards its spread counts as 0. Then 0.2018, 0.1748; after one more,
  // (2.776 / sqrt 5 - 2.571 / sqrt 6) * 0.57735 = 0.1108.
  expect(nextByInterval(tried, 4, 0, 32)).toEqual([3, 1, 2, 1]);
  expect(nextByInterval(tried, 3, 0, 4)).toEqual([3, 3, 3]);
  expect(nextByInterval(tried, 2, 0, 1)).toEqual([]);
});

test("DARS: extra rollouts after eight", () => {
  const accuracies = [0, 0.125, 0.25, 0.375, 0.5];
  // Accuracy 0 counts as 0.0625: S = 0.1171875, (4 - 0.9375) / S = 26.13, cut to 32 - 8.
  expect(accuracies.map((accuracy) => extraWanted(accuracy, 8, "equal", 32))).toEqual([24, 11, 3, 1, 0]);
  expect(accuracies.map((accuracy) => extraWanted(accuracy, 8, "hardness", 64))).toEqual([56, 24, 8, 3, 0]);
  // The cost of a batch: 32 + 19 + 11 + 8 = 70.
  const cost = [0, 0.125, 0.25, 0.5].reduce((sum, accuracy) => sum + 8 + extraWanted(accuracy, 8, "equal", 32), 0);
  expect(cost).toBe(70);
});

test("where wishes exceed the budget the largest go first", () => {
  const wants = [1, 4, 0, 3];
  expect(nextByWant(wants, 4)).toEqual([1, 1, 3, 1]);
  expect(wants).toEqual([1, 1, 0, 2]);
  expect(nextByWant([0, 0], 3)).toEqual([]);
});

test("goals are alike by the words they share", () => {
  // put, a, hot in both; six words in all.
  expect(goalLikeness("Put a hot egg.", "put a hot apple, twice")).toBeCloseTo(3 / 6, 9);
  expect(goalLikeness("", "")).toBe(0);
});

/** Tasks whose last digit in ten is the chance of each step being right. */
const roll = async (
  options: Readonly<Record<string, unknown>>,
  ids: readonly string[],
  outcomeScorer?: OutcomeScorer,
) => {
  const policy = createScriptedPolicy({
    script: ({ text }) => {
      const chance = Number(/chance (\d)/.exec(text)?.[1] ?? 0) / 10;
      return [
        { text: "go east", probability: chance },
        { text: "wait", probability: 1 - chance },
      ].filter(({ probability }) => probability > 0);
    },
  });
  const prompts: string[] = [];
  const agent = createTokenAgent({
    policy,
    dialect: plainDialect(policy.tokenizer),
    prompting: (task) => ({
      show: ({ guidance = "" }) => {
        prompts.push(guidance);
        return { message: { kind: "fresh", text: task.goal + guidance, base: task.goal }, next: never };
      },
      hear: never.hear,
    }),
  });
  const tasks = ids.map((id): Task => ({
    id,
    env: "corridor",
    seed: 0,
    goal: `Reach it, chance ${id.at(-1)}.`,
    split: "train",
  }));
  const env = createCorridor({ rooms: 2, maxSteps: 1 });
  const result = await rollOut({
    env,
    agent,
    tasks,
    strategy: createStrategy("allocate", options),
    seed: 3,
    ...(outcomeScorer === undefined ? {} : { outcomeScorer }),
  });
  const counts = ids.map((id) => result.trajectories.filter(({ task }) => task.id === id).length);
  return { counts, prompts, ...result };
};
const never = {
  show: () => {
    throw new Error("The episode has one step.");
  },
  hear: (answer: string) => ({ decision: { action: answer.trim(), readable: true }, next: never }),
};

test("the budget is spent where the rule says, and exactly", async () => {
  const ids = ["always-9", "even-5", "never-0"];
  const even = await roll({ by: "even", size: 6, first: 2 }, ids);
  expect(even.counts).toEqual([6, 6, 6]);
  const equal = await roll({ by: "equal", size: 8, first: 4, examples: 0 }, ids);
  // All failed of four: (2 - 0.875) / 0.21875 = 5.14, so six more; those with half their successes want none.
  expect(equal.counts[2]).toBe(10);
  const interval = await roll({ by: "interval", size: 8, first: 4, explore: 0, wave: 1 }, ids);
  expect(interval.counts.reduce((sum, count) => sum + count, 0)).toBe(24);
  expect(interval.counts[1]).toBeGreaterThan(interval.counts[2] as number);
  const few = await roll({ by: "hardness", size: 1, first: 4 }, ids);
  expect(few.counts).toEqual([1, 1, 1]);
});

test("what a scorer says of the first rollouts counts beside their outcomes", async () => {
  const ids = ["never-0", "never-10"];
  const settings = { by: "equal", size: 20, first: 4, examples: 0 };
  // Nothing succeeds. Alone: six more each, see above. With p = 0.5 for four: a = 2 / 8, S = 0.375,
  // (2 - 1.5) / 0.375 = 1.33, so two more each.
  const scorer = (said: number): OutcomeScorer => ({
    scoreTokens: (contexts) => Promise.resolve(contexts.map(() => said)),
    scoreSteps: () => Promise.resolve([]),
  });
  expect((await roll(settings, ids)).counts).toEqual([10, 10]);
  expect((await roll(settings, ids, scorer(0.5))).counts).toEqual([6, 6]);
  expect((await roll({ ...settings, prior: 0 }, ids, scorer(0.5))).counts).toEqual([10, 10]);
  expect((await roll(settings, ids, scorer(Number.NaN))).counts).toEqual([10, 10]);
});

test("a task without success is shown a solved one like it, and the step says so", async () => {
  const { trajectories, prompts } = await roll({ by: "equal", size: 8, first: 4 }, ["always-9", "never-0"]);
  const seeded = trajectories.filter(({ info }) => info?.["seeded"] === true);
  expect(seeded.length).toBeGreaterThan(0);
  expect(new Set(seeded.map(({ task }) => task.id))).toEqual(new Set(["never-0"]));
  expect(prompts.filter((text) => text !== "")).toHaveLength(seeded.length);
  expect(prompts).toContain("Solved before: Reach it, chance 9.\ngo east");
  expect(seeded[0]?.steps[0]).toMatchObject({ basePrompt: "Reach it, chance 0." });
});
