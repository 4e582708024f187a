import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { tinyConfig, tinyWeights } from "../../../../../test/support/tiny-model.ts";
import { configJson } from "./config-file.ts";
import { type ModelConfig, parameterShapes } from "./model-config.ts";
import { openModelFolder } from "./model-folder.ts";
import { createWeights, type Weights } from "./weights.ts";
import { type TensorToWrite, writeSafetensors } from "./safetensors.ts";

const folder = temporaryFolders();

function tensors(config: ModelConfig = tinyConfig): TensorToWrite[] {
  const weights = tinyWeights(config);
  return [...parameterShapes(config)].map(([name, shape]) => {
    return { name, shape, data: weights[name] as Float32Array, type: "F32" };
  });
}

async function modelFolder(
  list: TensorToWrite[] = tensors(),
  config: unknown = configJson(tinyConfig),
): Promise<string> {
  const path = await folder();
  await writeFile(join(path, "config.json"), JSON.stringify(config));
  await writeSafetensors(join(path, "model.safetensors"), list);
  return path;
}

async function readModelFolder(path: string): Promise<{ config: ModelConfig; weights: Weights }> {
  const opened = await openModelFolder(path);
  const weights = createWeights(opened.config);
  try {
    await opened.readWeights(weights);
  } finally {
    await opened.close();
  }
  return { config: opened.config, weights };
}

test("a folder's weights come into their places", async () => {
  const { config, weights } = await readModelFolder(await modelFolder());
  expect(config).toEqual(tinyConfig);
  expect(weights.views).toEqual(tinyWeights());
});

test("weights in several files, by the index", async () => {
  const path = await modelFolder(tensors().slice(0, 5));
  await rename(join(path, "model.safetensors"), join(path, "one.safetensors"));
  await writeSafetensors(join(path, "two.safetensors"), tensors().slice(5));
  const names = tensors().map(({ name }, at) => [name, at < 5 ? "one.safetensors" : "two.safetensors"]);
  const index = join(path, "model.safetensors.index.json");
  await writeFile(index, JSON.stringify({ weight_map: Object.fromEntries(names) }));
  expect((await readModelFolder(path)).weights.views).toEqual(tinyWeights());
  await rm(join(path, "two.safetensors"));
  await expect(openModelFolder(path)).rejects.toThrow('lacks "two.safetensors", which its index names');
  for (const name of ["../two.safetensors", "/etc/x.safetensors", "two.bin", 5]) {
    await writeFile(index, JSON.stringify({ weight_map: { a: name } }));
    await expect(openModelFolder(path)).rejects.toThrow("allowed are plain names");
  }
  await writeFile(index, "{}");
  await expect(openModelFolder(path)).rejects.toThrow('has no "weight_map"');
  await rm(index);
  await expect(openModelFolder(path)).rejects.toThrow("has neither model.safetensors nor");
});

test("a folder that does not fit together is refused by name", async () => {
  const all = tensors();
  const changed = (change: Partial<TensorToWrite>): TensorToWrite[] =>
    all.map((tensor) => (tensor.name === "model.norm.weight" ? { ...tensor, ...change } : tensor));
  await expect(openModelFolder(await folder())).rejects.toThrow("has no config.json");
  await expect(openModelFolder(await modelFolder(all.slice(1)))).rejects.toThrow('lacks "model.embed_tokens.weight"');
  const renamed = all.map((tensor, at) => (at === 0 ? { ...tensor, name: "model.other" } : tensor));
  await expect(openModelFolder(await modelFolder([...all, renamed[0] as TensorToWrite]))).rejects.toThrow(
    'holds "model.other", which a model of the qwen3 form does not have',
  );
  await expect(openModelFolder(await modelFolder(changed({ shape: [4, 4] })))).rejects.toThrow(
    'tensor "model.norm.weight" is [4, 4]; config.json asks for [16]',
  );
  const untied = configJson({ ...tinyConfig, tiedEmbeddings: false });
  await expect(openModelFolder(await modelFolder(all, untied))).rejects.toThrow('"tie_word_embeddings": true');
  // A shape that would need terabytes is refused before room for it is made.
  const huge = configJson({ ...tinyConfig, vocabularySize: 2 ** 40 });
  await expect(openModelFolder(await modelFolder(all, huge))).rejects.toThrow("asks for [1099511627776, 16]");
  const broken = await modelFolder(changed({ data: new Float32Array(16).fill(Number.NaN) }));
  await expect(readModelFolder(broken)).rejects.toThrow('parameter "model.norm.weight" holds NaN at place 0');
  await writeFile(join(broken, "config.json"), "{oops");
  await expect(openModelFolder(broken)).rejects.toThrow("config.json is not JSON");
});

test("tables that follow from the configuration, and a second copy of shared embeddings, may be there", async () => {
  const [embeddings] = tensors() as [TensorToWrite];
  const extra = [
    { ...embeddings, name: "lm_head.weight" },
    {
      name: "model.layers.0.self_attn.rotary_emb.inv_freq",
      shape: [1],
      data: new Float32Array(1),
      type: "F32" as const,
    },
  ];
  expect((await readModelFolder(await modelFolder([...tensors(), ...extra]))).weights.views).toEqual(tinyWeights());
});
