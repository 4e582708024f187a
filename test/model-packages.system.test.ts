/** No world, claim or page that has a model in a fresh clone loses it: each opens from its package, with the bytes its card names. */
import { readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { hashFile } from "../packages/base/src/base/files.ts";
import { envs } from "../packages/worlds/src/index.ts";
import { bundledModel, bundledModelFor } from "../packages/policy/src/policy/local/bundled-model.ts";
import { openModel, requireTokenizer } from "../packages/policy/src/policy/local/open-model.ts";
import { bundledModels, bundledStart, type BundledModelName } from "../packages/policy/src/policy/starts.ts";
import { ABSENT, openWriter } from "../packages/core/src/skill/writer/open-writer.ts";
import { findBase } from "../packages/training/src/training/warm-up/base-model.ts";
import { limbeck } from "./support/fake-io.ts";
import { temporaryFolders } from "./support/temporary-folder.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const temporary = temporaryFolders();
const names = Object.keys(bundledModels) as readonly BundledModelName[];
const worlds = Object.keys(envs).filter((id) => bundledStart(id) !== undefined);

/** Parameters of the model that opens there, after its weights were compared with its package.json. */
async function openedFrom(folder: string): Promise<number> {
  const [packages = "", name = "", ...within] = relative(root, folder).split(sep);
  expect(packages).toBe("packages");
  const { weights } = JSON.parse(await readFile(join(root, packages, name, "package.json"), "utf8")) as {
    readonly weights: Readonly<Record<string, string>>;
  };
  const own = [...within, ""].join("/");
  const files = Object.keys(weights).filter((file) => file.startsWith(own));
  expect(files).toContain(`${own}model.safetensors`);
  for (const file of files)
    expect([file, await hashFile(join(root, packages, name, file))]).toEqual([file, weights[file]]);
  const model = await openModel(folder, { threads: 1 });
  expect(requireTokenizer(model).size).toBeGreaterThan(0);
  const { length } = model.weights.flat;
  await model.close();
  return length;
}

test.each(names)("the bundled model %s", async (name) => {
  expect(await openedFrom(bundledModel(name))).toBe(name === "archive" ? 1_312_768 : 918_912);
});

test("every world with a model of its own plays with that one", () => {
  expect(worlds.sort()).toEqual([...names].sort());
  expect(worlds.map(bundledModelFor)).toEqual(worlds);
});

test("the base of a warm-up", async () => {
  expect(await openedFrom((await findBase("base")).folder)).toBe(5_770_880);
});

test("the writer", async () => {
  const writer = await openWriter("bundled", { environment: {} });
  expect(writer.id).not.toBe(ABSENT);
  await writer.close?.();
  expect(await openedFrom(join(root, "packages", "writer-model"))).toBe(6_557_888);
});

test.each([
  "sample --model bundled:tools --prompt the --max-tokens 1 --threads 1",
  "eval --env countdown --policy bundled:shop --tasks 1 --max-tokens 1 --threads 1",
])("by its address, wherever a model is asked for: %s", async (line) => {
  const { code, err } = await limbeck([...line.split(" "), "--json"], { cwd: await temporary() });
  expect([code, err]).toEqual([0, ""]);
});
