import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NEEDS_REDIS, redisThere, startRedis, type TestRedis } from "../../../../test/support/redis.ts";
import { evenTokens, smallPlan } from "../../../../test/support/small-training.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { testTrainer, type TestTrainer } from "../../../../test/support/trainer.ts";
import { getWorld } from "limbeck-worlds/index";
import { openModel } from "limbeck-policy/policy/local/open-model";
import { getRecipe, type RecipeId } from "limbeck-core/recipe/registry";
import { resolveSettings } from "limbeck-core/recipe/settings";
import { train } from "limbeck-training/training/train";
import type { TrainEvent } from "limbeck-training/training/events";
import type { TrainOptions } from "limbeck-training/training/options";
import { openFleetAway, openVersions } from "./fleet-away.ts";
import { startWorker } from "./worker.ts";
import type { PolicyFiles } from "./job.ts";
import { createModels } from "./agents.ts";
import { createPolicyCache } from "./policy-cache.ts";
import { describePolicy } from "./policy-files.ts";

const newFolder = temporaryFolders();
let redis: TestRedis | undefined;
let trainer: TestTrainer;
let served = "";
beforeAll(async () => {
  if (redisThere) redis = await startRedis();
  served = await mkdtemp(join(tmpdir(), "limbeck-served-"));
  await writeTinyModel(join(served, "start"), 1, 400);
  trainer = await testTrainer({ model: join(served, "start") });
});
afterAll(async () => {
  await redis?.close();
  await rm(served, { recursive: true, force: true });
});

/** Versions of a folder that holds one file. */
async function small(serve?: { readonly host: string; readonly port: number }) {
  let text = "first";
  const folder = join(await newFolder(), "versions");
  const share = {
    write: async (to: string) => {
      await mkdir(to);
      await writeFile(join(to, "config.json"), text);
      await writeFile(join(to, "training-state.bin"), "not for workers");
    },
  };
  const versions = await openVersions({ dir: folder, share, keep: 2, ...(serve === undefined ? {} : { serve }) });
  return { folder, versions, say: (next: string) => (text = next) };
}

test("a version is named by its contents, fetched once, and checked", async () => {
  const { versions, folder, say } = await small();
  const first = await versions.publish(0);
  expect(Object.keys(first.files)).toEqual(["config.json"]);
  expect((await versions.publish(1)).hash).toBe(first.hash);
  const cache = createPolicyCache({ dir: await newFolder() });
  const [one, two] = await Promise.all([cache.folderOf(first), cache.folderOf(first)]);
  expect([one === two, cache.fetched]).toEqual([true, 1]);
  expect(await readdir(one)).toEqual(["config.json"]);
  // Gone at its source, but known here.
  await rm(folder, { recursive: true });
  expect(await cache.folderOf(first)).toBe(one);
  say("second");
  const second = await versions.publish(2).catch(() => undefined);
  expect(second).toBeUndefined();
});

test("what is at none of its places, or has other contents there, is refused with the places tried", async () => {
  const { versions, folder } = await small();
  const address = await versions.publish(3);
  await writeFile(join(folder, address.hash, "config.json"), "tampered");
  const cache = createPolicyCache({ dir: await newFolder() });
  await expect(cache.folderOf(address)).rejects.toMatchObject({
    code: "policy-unreachable",
    message: expect.stringMatching(/Version 3 .*other contents/),
  });
  const lying: PolicyFiles = { ...address, files: { ...address.files, "model.safetensors": "0".repeat(64) } };
  await expect(cache.folderOf(lying)).rejects.toMatchObject({ code: "bad-job" });
  await versions.close();
});

test("old versions go when newer ones come", async () => {
  const { versions, folder, say } = await small();
  for (const text of ["a", "b", "c"]) {
    say(text);
    await versions.publish(1);
  }
  expect(await readdir(folder)).toHaveLength(2);
  await versions.close();
});

test("over HTTP: with the token of the job, and nothing but what was published", async () => {
  const { versions } = await small({ host: "127.0.0.1", port: 0 });
  const address = await versions.publish(0);
  const [, http] = address.sources;
  if (http?.kind !== "http") throw new Error("no HTTP source");
  const cache = createPolicyCache({ dir: await newFolder() });
  const away = { ...address, sources: [{ kind: "folder" as const, path: "/nowhere" }, http] };
  expect(await readdir(await cache.folderOf(away))).toEqual(["config.json"]);
  const ask = (path: string, token = http.token): Promise<number> =>
    fetch(`${http.url}${path}`, { headers: { authorization: `Bearer ${token}` } }).then(({ status }) => status);
  expect(await ask(`/versions/${address.hash}/config.json`, "other")).toBe(401);
  expect(await ask(`/versions/${address.hash}/training-state.bin`)).toBe(404);
  expect(await ask(`/versions/${address.hash}/..%2F..%2Fetc`)).toBe(404);
  await versions.close();
});

