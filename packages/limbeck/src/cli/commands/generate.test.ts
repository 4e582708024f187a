import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-generate-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const household = (words: readonly string[]) =>
  limbeck(["generate", "--env", "household", "--set", "dial=tiny", ...words], { cwd: folder });

test("writes games that can be listed and played at once", async () => {
  const { code, objects } = await household(["--seed", "3", "--count", "6", "--out", "games", "--json"]);
  expect(code).toBe(0);
  expect(objects()).toEqual([
    { env: "household", seed: 3, files: 6, bytes: expect.any(Number), out: join(folder, "games") },
  ]);
  const listed = await limbeck(["envs", "alfworld", "--set", `root=${join(folder, "games")}`, "--json"]);
  const sizes = Object.values(listed.objects()[0]?.["splits"] as Record<string, number>);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(6);
  const played = await limbeck(["play", "--env", "alfworld", "--root", "games", "--json"], {
    cwd: folder,
    input: "inventory\n",
  });
  expect(played.objects()[1]).toMatchObject({ observation: "You are not carrying anything.", valid: true });
});

test("the same seed writes the same files, and does not replace them unasked", async () => {
  const first = await household(["--count", "2", "--out", "a"]);
  expect(first.out).toMatch(/^✓ Wrote 2 files to a \(.*\)\n$/);
  await household(["--count", "2", "--out", "b"]);
  const files = async (name: string) =>
    (await readdir(join(folder, name), { recursive: true })).filter((path) => path.endsWith("game.tw-pddl")).sort();
  expect(await files("b")).toEqual(await files("a"));
  const [path = ""] = await files("a");
  expect(await readFile(join(folder, "a", path), "utf8")).toBe(await readFile(join(folder, "b", path), "utf8"));
  const again = await household(["--count", "2", "--out", "a"]);
  expect([again.code, again.err]).toEqual([2, expect.stringMatching(/is there already\. Give\s+--overwrite/)]);
  expect((await household(["--count", "2", "--out", "a", "--overwrite"])).code).toBe(0);
});

test.each([
  [["generate", "--env", "household"], /needs --out DIR/],
  [["generate", "--env", "alfworld", "--out", "x"], /makes no task files/],
  [["generate", "--env", "household", "--out", "x", "--count", "-1"], /whole number|--count/],
])("%j is refused", async (words, message) => {
  const { code, err } = await limbeck(words, { cwd: folder });
  expect([code, err]).toEqual([2, expect.stringMatching(message)]);
});
