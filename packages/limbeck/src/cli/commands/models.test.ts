import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { modelsFolder } from "limbeck-base/base/package-folder";

const folder = temporaryFolders();

test("the folder of models is the user's own", () => {
  expect(modelsFolder({ LIMBECK_MODELS: "here" })).toBe("here");
  expect(modelsFolder({ HOME: "/home/a" }, "linux")).toBe(join("/home/a", ".cache", "limbeck", "models"));
  expect(modelsFolder({ HOME: "/home/a", XDG_CACHE_HOME: "/c" }, "linux")).toBe(join("/c", "limbeck", "models"));
  expect(modelsFolder({ HOME: "/Users/a" }, "darwin")).toBe(join("/Users/a", "Library", "Caches", "limbeck", "models"));
});

test("the list says what is there", async () => {
  const place = await folder();
  await mkdir(join(place, "stories15M"));
  const { code, objects } = await limbeck(["models", "--dir", place, "--json"]);
  expect(code).toBe(0);
  const root = join(import.meta.dirname, "../../../../..");
  expect(objects().map(({ name, path }) => [name, path])).toEqual([
    ...["household-model", "world-models", "base-model", "writer-model"].map((name) => [
      `limbeck-${name}`,
      join(root, "packages", name),
    ]),
    ["tinyllama", null],
    ["stories15M", join(place, "stories15M")],
  ]);
  const { out } = await limbeck(["models", "--dir", place]);
  expect(out).toContain("Apache-2.0");
});

test("what is here is not fetched; names that nobody knows, and none", async () => {
  const here = await limbeck(["models", "install", "limbeck-base-model", "--json"]);
  expect(here.objects()).toEqual([expect.objectContaining({ name: "limbeck-base-model", fetched: false })]);
  for (const action of ["get", "install"]) {
    expect((await limbeck(["models", action, "tinylama"])).err).toContain("tinyllama");
  }
  expect((await limbeck(["models", "remove", "limbeck-base-model"])).err).toMatch(/and\s+stays/);
  const { code, err } = await limbeck(["models", "get"]);
  expect([code, err]).toEqual([2, expect.stringContaining("limbeck-writer-model, tinyllama, stories15M")]);
});

test("a package of a model in a folder is installed, listed and removed", async () => {
  const [mine, dir] = [await folder(), await folder()];
  const weights = { "model.safetensors": createHash("sha256").update("weights").digest("hex") };
  const card = { name: "my-model", description: "mine", license: "MIT", weights };
  const files = { "package.json": JSON.stringify(card), "config.json": "{}", "model.safetensors": "weights" };
  for (const [name, text] of Object.entries(files)) await writeFile(join(mine, name), text);
  const path = join(dir, "my-model");
  const listed = { name: "my-model", about: "mine", licence: "MIT", bytes: 7, path };
  const say = async (...words: string[]) => await limbeck(["models", ...words, "--dir", dir, "--json"]);
  expect((await say("install", mine)).objects()).toEqual([{ ...listed, fetched: true }]);
  expect((await say()).objects().at(-1)).toEqual(listed);
  expect((await say("remove", "my-model")).objects()).toEqual([{ name: "my-model", path }]);
  const { out, err } = await limbeck(["models", "install", mine, "--dir", dir]);
  expect([out, err]).toEqual([
    expect.stringContaining(`${path} (7 B, MIT, SHA-256 as expected)`),
    expect.stringContaining(`limbeck sample --model ${JSON.stringify(path)}`),
  ]);
  expect((await limbeck(["models", "remove", "my-model", "--dir", dir])).out).toContain(`Removed ${path}`);
  const wrong = await limbeck(["models", "remove", "my-model", "--dir", dir]);
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("Nothing is installed there.")]);
});
