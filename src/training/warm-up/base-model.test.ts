import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../test/support/tiny-folder.ts";
import { isThere } from "../../base/files.ts";
import { OWN_MANIFEST } from "../../base/native-part.ts";
import { openModel } from "../../policy/local/index.ts";
import { findBase } from "./base-model.ts";

const newFolder = temporaryFolders();
const repository = dirname(OWN_MANIFEST);

test("the larger base is found where its package is installed, before this repository's own", async () => {
  const project = await newFolder();
  const installed = join(project, "node_modules", "limbeck-base-model");
  await mkdir(join(project, "node_modules"));
  await writeTinyModel(installed, 1, 64);
  await writeFile(join(installed, "package.json"), '{ "name": "limbeck-base-model", "version": "0.1.0" }');
  expect(await findBase("base", project)).toEqual({ folder: installed, isFresh: false, isBundled: false });
  expect(await findBase("base", await newFolder())).toMatchObject({ folder: join(repository, "packages/base-model") });
});

test("where it is nowhere, the error names the package and both ways out", async () => {
  const project = await newFolder();
  await expect(findBase("base", project, join(project, "package.json"))).rejects.toMatchObject({
    code: "package-missing",
    message: expect.stringMatching(
      /limbeck-base-model.*npm run install-into -- .* limbeck-base-model.*--base household/,
    ) as string,
  });
});

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
