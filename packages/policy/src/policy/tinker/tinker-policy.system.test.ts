import { beforeAll, describe, expect, test } from "vitest";
import { poisonedTrainer } from "../../../../../test/support/poisoned-trainer.ts";
import { remotePolicy, testTrainer, type TestTrainer } from "../../../../../test/support/trainer.ts";
import { tinyConfig } from "../../../../../test/support/tiny-model.ts";
import { openModel } from "../local/open-model.ts";
import { policyContract } from "../policy.contract.ts";
import type { Objective, TrainRow } from "../objective.ts";
import { join } from "node:path";

let trainer: TestTrainer;
beforeAll(async () => {
  trainer = await testTrainer();
});

const runner = { describe, test };
const { vocabularySize } = tinyConfig;
policyContract({
  name: "a policy on limbeck trainer",
  policy: () => remotePolicy(trainer.url),
  vocabularySize,
  runner,
});
policyContract({
  name: "an adapter on limbeck trainer",
  policy: () => remotePolicy(trainer.url, { rank: 4 }),
  vocabularySize,
  layers: ["learns", "saves"],
  runner,
});

const rows: readonly TrainRow[] = [
  { ids: Int32Array.of(3, 1, 4, 1, 5, 9, 2, 6), mask: Uint8Array.of(0, 0, 1, 1, 1, 0, 1, 1) },
  { ids: Int32Array.of(2, 7, 1, 8, 2, 8), mask: Uint8Array.of(0, 1, 1, 1, 0, 0) },
  { ids: Int32Array.of(1, 1, 2), mask: Uint8Array.of(0, 0, 0) },
];

/** Curved, so that its slopes depend on the log-probabilities and have both signs. */
const curved: Objective = {
  needs: ["logprob"],
  compute: ({ logprob = [] }, _, given) => {
    let loss = 0;
    const weights = logprob.map((row, at) =>
      row.map((value, token) => {
        if (given[at]?.mask[token] !== 1) return 0;
        loss += (value + 3) ** 2;
        return 2 * (value + 3);
      }),
    );
    return { loss, weights: { logprob: weights } };
  },
};

test("a step on the trainer is the step in this process", async () => {
  const local = await openModel(join(trainer.folder, "tiny"), { threads: 1 });
  const remote = await remotePolicy(trainer.url);
  try {
    for (let update = 0; update < 3; update += 1) {
      const step = { learningRate: 0.01, clipNorm: 0.5, weightDecay: 0.1 };
      const [near, far] = [await local.backward(rows, curved), await remote.backward(rows, curved)];
      expect(far.loss).toBeCloseTo(near.loss, 4);
      const [a, b] = [await local.step(step), await remote.step(step)];
      expect(b.gradientNorm).toBeCloseTo(a.gradientNorm, 3);
    }
    const [near, far] = [await local.score(rows), await remote.score(rows)];
    far.forEach(({ logprob = [] }, row) =>
      logprob.forEach((value, at) => expect(value).toBeCloseTo(near[row]?.logprob?.[at] ?? Number.NaN, 4)),
    );
  } finally {
    await Promise.all([local.close(), remote.close()]);
  }
});

test("the trainer's own way to scale losses is measured, and nothing is found to be ignored", async () => {
  const remote = await remotePolicy(trainer.url, { training: undefined });
  expect(remote.training).toEqual({ lossScale: "sum", measured: true, ignored: [], held: "float32" });
  await remote.close();
});

test("what it says is what the model in this process says, turn by turn, at every temperature", async () => {
  const local = await openModel(join(trainer.folder, "tiny"), { threads: 1 });
  const remote = await remotePolicy(trainer.url);
  try {
    for (const temperature of [1, 0.4, 0]) {
      const [near, far] = [local, remote].map((policy) => policy.open({ seed: `talk ${temperature}` }));
      for (const heard of [
        [3, 1, 4],
        [1, 5],
        [9, 2, 6, 5, 3, 5, 8, 9, 7, 9],
      ]) {
        near?.extend(heard);
        far?.extend(heard);
        const options = { maxTokens: 6, temperature, stop: [[7, 7]] };
        const [a, b] = await Promise.all([near?.sample(options), far?.sample(options)]);
        expect([...(b?.ids ?? [])]).toEqual([...(a?.ids ?? [])]);
        expect([...(b?.logprobs ?? [])]).toEqual([...(a?.logprobs ?? [])]);
        expect([...(b?.sampledLogprobs ?? [])]).toEqual([...(a?.sampledLogprobs ?? [])]);
      }
    }
  } finally {
    await Promise.all([local.close(), remote.close()]);
  }
});

test("the start is the base model, however far the policy has moved, and its scores are prompt log-probabilities", async () => {
  const remote = await remotePolicy(trainer.url);
  const before = await remote.score(rows);
  await remote.backward(rows, curved);
  await remote.step({ learningRate: 0.05 });
  const [moved, start] = [await remote.score(rows), await remote.start.score(rows)];
  expect(moved[0]?.logprob?.[3]).not.toBeCloseTo(before[0]?.logprob?.[3] ?? 0, 2);
  start.forEach(({ logprob = [] }, row) =>
    logprob.forEach((value, at) => expect(value).toBeCloseTo(before[row]?.logprob?.[at] ?? Number.NaN, 4)),
  );
  await remote.close();
});

test("weights come home as a model folder, an adapter as PEFT's two files", async () => {
  const [full, adapted] = [await remotePolicy(trainer.url), await remotePolicy(trainer.url, { rank: 2 })];
  await full.backward(rows, curved);
  await full.step({ learningRate: 0.05 });
  const names = await full.download(join(trainer.folder, "home"));
  expect(names).toContain("model.safetensors");
  const home = await openModel(join(trainer.folder, "home"), { threads: 1 });
  const [near, far] = [await home.score(rows), await full.score(rows)];
  expect([...(far[0]?.logprob ?? [])]).toEqual([...(near[0]?.logprob ?? [])]);
  await home.close();
  expect(await adapted.download(join(trainer.folder, "adapter"))).toEqual([
    "adapter_config.json",
    "adapter_model.safetensors",
  ]);
  await Promise.all([full.close(), adapted.close()]);
});

test("a model on the trainer that has become NaN is no checkpoint and no teacher: the last good one stays", async () => {
  const poisoned = await poisonedTrainer(trainer.url);
  const remote = await remotePolicy(poisoned.url);
  const folder = join(trainer.folder, "checkpoint");
  try {
    await remote.save(folder, { progress: { update: 1 } });
    poisoned.poison();
    await expect(remote.save(folder, { progress: { update: 2 } })).rejects.toMatchObject({
      code: "trainer-not-finite",
    });
    await expect(remote.backward(rows, curved)).rejects.toMatchObject({ code: "trainer-not-finite" });
    // Null in the place of a teacher's word is not a log-probability of 0.
    await expect(remote.start.score(rows)).rejects.toMatchObject({ code: "trainer-not-finite" });
    poisoned.heal();
    await remote.load(folder);
    expect(remote.progress).toEqual({ update: 1 });
  } finally {
    await remote.close();
  }
});
