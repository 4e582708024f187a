import { expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { envs } from "limbeck-worlds/index";

test("lists every environment of the registry with its splits", async () => {
  const { code, objects } = await limbeck(["envs", "--json"]);
  expect(code).toBe(0);
  expect(objects().map(({ id }) => id)).toEqual(Object.keys(envs));
  expect(objects().find(({ id }) => id === "alfworld")).toMatchObject({
    splits: null,
    generates: false,
    needs: expect.stringContaining("root"),
  });
  expect(objects().find(({ id }) => id === "household")).toMatchObject({ generates: true, splits: { train: null } });
});

test("shows one in full, and a table of all", async () => {
  const one = await limbeck(["envs", "household"]);
  expect(one.out).toContain("--set dial=…");
  expect(one.out).toContain("expert");
  expect((await limbeck(["envs"])).out).toMatch(/^environment +tasks +what it is\n/);
});

test("a wrong name or folder is told", async () => {
  expect((await limbeck(["envs", "househld"])).err).toContain('Did you mean "household"?');
  const nowhere = await limbeck(["envs", "alfworld", "--set", "root=/nowhere/at/all"]);
  expect([nowhere.code, nowhere.err]).toEqual([3, expect.stringContaining("Cannot open the folder")]);
});