test("a model changes its version when nobody acts with the old one any more", async () => {
  const [first, second] = [await newFolder(), await newFolder()];
  await writeTinyModel(join(first, "m"), 1);
  await writeTinyModel(join(second, "m"), 2);
  const addresses = await Promise.all(
    [first, second].map((folder, version) =>
      describePolicy(join(folder, "m"), version, [{ kind: "folder", path: join(folder, "m") }]),
    ),
  );
  const models = createModels(createPolicyCache({ dir: await newFolder() }), 1);
  const [a, b] = addresses as [PolicyFiles, PolicyFiles];
  const held = await models.lease(a);
  const again = await models.lease(a);
  expect(held.model.ref.version).toBe(0);
  let changed = false;
  const waiting = models.lease(b).then((leased) => {
    changed = true;
    return leased;
  });
  held.release();
  await new Promise((resolve) => setImmediate(resolve));
  expect(changed).toBe(false);
  again.release();
  const next = await waiting;
  // The same model with other weights: its compiled graphs stay.
  expect(next.model).toBe(held.model);
  expect(next.model.ref.version).toBe(1);
  next.release();
  await models.close();
});

const world = { id: "household", options: { dial: "tiny" } };
const given = { tasks: 2, group: 3, answerTokens: 3, maxSteps: 2, learningRate: 0.01 };
const settings = resolveSettings({ name: "grpo", recipe: getRecipe("grpo"), credit: "grpo", given });

async function planIn(
  root: string,
  updates: number,
): Promise<TrainOptions<RecipeId, string> & { readonly model: string }> {
  const model = join(root, "start");
  await writeTinyModel(model, 1, 400);
  const small = smallPlan({
    recipe: "grpo",
    given,
    env: await (await getWorld(world.id)).create(world.options),
    envName: "household",
    model,
    dir: join(root, "here"),
    steps: updates,
    rewardAll: evenTokens,
  });
  return { ...small, model };
}

test.skipIf(!redisThere)(
  `training on a fleet with a lag of 0 ends with the parameters of synchronous training, bit for bit (${NEEDS_REDIS})`,
  { timeout: 60_000 },
  async () => {
    const root = await newFolder();
    const plan = await planIn(root, 3);
    await train(plan);
    const url = redis?.url ?? "";
    const start = async () =>
      await startWorker({ redis: url, cache: await newFolder(), worlds: { household: 1 }, threads: 1 });
    const workers = [await start(), await start()];
    // Workers see no folder of the training; they get the weights over HTTP.
    const serve = { host: "127.0.0.1", port: 0 };
    const fleet = { redis: url, world, strategy: "group", settings, lag: 0, tokenizer: plan.model };
    await train({
      ...plan,
      dir: join(root, "there"),
      lag: 0,
      openAway: (share, place) => openFleetAway({ ...place, ...fleet, share, dir: join(root, "versions"), serve }),
    });
    const weights = async (name: string): Promise<Float32Array> => {
      const opened = await openModel(join(root, name, "model"), { threads: 1 });
      const flat = opened.weights.flat.slice();
      await opened.close();
      return flat;
    };
    expect(await weights("there")).toEqual(await weights("here"));
    expect(workers.map((worker) => worker.report().jobs).reduce((sum, jobs) => sum + jobs, 0)).toBe(6);
    for (const worker of workers) await worker.close();
  },
);

test.skipIf(!redisThere)(
  `weights on a trainer: workers sample from a path there, and nothing but tokens moves (${NEEDS_REDIS})`,
  { timeout: 60_000 },
  async () => {
    const root = await newFolder();
    const plan = await planIn(root, 2);
    const url = redis?.url ?? "";
    const worker = await startWorker({ redis: url, cache: await newFolder(), worlds: { household: 1 }, threads: 1 });
    const fleet = { redis: url, world, strategy: "group", settings, lag: 0, tokenizer: plan.model, dir: root };
    const events: TrainEvent[] = [];
    await train({
      ...plan,
      dir: join(root, "away"),
      trainer: { url: trainer.url },
      onEvent: (event) => events.push(event),
      lag: 0,
      openAway: (share, place) => openFleetAway({ ...place, ...fleet, share }),
    });
    const updates = events.flatMap((event) => (event.kind === "update" ? [event] : []));
    expect(updates.map(({ metrics }) => metrics["async/mostStale"])).toEqual([0, 0]);
    expect(worker.report()).toMatchObject({ jobs: 4, failed: 0 });
    await worker.close();
  },
);
