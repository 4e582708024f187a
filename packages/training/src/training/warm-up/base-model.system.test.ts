import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isThere } from "limbeck-base/base/files";
import { openModel } from "limbeck-policy/policy/local/open-model";
import { findBase } from "./base-model.ts";

test("this repository's base opens, knows its words and stays below 12 MB", async () => {
  const { folder } = await findBase("base");
  const model = await openModel(folder, { threads: 1 });
  try {
    expect([model.config.layers, model.config.hiddenSize, model.tokenizer?.size]).toEqual([6, 256, 4_096]);
    // 4096·256 for the words; 6 layers of 2·256² + 2·128·256 + 3·768·256 + 2·32 + 2·256; 256 for the last norm.
    expect(model.weights.flat.length).toBe(5_770_880);
  } finally {
    await model.close();
  }
  expect((await stat(join(folder, "model.safetensors"))).size).toBeLessThan(12_000_000);
  const { files } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as { readonly files: string[] };
  expect(await Promise.all(files.map((file) => isThere(join(folder, file))))).toEqual(files.map(() => true));
});
