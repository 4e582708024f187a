import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { tinyConfig } from "../../../../../test/support/tiny-model.ts";
import type { Objective, TrainRow } from "../objective.ts";
import { trainBytePair } from "./byte-pair.ts";
import type { LocalModel } from "./local-model.ts";
import { createAdapter } from "./lora.ts";
import type { ModelConfig } from "./model-config.ts";
import {
  createModel,
  openModel,
  requireTokenizer,
  type CreateModelOptions,
  type OpenModelOptions,
} from "./open-model.ts";

const folder = temporaryFolders();
const models: LocalModel[] = [];
afterEach(async () => void (await Promise.all(models.splice(0).map((model) => model.close()))));

const kept = (model: LocalModel): LocalModel => {
  models.push(model);
  return model;
};
const create = async (config: ModelConfig, options: Partial<CreateModelOptions> = {}): Promise<LocalModel> =>
  kept(await createModel(config, { seed: 1, threads: 1, ...options }));
const open = async (path: string, options: OpenModelOptions = {}): Promise<LocalModel> =>
  kept(await openModel(path, { threads: 1, ...options }));

const rows: TrainRow[] = [3, 4].map((start) => ({
  ids: Int32Array.from({ length: 8 }, (_, at) => (start + at * 2) % 29),
  mask: new Uint8Array(8).fill(1),
}));
const cloning: Objective = {
  needs: ["logprob"],
  compute: ({ logprob = [] }) => ({
    loss: -logprob.reduce((total, row) => total + row.reduce((sum, value) => sum + value, 0), 0),
    weights: { logprob: logprob.map((row) => row.map((_, at) => (at === 0 ? 0 : -1))) },
  }),
};

async function train(model: LocalModel, steps: number): Promise<number[]> {
  const losses: number[] = [];
  for (let step = 0; step < steps; step += 1) {
    losses.push((await model.backward(rows, cloning)).loss);
    await model.step({ learningRate: 0.01 });
  }
  return losses;
}

test("the seed makes the model, and its folder opens as the same model", async () => {
  const path = join(await folder(), "clerk");
  const [one, same, other] = [
    await create(tinyConfig),
    await create(tinyConfig),
    await create(tinyConfig, { seed: 2 }),
  ];
  expect(same.weights.flat).toEqual(one.weights.flat);
  expect(other.weights.flat).not.toEqual(one.weights.flat);
  await one.save(path);
  const opened = await open(path);
  expect(opened.weights.flat).toEqual(one.weights.flat);
  expect(opened.ref).toEqual({ name: "clerk", version: 0 });
  expect(await opened.score(rows)).toEqual(await one.score(rows));
});

test("resumed, loaded and uninterrupted training go on alike; a plain opening starts the optimiser afresh", async () => {
  const path = join(await folder(), "model");
  const model = await create(tinyConfig);
  await train(model, 2);
  await model.save(path, { progress: { epoch: 3 } });
  const expected = await train(model, 3);

  const resumed = await open(path, { resume: true });
  expect([resumed.core.state.step, resumed.ref.version, resumed.progress]).toEqual([2, 2, { epoch: 3 }]);
  expect(await train(resumed, 3)).toEqual(expected);
  expect(resumed.weights.flat).toEqual(model.weights.flat);

  await model.load(path);
  expect([model.core.state.step, model.ref.version]).toEqual([2, 2]);
  expect(await train(model, 3)).toEqual(expected);

  const fresh = await open(path);
  expect([fresh.core.state.step, fresh.ref.version]).toEqual([0, 0]);
  expect((await train(fresh, 3))[1]).not.toBe(expected[1]);
});

test("an open conversation reads again what it has read when weights are loaded under it", async () => {
  const path = join(await folder(), "model");
  const model = await create(tinyConfig);
  await (await create(tinyConfig, { seed: 7 })).save(path);
  const talk = model.open({ seed: 5 });
  talk.extend([1, 2, 3, 4, 5]);
  await talk.sample({ maxTokens: 2 });
  await model.load(path);
  const { logprobs, ids, version } = await talk.sample({ maxTokens: 3 });
  expect(version).toBe(0);
  const [scored] = await model.score([{ ids: talk.tokens }]);
  ids.forEach((_, at) => expect(logprobs[at]).toBeCloseTo(scored?.logprob?.at(at - ids.length) ?? 0, 4));
});

