/** Bits that flip, folders that are copied, folders that are no runs. */
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { collect, temporaryFolder } from "../../../../test/support/stores.ts";
import { storeWith } from "../../../../test/support/two-commits.ts";
import { openStore } from "./open-store.ts";

const folder = temporaryFolder();

const COUNT = "select count(*) from trajectories";

test("segments from before there were checksums are read as they are", async () => {
  const store = await storeWith(folder(), "old");
  const commits = join(folder(), "old", "commits");
  for (const name of await readdir(commits)) {
    const path = join(commits, name);
    await writeFile(path, (await readFile(path, "utf8")).replaceAll(/,"sha256":"[0-9a-f]{64}"/g, ""));
  }
  expect((await openStore(folder()).query(COUNT)).rows).toEqual([[2]]);
  await store.close();
});

test("a copied folder is counted nowhere, is listed with the reason, and harms no other run", async () => {
  const store = await storeWith(folder(), "a", "c");
  await cp(join(folder(), "a"), join(folder(), "b"), { recursive: true });
  expect((await store.query(COUNT)).rows).toEqual([[4]]);
  expect(await collect(store.trajectories())).toHaveLength(4);
  const [, copy] = await store.runs();
  expect(copy).toMatchObject({ id: "b", problem: expect.stringContaining('is of run "a"') });
  await expect(store.query(COUNT, { run: "b" })).rejects.toMatchObject({ code: "bad-run" });
  await expect(store.openRun("b")).rejects.toMatchObject({ code: "bad-run" });
  expect(await store.compact()).toMatchObject([{ run: "a" }, { run: "c" }]);
  await store.deleteRun("a");
  expect((await store.query(COUNT)).rows).toEqual([[2]]);
  await store.close();
});

test("a run.json whose id leads elsewhere reads nothing there", async () => {
  const store = await storeWith(folder(), "a");
  await mkdir(join(folder(), "trap"));
  const run = { schemaVersion: 1, id: "../outside", kind: "k", createdAt: "", config: {} };
  await writeFile(join(folder(), "trap", "run.json"), JSON.stringify(run));
  await expect(store.query(COUNT, { run: "trap" })).rejects.toMatchObject({ code: "bad-run" });
  expect((await store.query(COUNT)).rows).toEqual([[2]]);
  await store.close();
});

test("compaction passes over folders that are no runs; one that is asked for by name is refused", async () => {
  const store = await storeWith(folder(), "a");
  await mkdir(join(folder(), "leftover", "segments"), { recursive: true });
  expect(await store.compact()).toMatchObject([{ run: "a", segmentsBefore: expect.any(Number) as number }]);
  await expect(store.compact({ run: "leftover" })).rejects.toMatchObject({ code: "no-run" });
  await store.close();
});
