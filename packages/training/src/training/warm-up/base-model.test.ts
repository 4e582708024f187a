import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../../test/support/tiny-folder.ts";
import { projectFolder } from "limbeck-base/base/own-place";
import { findBase } from "./base-model.ts";

const newFolder = temporaryFolders();
const repository = projectFolder();

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
