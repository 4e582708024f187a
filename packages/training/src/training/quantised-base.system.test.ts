/** A base model in few bits under an adapter that learns, and a training on several cores. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { tinyTokenizer, writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { tinyConfig } from "../../../../test/support/tiny-model.ts";
import { createModel, openModel } from "limbeck-policy/policy/local/open-model";
import type { TrainEvent } from "./events.ts";
import { train } from "./train.ts";

const newFolder = temporaryFolders();

/** Wide enough for blocks of 32. */
async function writeWideModel(folder: string): Promise<void> {
  const wide = { hiddenSize: 64, heads: 4, keyValueHeads: 2, headSize: 16, intermediateSize: 96 };
  const config = { ...tinyConfig, ...wide, vocabularySize: 288, contextLength: 1_024 };
  const model = await createModel(config, { seed: 1, tokenizer: tinyTokenizer, threads: 1 });
  await model.save(folder, { optimiser: false });
  await model.close();
}

async function trained(root: string, more: Parameters<typeof train>[0]): Promise<TrainEvent[]> {
  const events: TrainEvent[] = [];
  await train({
    recipe: "grpo",
    env: "household",
    model: join(root, "start"),
    steps: 1,
    // A random model earns nothing: what it learns is the entropy bonus.
    settings: {
      tasks: 1,
      group: 2,
      maxSteps: 2,
      answerTokens: 6,
      learningRate: 0.01,
      klWeight: 0.1,
      entropyWeight: 0.5,
    } as never,
    validation: { every: 0 },
    report: { tasks: 1 },
    onEvent: (event) => events.push(event),
    ...more,
  });
  return events;
}

test("an adapter learns on a base in few bits; the run resumes, and its folder opens with the base", async () => {
  const root = await newFolder();
  await writeWideModel(join(root, "start"));
  const small = { lora: 2, weights: "int8", threads: 1 } as const;
  const dir = join(root, "whole");
  const [start] = await trained(root, { ...small, dir, steps: 2 });
  expect(await readdir(join(dir, "model"))).toEqual([
    "adapter-training.safetensors",
    "adapter_config.json",
    "adapter_model.safetensors",
  ]);
  const opened = await openModel(join(dir, "model"), { weights: "int8", threads: 1 });
  const views = Object.entries(opened.adapter?.weights.views ?? {});
  const flat = opened.adapter?.weights.flat.slice();
  await opened.close();
  expect(opened.weights.frozen?.bits).toBe(8);
  expect(start).toMatchObject({ kind: "start", parameters: flat?.length });
  // B begins at 0; what is not 0 was learned.
  expect(views.some(([name, view]) => name.includes("lora_B") && view.some((value) => value !== 0))).toBe(true);

  const halves = join(root, "halves");
  await trained(root, { ...small, dir: halves });
  const [again] = await trained(root, { ...small, dir: halves, resume: true, steps: 2 });
  expect(again).toMatchObject({ kind: "start", from: 1 });
  const resumed = await openModel(join(halves, "model"), { weights: "int8", threads: 1 });
  expect(resumed.adapter?.weights.flat).toEqual(flat);
  await resumed.close();
  await expect(trained(root, { ...small, weights: "int4", dir: halves, resume: true, steps: 3 })).rejects.toMatchObject(
    {
      code: "other-training",
      details: { differing: [{ name: "weights", had: "int8", has: "int4" }] },
    },
  );
}, 120_000);

test("weights in few bits without an adapter, or with those who play elsewhere, are refused by name", async () => {
  const root = await newFolder();
  await writeWideModel(join(root, "start"));
  await expect(trained(root, { weights: "int4", dir: join(root, "a") })).rejects.toThrow(
    "weights int4 cannot learn; give an adapter's rank too (--lora RANK), or weights float32.",
  );
  await expect(trained(root, { weights: "int4", lora: 2, lag: 1, dir: join(root, "b") })).rejects.toThrow("--lag");
  await expect(trained(root, { weights: "int4", lora: 2, cores: 2, dir: join(root, "c") })).rejects.toThrow(
    "quantised (int4). Use threads, or weights float32.",
  );
}, 60_000);

test("a training on two cores leaves the same model as on one", async () => {
  const root = await newFolder();
  await writeTinyModel(join(root, "start"), 1, 1_024);
  const found: Float32Array[] = [];
  for (const cores of [1, 2]) {
    const dir = join(root, `cores-${cores}`);
    await trained(root, { cores, dir, steps: 2 });
    const model = await openModel(join(dir, "model"), { threads: 1 });
    found.push(model.weights.flat.slice());
    await model.close();
  }
  expect(found[1]).toEqual(found[0]);
}, 120_000);
