import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { limbeck } from "../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../test/support/temporary-folder.ts";
import { knownModels, modelsFolder } from "../../policy/local/fetch-model.ts";

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
  expect(objects().map(({ name, path }) => [name, path])).toEqual([
    ["tinyllama", null],
    ["stories15M", join(place, "stories15M")],
  ]);
  const { out } = await limbeck(["models", "--dir", place]);
  expect(out).toContain("Apache-2.0");
});

test("names that nobody knows, and none", async () => {
  expect((await limbeck(["models", "get", "tinylama"])).err).toContain("tinyllama");
  const { code, err } = await limbeck(["models", "get"]);
  expect([code, err]).toEqual([2, expect.stringContaining(Object.keys(knownModels).join(", "))]);
});
