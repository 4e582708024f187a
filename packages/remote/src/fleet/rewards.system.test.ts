/** Rewards by workers: the same numbers as in the training, and the training's own where no worker gives any. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { says, startChatServer } from "../../../../test/support/chat-server.ts";
import { householdTasks, quietly } from "../../../../test/support/fleet.ts";
import { NEEDS_REDIS, redisThere, startRedis, type TestRedis } from "../../../../test/support/redis.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { smallPlan } from "../../../../test/support/small-training.ts";
import { groupedBy } from "limbeck-base/base/grouped-by";
import { getWorld } from "limbeck-worlds/index";
import { openModel } from "limbeck-policy/policy/local/open-model";
import { getRecipe } from "limbeck-core/recipe/registry";
import { resolveSettings } from "limbeck-core/recipe/settings";
import { plainRewardPlan, readRewardPlan } from "limbeck-core/reward/plan-file";
import { rewardTrajectories } from "limbeck-core/reward/registry";
import { train } from "limbeck-training/training/train";
import type { TrainEvent } from "limbeck-training/training/events";
import { worldsVerdict } from "limbeck-training/training/run-rewards";
import type { JsonObject } from "limbeck-base/base/json";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { trajectoryToJson } from "limbeck-base/trajectory/schema";
import { type FleetWorker, startWorker, type WorkerOptions } from "./worker.ts";
import { openFleetAway } from "./fleet-away.ts";
import { type FleetRewards, openFleetRewards } from "./reward-on-fleet.ts";

const newFolder = temporaryFolders();
const signal = new AbortController().signal;
const plan = readRewardPlan({
  rewards: [
    { use: "outcome", weight: 1 },
    { use: "verifier", weight: 0.3 },
    { use: "format", weight: 0.1, normalise: "group" },
  ],
});
const stored = plainRewardPlan(plan) as JsonObject;

let redis: TestRedis;
beforeAll(async () => {
  if (redisThere) redis = await startRedis();
});
afterAll(() => redis?.close());
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

async function worker(more: Partial<WorkerOptions> = {}): Promise<FleetWorker> {
  const started = await startWorker({ redis: redis.url, cache: await newFolder(), worlds: {}, rewards: 2, ...more });
  open.push(started);
  return started;
}

async function desk(notices: string[] = []): Promise<FleetRewards> {
  const onNotice = (message: string): void => void notices.push(message);
  const opened = await openFleetRewards({ redis: redis.url, run: "r", plan: stored, seed: "1", lookMs: 50, onNotice });
  open.push(opened);
  return opened;
}

const groups = async (): Promise<Trajectory[][]> =>
  [...groupedBy(await quietly(await householdTasks(3), 4), ({ group }) => group).values()].map((own) => [...own]);

test.skipIf(!redisThere)(
  `workers give what the training would have given, bit for bit (${NEEDS_REDIS})`,
  { timeout: 60_000 },
  async () => {
    const workers = [await worker({ name: "one" }), await worker({ name: "two" })];
    const fleet = await desk();
    const played = await groups();
    const given = (await Promise.all(played.map((own) => fleet.give(own, 3, signal)))).flat();
    const { trajectories: here } = await rewardTrajectories(played.flat(), plan, { ...worldsVerdict, update: 3 });
    expect(given.map(({ info }) => info?.["rewardedBy"]).every((name) => name === "one" || name === "two")).toBe(true);
    const plain = given.map(({ info, ...one }) => {
      const { rewardedBy: _, ...rest } = info ?? {};
      return trajectoryToJson({ ...one, ...(Object.keys(rest).length === 0 ? {} : { info: rest }) });
    });
    expect(plain).toEqual(here.map(trajectoryToJson));
    expect(new Set(given.map(({ reward }) => JSON.stringify(reward))).size).toBeGreaterThan(1);
    expect(workers.map((one) => one.report().jobs).reduce((sum, jobs) => sum + jobs)).toBe(3);
  },
);

test.skipIf(!redisThere)(
  `without a worker episodes stay as they are, and it is said once (${NEEDS_REDIS})`,
  async () => {
    const notices: string[] = [];
    const fleet = await desk(notices);
    const played = await groups();
    for (const own of played) expect(await fleet.give(own, 1, signal)).toEqual(own);
    expect(notices).toEqual([expect.stringContaining("limbeck worker --rewards")]);
  },
);

test("what looks beyond the episodes of a task is refused by name", async () => {
  const options = { redis: "redis://nowhere", run: "r", seed: "1", onNotice: () => undefined };
  const of = (given: JsonObject | string | undefined) => openFleetRewards({ ...options, plan: given });
  await expect(of({ rewards: [{ use: "efficiency" }] })).rejects.toThrow(/efficiency compares with the updates before/);
  await expect(of({ rewards: [{ use: "outcome", weight: 1, normalise: "batch" }] })).rejects.toThrow(/whole update/);
  await expect(of("own")).rejects.toThrow(/is a function/);
  await expect(of(undefined)).rejects.toThrow(/Add --reward/);
});

const world = { id: "household", options: { dial: "tiny" } } as const;
const given = { tasks: 2, group: 3, answerTokens: 3, maxSteps: 2, learningRate: 0.01 };
const settings = resolveSettings({ name: "grpo", recipe: getRecipe("grpo"), credit: "grpo", given });

test.skipIf(!redisThere)(
  `a training whose rewards workers give ends with the same parameters (${NEEDS_REDIS})`,
  { timeout: 90_000 },
  async () => {
    const root = await newFolder();
    const model = join(root, "start");
    await writeTinyModel(model, 1, 400);
    // A judge that thinks a lot of some prompts: a random model solves nothing, and equal rewards teach nothing.
    const judge = await startChatServer((request) => {
      const digest = createHash("sha256").update(JSON.stringify(request.body["messages"])).digest();
      return says(`{"score": ${(digest[0] as number) % 10}}`);
    });
    open.push(judge);
    const environment = { LIMBECK_CHAT_BASE_URL: judge.baseUrl, LIMBECK_CHAT_MODEL: "judge" };
    const base = smallPlan({
      recipe: "grpo",
      given,
      env: await (await getWorld(world.id)).create(world.options),
      envName: "household",
      model,
      dir: join(root, "here"),
      steps: 2,
      reward: { rewards: [{ use: "rubric-judge", options: { samples: 1 } }], reward: "rubric-judge" },
      environment,
    });
    const events: TrainEvent[] = [];
    const fleet = { redis: redis.url, world, strategy: "group", settings, lag: 0, tokenizer: model, lookMs: 100 };
    const common = { dir: join(root, "versions"), serve: { host: "127.0.0.1", port: 0 } };
    await worker({ worlds: { household: 1 }, threads: 1, env: environment });
    for (const [name, rewardWorkers] of [
      ["here", false],
      ["there", true],
    ] as const) {
      await train({
        ...base,
        dir: join(root, name),
        lag: 0,
        openAway: (share, place) => openFleetAway({ ...place, ...fleet, ...common, share, rewardWorkers }),
        onEvent: (event) => void (name === "there" && events.push(event)),
      });
    }
    const weights = async (name: string): Promise<Float32Array> => {
      const opened = await openModel(join(root, name, "model"), { threads: 1 });
      const flat = opened.weights.flat.slice();
      await opened.close();
      return flat;
    };
    const learnt = await weights("there");
    expect(learnt).toEqual(await weights("here"));
    const start = await openModel(model, { threads: 1 });
    expect(learnt).not.toEqual(start.weights.flat);
    await start.close();
    const shares = events.flatMap((event) => (event.kind === "update" ? [event.metrics["reward/elsewhere"]] : []));
    expect(shares).toEqual([1, 1]);
  },
);
