import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLuckyWorld } from "../../../../test/support/lucky-world.ts";
import { smallPlan } from "../../../../test/support/small-training.ts";
import { collect } from "../../../../test/support/stores.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import type { RecipeId } from "limbeck-core/recipe/registry";
import type { RewardPlan } from "limbeck-core/reward/plan";
import { readRewardPlan } from "limbeck-core/reward/plan-file";
import { openStore } from "limbeck-store/store/open-store";
import { mean } from "limbeck-base/base/statistics/summary";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { planTraining } from "./plan.ts";
import { train } from "./train.ts";
import type { TrainEvent } from "./events.ts";
import type { TrainOptions } from "./options.ts";

let root = "";
let model = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "limbeck-rewards-"));
  model = join(root, "start");
  await writeTinyModel(model);
});
afterAll(() => rm(root, { recursive: true, force: true }));

type Options = TrainOptions<RecipeId, string>;

function planOf(name: string, more: Partial<Options>): Options {
  const given = { tasks: 2, group: 3, answerTokens: 4, learningRate: 0.01, "tasks.pool": 2 };
  const world = { env: createLuckyWorld(), envName: "lucky" };
  const place = { model, dir: join(root, "runs", name), steps: 2, keep: true };
  return smallPlan({ recipe: "grpo", ...world, ...place, given, ...more });
}

async function trained(name: string, more: Partial<Options>) {
  const events: TrainEvent[] = [];
  await train({ ...planOf(name, more), onEvent: (event) => void events.push(event) });
  const store = openStore(join(root, "runs"));
  try {
    const stored: Trajectory[] = await collect(store.trajectories({ run: name }));
    return { updates: events.filter((event) => event.kind === "update"), stored };
  } finally {
    await store.close();
  }
}

const PLAN = readRewardPlan({
  rewards: [
    { use: "outcome", weight: 1 },
    { use: "format", options: { tags: [] }, weight: 0.5 },
  ],
});

test("several rewards with weights: stored by name and part, and their means are in the metrics", async () => {
  const { updates, stored } = await trained("weighed", { reward: PLAN });
  const first = stored.filter(({ info }) => info?.["update"] === 1);
  expect(first).toHaveLength(6);
  const values = (name: string): number[] =>
    first.flatMap(({ rewards }) =>
      rewards.flatMap((one) => (one.name === name && one.step === undefined ? [scoreValue(one.score) ?? NaN] : [])),
    );
  const names = ["outcome", "format", "format.valid", "components"];
  const means = Object.fromEntries(names.map((name) => [`reward/${name}`, mean(values(name))]));
  expect(updates[0]?.metrics).toMatchObject(means);
  // Every answer is understood in this world, so that the form is worth 0.5 to all.
  expect(means["reward/format"]).toBe(1);
  expect(means["reward/components"]).toBeCloseTo((means["reward/outcome"] as number) + 0.5, 12);
  expect(updates[0]?.metrics["reward/format/steps"]).toBe(1);
  for (const { reward, rewards } of first) {
    expect(reward).toEqual(rewards.find(({ name }) => name === "components")?.score);
  }
});

test("a run goes on with its own rewards only, and the refusal names both", async () => {
  await trained("resumed", { reward: "outcome", steps: 1 });
  const refused = (more: Partial<Options>): Promise<unknown> =>
    train(planOf("resumed", { steps: 2, ...more })).then(undefined, (error: unknown) => error);
  expect(await refused({ reward: "trace" })).toMatchObject({
    code: "other-training",
    message: expect.stringMatching(
      /other rewards than it was started with: it had .*"outcome".* now .*"trace"/,
    ) as string,
  });
  expect(await refused({})).toMatchObject({ message: expect.stringContaining("the world's own reward") as string });
  expect(await refused({ reward: () => 1 })).toMatchObject({ message: expect.stringContaining("own code") as string });
  await trained("resumed", { reward: "outcome", steps: 2 });
});

test("references tighten from update to update, also over a resumed run", async () => {
  // Every answer is right: one round each, and the least known of each task is one from the first update on.
  const easy = { env: createLuckyWorld(1), reward: "trace" };
  await trained("tight", { ...easy, steps: 2 });
  const { references, rewards } = await heldOf("tight");
  expect(references).toEqual({ trace: { "lucky-train-100000": 1, "lucky-train-100001": 1 } });
  expect(rewards).toEqual({ rewards: [{ use: "trace" }], reward: "trace" });
  await trained("tight", { ...easy, steps: 3 });
  expect((await heldOf("tight")).references).toEqual(references);
});