test("a load that fails leaves everything as it was", async () => {
  const root = await folder();
  const model = await create(tinyConfig);
  await train(model, 1);
  const before = model.weights.flat.slice();
  const path = join(root, "broken");
  const broken = await create(tinyConfig, { seed: 3 });
  await broken.save(path);
  const [good, file] = [join(root, "good"), join(path, "model.safetensors")];
  await broken.save(good);
  broken.weights.flat[100] = Number.NaN;
  // Nothing is written of a model that is none, and what is there stays.
  await expect(broken.save(good)).rejects.toMatchObject({ code: "update-not-finite" });
  await expect(openModel(good, { threads: 1 }).then((opened) => opened.close())).resolves.toBeUndefined();
  const bytes = await readFile(file);
  bytes.writeFloatLE(Number.NaN, bytes.length - 4);
  await writeFile(file, bytes);
  await expect(model.load(path)).rejects.toThrow("holds NaN");
  await (await create({ ...tinyConfig, layers: 1 })).save(join(root, "small"));
  await expect(model.load(join(root, "small"))).rejects.toThrow("a model of another shape");
  await expect(model.load(join(root, "nowhere"))).rejects.toThrow("has no config.json");
  expect(model.weights.flat).toEqual(before);
  expect([model.core.state.step, model.ref.version]).toEqual([1, 1]);
});

test("heads and adapters are part of a checkpoint", async () => {
  const root = await folder();
  const heads = ({ hiddenSize }: ModelConfig): Map<string, readonly number[]> =>
    new Map([
      ["value_head.weight", [1, hiddenSize]],
      ["value_head.bias", [1]],
    ]);
  const valued = await create(tinyConfig, { heads });
  valued.weights.views["value_head.weight"]?.fill(0.5);
  await valued.save(join(root, "valued"), { optimiser: false });
  const opened = await open(join(root, "valued"));
  expect(opened.weights.flat).toEqual(valued.weights.flat);
  expect(opened.statistics).toContain("value");

  const adapter = (config: ModelConfig) => createAdapter(config, { rank: 2, seed: 1 });
  const adapted = await create(tinyConfig, { adapter });
  await train(adapted, 2);
  await adapted.save(join(root, "adapted"));
  const expected = await train(adapted, 2);
  const resumed = await open(join(root, "adapted"), { adapter, resume: true });
  expect(await train(resumed, 2)).toEqual(expected);
  expect(resumed.adapter?.weights.flat).toEqual(adapted.adapter?.weights.flat);
  await expect((await create(tinyConfig)).load(join(root, "adapted"))).rejects.toThrow("holds an adapter");
});

test("words travel with the model", async () => {
  const root = await folder();
  const tokenizer = trainBytePair(["hello there"], { vocabularySize: 262 });
  const config = { ...tinyConfig, vocabularySize: 264 };
  const model = await create(config, { tokenizer });
  await model.save(join(root, "model"));
  const opened = await open(join(root, "model"));
  expect(opened.tokenizer?.files).toEqual(tokenizer);
  expect(opened.stopIds).toEqual([2]);
  expect(opened.chat?.render([{ role: "user", content: "x" }])).toBe("<|im_start|>user\nx<|im_end|>\n");
  await expect(create(tinyConfig, { tokenizer })).rejects.toThrow("has 260 tokens; the model's vocabulary is 29");
  const bare = await create(tinyConfig);
  expect(() => requireTokenizer(bare)).toThrow("has no tokenizer.json");
  await writeFile(join(root, "model", "tokenizer.json"), "{}");
  await expect(openModel(join(root, "model"))).rejects.toThrow("the tokenizer cannot be built");
});
