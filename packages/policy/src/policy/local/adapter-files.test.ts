import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tinyConfig } from "../../../../../test/support/tiny-model.ts";
import { baseOfAdapter, findAdapter, readAdapter, saveAdapter } from "./adapter-files.ts";
import { bundledModel } from "./bundled-model.ts";
import { createAdapter } from "./lora.ts";
import { openSafetensors } from "./safetensors.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-adapter-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const config = async (): Promise<Record<string, unknown>> =>
  JSON.parse(await readFile(join(folder, "adapter_config.json"), "utf8")) as Record<string, unknown>;

test("an adapter and its heads come back as they were", async () => {
  const adapter = createAdapter(tinyConfig, { rank: 3, targets: ["q_proj", "down_proj"], heads: ["quality"] });
  adapter.weights.flat.forEach((_, at) => (adapter.weights.flat[at] = Math.sin(at)));
  await saveAdapter(folder, adapter, { base: "some/base" });
  const back = await readAdapter(folder);
  expect(back.lora).toEqual(adapter.lora);
  expect(Object.keys(back.weights.views).sort()).toEqual(Object.keys(adapter.weights.views).sort());
  for (const [name, view] of Object.entries(adapter.weights.views)) expect(back.weights.views[name]).toEqual(view);
});

test("targets that are left out, as SkyRL does it, are those that the tensors name", async () => {
  await saveAdapter(folder, createAdapter(tinyConfig, { rank: 2, targets: ["q_proj", "up_proj"] }));
  await writeFile(join(folder, "adapter_config.json"), JSON.stringify({ ...(await config()), target_modules: null }));
  expect((await readAdapter(folder)).lora.targets).toEqual(["q_proj", "up_proj"]);
});

test("the model of an adapter is found by the words that name a bundled one", async () => {
  await saveAdapter(folder, createAdapter(tinyConfig, { rank: 2 }), { base: "bundled:household" });
  expect(await baseOfAdapter(folder)).toBe(bundledModel("household"));
  await saveAdapter(folder, createAdapter(tinyConfig, { rank: 2 }), { base: "bundled:nobody" });
  await expect(baseOfAdapter(folder)).rejects.toMatchObject({ code: "missing-weights" });
});

test("the files are the ones PEFT reads: its names, its configuration", async () => {
  await saveAdapter(folder, createAdapter(tinyConfig, { rank: 2, targets: ["v_proj"] }), { base: "some/base" });
  expect((await readdir(folder)).sort()).toEqual(["adapter_config.json", "adapter_model.safetensors"]);
  expect(await config()).toMatchObject({
    peft_type: "LORA",
    task_type: "CAUSAL_LM",
    base_model_name_or_path: "some/base",
    r: 2,
    lora_alpha: 4,
    target_modules: ["v_proj"],
    bias: "none",
  });
  const file = await openSafetensors(join(folder, "adapter_model.safetensors"));
  await file.close();
  // Values of the tiny model: two key/value heads of 8 on a width of 16.
  expect([...file.tensors].map(([name, { shape }]) => `${name} ${shape.join("x")}`).sort()).toEqual([
    "base_model.model.model.layers.0.self_attn.v_proj.lora_A.weight 2x16",
    "base_model.model.model.layers.0.self_attn.v_proj.lora_B.weight 16x2",
    "base_model.model.model.layers.1.self_attn.v_proj.lora_A.weight 2x16",
    "base_model.model.model.layers.1.self_attn.v_proj.lora_B.weight 16x2",
  ]);
});

test.each([
  [{ peft_type: "IA3" }, /"peft_type" is .*IA3.*must be "LORA"/],
  [{ use_dora: true }, /"use_dora" is "true"; it must be false/],
  [{ rank_pattern: { q_proj: 4 } }, /"rank_pattern"/],
  [{ modules_to_save: ["lm_head"] }, /"modules_to_save"/],
  [{ r: 0 }, /"r" is "0"; it must be a whole number/],
  [{ target_modules: "all-linear" }, /"target_modules" is .*all-linear/],
  [{ target_modules: ["embed_tokens"] }, /"target_modules"/],
])("what this engine does not compute is refused: %j", async (change, message) => {
  await saveAdapter(folder, createAdapter(tinyConfig, { rank: 2 }));
  await writeFile(join(folder, "adapter_config.json"), JSON.stringify({ ...(await config()), ...change }));
  await expect(readAdapter(folder)).rejects.toThrow(message);
});

test("a folder without an adapter, or with half of one, is named", async () => {
  expect(await findAdapter(folder)).toBeUndefined();
  await expect(readAdapter(folder)).rejects.toThrow("has no adapter_config.json");
  await saveAdapter(folder, createAdapter(tinyConfig, { rank: 2 }));
  await rm(join(folder, "adapter_model.safetensors"));
  await expect(readAdapter(folder)).rejects.toThrow("has adapter_config.json but no adapter_model.safetensors");
});

test("numbers that are none are refused", async () => {
  const adapter = createAdapter(tinyConfig, { rank: 2 });
  adapter.weights.flat[7] = Number.NaN;
  await saveAdapter(folder, adapter);
  await expect(readAdapter(folder)).rejects.toThrow("not finite");
});