async function heldOf(run: string): Promise<{ readonly references: unknown; readonly rewards: unknown }> {
  const { openModel } = await import("limbeck-policy/policy/local/open-model");
  const opened = await openModel(join(root, "runs", run, "model"), { threads: 1, resume: true });
  try {
    return opened.progress["training"] as never;
  } finally {
    await opened.close();
  }
}

test.each<[string, Partial<Options>, string]>([
  ["progress", {}, "needs a potential of states (potential), which only a program can give: train({ reward:"],
  ["process", {}, "a scorer of steps (scoreSteps)"],
  ["autoregressive", {}, "a reward model for tokens (scoreTokens)"],
  ["turn-judge", { environment: {} }, "needs a judge, and the training has none. No chat model is set: LIMBECK_CHAT_"],
  ["motion-tags", { env: "household" }, 'cannot score an episode of "household"'],
  ["tool-match", { env: "household" }, "its reference calls are not known. Choose a world that has it (--env)"],
  ["world-part", { env: "emit" }, 'the world gives no part "quality"; it gives parse, fields, values'],
])("what the training lacks is refused before anything is played: %s", async (reward, more, message) => {
  await expect(planTraining(planOf("none", { reward, ...more }))).rejects.toMatchObject({
    code: "needs-unmet",
    message: expect.stringContaining(message) as string,
  });
});

test("what code gives, the world's verdict and the demonstrator's calls are enough", async () => {
  const potential: RewardPlan = {
    rewards: [{ use: "progress", givens: { potential: () => 0.5 } }],
    reward: "progress",
  };
  for (const [reward, env] of [
    [potential, createLuckyWorld()],
    ["verifier", createLuckyWorld()],
    ["tool-match", "tools"],
    ["majority", "countdown"],
    ["world-part", "draft"],
  ] as const) {
    expect((await planTraining(planOf("none", { reward, env }))).rewards).toBeDefined();
  }
});

test("a judge or scorer that fails, hangs, talks nonsense or says NaN: unscored, counted, and the training goes on", async () => {
  let asked = 0;
  const endpoint = (): Promise<never> => {
    const answers = [
      () => Promise.reject(new Error("502")),
      () => new Promise(() => undefined),
      () => Promise.resolve("a good one"),
      () => Promise.resolve(Number.NaN),
      () => Promise.reject(new DOMException("too late", "AbortError")),
      () => Promise.resolve(0.5),
    ];
    asked += 1;
    return answers[(asked - 1) % answers.length]?.() as Promise<never>;
  };
  const reward: RewardPlan = {
    rewards: [
      { use: "verifier", as: "endpoint", givens: { verify: endpoint }, seconds: 0.02, weight: 1 },
      { use: "rubric-judge", as: "judge", givens: { judge: endpoint }, seconds: 0.02, options: { samples: 1 } },
    ],
  };
  const { updates, stored } = await trained("failing", { reward });
  expect(updates).toHaveLength(2);
  for (const { metrics } of updates) {
    // Of six episodes of an update one is scored.
    expect(metrics["reward/endpoint/unscored"]).toBeCloseTo(5 / 6, 12);
    expect(metrics["reward/endpoint"]).toBe(0.5);
    expect(metrics["reward/judge/unscored"]).toBe(1);
  }
  const why = new Set(stored.flatMap(({ reward: score }) => (score.kind === "unscored" ? [score.why] : [])));
  expect([...why].join("\n")).toMatch(
    /502[\s\S]*within 0.02 seconds[\s\S]*type string[\s\S]*NaN[\s\S]*gave up: too late/,
  );
});

test("weights of the update are told with its metrics, gates and normalised parts are stored, one reward is screened alone", async () => {
  const plan = readRewardPlan({
    rewards: [
      { use: "format", options: { tags: [] }, weight: { 1: 1, 2: 0 }, screens: { "constant-scores": { minEach: 1 } } },
      { use: "outcome", weight: 1, when: "format", normalise: "group" },
    ],
  });
  const events: TrainEvent[] = [];
  await train({ ...planOf("moving", { reward: plan }), onEvent: (event) => void events.push(event) });
  const updates = events.filter((event) => event.kind === "update");
  expect(updates.map(({ metrics }) => metrics["reward/format/weight"])).toEqual([1, 0]);
  // Less its group's mean, over its deviation: the mean of all is 0.
  expect(updates[0]?.metrics["reward/outcome.counted"]).toBeCloseTo(0, 9);
  expect(updates[0]?.metrics["reward/components"]).toBeCloseTo(1, 9);
  const notices = events.flatMap((event) => (event.kind === "notice" ? [event.message] : []));
  expect(notices.filter((text) => text.startsWith("constant-scores of format: "))).toHaveLength(1);
  expect((await heldOf("moving")).rewards).toEqual(JSON.parse(JSON.stringify(plan)));
});
