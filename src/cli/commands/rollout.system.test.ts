import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck, type FakeOptions } from "../../../test/support/fake-io.ts";
import { writeTinyModel } from "../../../test/support/tiny-folder.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-rollout-"));
  await writeTinyModel(join(folder, "model"), 1, 1_024);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const WORLD = ["--env", "household", "--env-set", "dial=tiny"];
const rollout = (words: readonly string[], options: FakeOptions = {}) =>
  limbeck(["rollout", ...WORLD, ...words], { cwd: folder, ...options });

test("strategies that ask others are answered: by the world's demonstrator, and by the other runs of the store", async () => {
  const rolled = async (words: readonly string[]): Promise<Record<string, unknown>[]> => {
    const { code, err, objects } = await rollout(["--policy", "guesser", "--count", "2", "--json", ...words]);
    expect([code, err]).toEqual([0, ""]);
    return objects().filter(({ event }) => event === "trajectory");
  };
  // Where a guesser failed, the expert says what to do instead, and a branch tries that.
  for (const strategy of ["retry", "salvage"]) {
    const found = await rolled(["--strategy", strategy, "--run", strategy]);
    expect(found.some(({ parent }) => parent !== null)).toBe(true);
  }
  const [first] = [await rolled(["--group", "3", "--run", "shared-from"])];
  const shared = await rolled(["--strategy", "share", "--set", "own=1", "--set", "others=2", "--seed", "9"]);
  expect(first).toHaveLength(6);
  expect(shared.filter(({ id }) => String(id).includes("/shared-"))).toHaveLength(4);
});
