import { readdirSync, readFileSync } from "node:fs";
import { mkdir, readdir, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { madeFrom } from "../../../../test/support/kill-data.ts";
import { collect, filledOnce, temporaryFolder } from "../../../../test/support/stores.ts";
import { withoutRights } from "../../../../test/support/without-rights.ts";
import type { Files } from "./files.ts";
import { openStore } from "./open-store.ts";
import type { QueryOptions, Store } from "./store.ts";
import { localFiles } from "./local-files.ts";

const folder = temporaryFolder();

/** Run "bad" with three commits, and run "good" beside it. */
const copy = filledOnce(async (root) => {
  const store = openStore(root);
  for (const id of ["bad", "good"]) {
    const writer = await store.createRun({ id });
    for (const name of ["a", "b", "c"]) {
      await writer.append(madeFrom(`${id}-${name}`));
      await writer.commit();
    }
    await writer.close();
  }
  await store.close();
});

async function twoRuns(): Promise<Store> {
  await copy(folder());
  return openStore(folder());
}

const inBad = (...path: string[]): string => join(folder(), "bad", ...path);

function stepSegment(): string {
  return inBad(
    "segments",
    readdirSync(inBad("segments")).find((name) => name.startsWith("steps-"))!,
  );
}

/** What holds for every broken run: it is listed with the reason, named in errors, and the other run is unharmed. SQL of users is seen once. */
async function expectBroken(store: Store, code: string, named: string, trusted = true): Promise<void> {
  const [bad, good] = await store.runs();
  expect(bad).toMatchObject({ id: "bad", problem: expect.stringContaining(named) });
  expect(good).toMatchObject({ id: "good", trajectories: 3 });
  expect(good).not.toHaveProperty("problem");
  const sql = "select count(*), sum(len(observation)) from steps";
  for (const run of ["bad", undefined]) {
    const scope = run === undefined ? {} : { run };
    const error: unknown = await store.query(sql, scope).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "EngineError", code });
    expect(String(error)).toContain(named);
    expect(String(error)).toContain("bad");
    await expect(collect(store.trajectories(scope))).rejects.toMatchObject({ name: "EngineError", code });
  }
  const count = async (scope: QueryOptions): Promise<unknown> =>
    (await store.query("select count(*) from trajectories", { ...scope, trusted })).rows;
  expect(await count({ run: "good" })).toEqual([[3]]);
  expect(await count({ skipBroken: true })).toEqual([[3]]);
  expect(await collect(store.trajectories({ skipBroken: true }))).toHaveLength(3);
}

test("a truncated segment", async () => {
  const store = await twoRuns();
  const file = stepSegment();
  await truncate(file, 1000);
  await expectBroken(store, "segment-damaged", file, false);
  await expect(store.compact({ run: "bad" })).rejects.toMatchObject({ code: "segment-damaged" });
});

test("a commit that names a missing segment", async () => {
  const store = await twoRuns();
  const file = stepSegment();
  await rm(file);
  await expectBroken(store, "segment-missing", file);
  await expect(store.compact({ run: "bad" })).rejects.toMatchObject({ code: "segment-missing" });
});

test("a commit that is not JSON, one that is missing, and one of a later release", async () => {
  const store = await twoRuns();
  const commit = inBad("commits", "0000000002.json");
  await writeFile(commit, '{"format":1,"number":');
  await expectBroken(store, "bad-commit", commit);
  await writeFile(commit, '{"format":2}');
  await expectBroken(store, "newer-format", commit);
  await rm(commit);
  await expectBroken(store, "commit-missing", commit);
});

test("a run.json that is no run, and one of a later release", async () => {
  const store = await twoRuns();
  await writeFile(inBad("run.json"), "{}");
  await expectBroken(store, "bad-run", inBad("run.json"));
  await writeFile(inBad("run.json"), "{");
  await expectBroken(store, "bad-run", inBad("run.json"));
  await writeFile(inBad("run.json"), '{"schemaVersion":2,"id":"bad","kind":"k","createdAt":"","config":{}}');
  await expectBroken(store, "newer-format", inBad("run.json"));
});

test("a run.json that is nested 20,000 deep", async () => {
  const store = await twoRuns();
  const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
  await writeFile(inBad("run.json"), `{"schemaVersion":1,"id":"bad","kind":"k","createdAt":"","config":${deep}}`);
  await expectBroken(store, "bad-run", inBad("run.json"));
});

test.for(["0000000001", "9999999999", "9007199254740991"])(
  "a commit %s with a number of its own making reads no millions of files",
  async (name) => {
    const store = await twoRuns();
    const commit = inBad("commits", `${name}.json`);
    const text = readFileSync(inBad("commits", "0000000003.json"), "utf8");
    await writeFile(commit, text.replace('"number":3', '"number":4'));
    await expectBroken(store, "bad-commit", commit);
  },
);

test.for(["run.json", "commits/0000000002.json", "segment"])(
  "a device in the place of %s is not read",
  async (name) => {
    const store = await twoRuns();
    const path = name === "segment" ? stepSegment() : inBad(name);
    await rm(path);
    await symlink("/dev/zero", path);
    await expectBroken(store, name === "run.json" ? "bad-run" : "not-a-file", path);
  },
);

test("a run with a device in it cannot be compacted, and what is beside it is", async () => {
  const store = await twoRuns();
  await rm(inBad("run.json"));
  await symlink("/dev/zero", inBad("run.json"));
  const broken: string[] = [];
  const reports = await store.compact({ onBroken: (run, error) => broken.push(`${run}: ${String(error)}`) });
  expect(reports.map(({ run }) => run)).toEqual(["good"]);
  expect(broken).toEqual([expect.stringMatching(/^bad: .*is a device, and only plain files are read/)]);
  // Without somebody who listens it is an error, and the others are done.
  await expect(store.compact()).rejects.toMatchObject({ code: "bad-run" });
});

test("a run that is set aside is in nothing about all runs, and comes back as it was", async () => {
  const store = await twoRuns();
  await writeFile(inBad("run.json"), "{");
  await store.setAside("bad", true);
  expect((await store.runs()).map(({ id }) => id)).toEqual(["good"]);
  expect(await store.aside()).toEqual(["bad"]);
  expect((await store.query("select count(*) from trajectories")).rows).toEqual([[3]]);
  expect((await store.compact()).map(({ run }) => run)).toEqual(["good"]);
  // By its id it is there.
  expect(await store.runs({ only: "bad" })).toMatchObject([{ problem: expect.stringContaining("cannot be read") }]);
  await store.setAside("bad", false);
  await expectBroken(store, "bad-run", inBad("run.json"));
  await store.setAside("bad", true);
  await store.deleteRun("bad");
  expect(await store.aside()).toEqual([]);
  await expect(store.setAside("none", true)).rejects.toMatchObject({ code: "no-run" });
});

test("a segment of the right size with the wrong bytes", async () => {
  const store = await twoRuns();
  const file = stepSegment();
  const { bytes = 0 } = (await localFiles(folder()).stat(`bad/segments/${file.split("/").at(-1)}`)) ?? {};
  await writeFile(file, Buffer.alloc(bytes, 7));
  const expected = { code: "segment-damaged", details: { path: file } };
  await expect(store.query("select count(*) from steps")).rejects.toMatchObject(expected);
  await expect(collect(store.trajectories({ run: "bad" }))).rejects.toMatchObject(expected);
  expect((await store.query("select count(*) from trajectories", { run: "good" })).rows).toEqual([[3]]);
});

test("anything else in the folder is left alone", async () => {
  const store = await twoRuns();
  await writeFile(join(folder(), "notes.txt"), "mine");
  await mkdir(join(folder(), "empty"));
  await mkdir(join(folder(), ".tmp-old"));
  await writeFile(inBad("segments", ".tmp-half"), "x");
  await writeFile(inBad("commits", ".tmp-half"), "x");
  expect((await store.runs()).map(({ id, problem }) => [id, problem])).toEqual([
    ["bad", undefined],
    ["good", undefined],
  ]);
  expect(await collect(store.trajectories())).toHaveLength(6);
});

test("what crashed writers left goes after an hour, and not before", async () => {
  const store = await twoRuns();
  const [young, old, half] = ["steps-young.parquet", "steps-old.parquet", ".tmp-half"].map((name) =>
    inBad("segments", name),
  );
  for (const file of [young!, old!, half!]) await writeFile(file, "half");
  const before = new Date(Date.now() - 61 * 60_000);
  for (const file of [old!, half!]) await utimes(file, before, before);
  expect(await store.compact({ run: "bad", graceMs: 0 })).toMatchObject([{ filesDeleted: 11 }]);
  // Nine replaced segments and two old leftovers are gone; the young one may be about to be committed.
  expect((await readdir(inBad("segments"))).filter((name) => !name.includes("compact"))).toEqual([
    "steps-young.parquet",
  ]);
});

test("a store below a plain file is refused", async () => {
  await writeFile(join(folder(), "file"), "");
  const store = openStore(join(folder(), "file", "store"));
  await expect(store.createRun()).rejects.toMatchObject({ code: "bad-store" });
});

test("a commit that fails keeps the buffer, and a later one has everything once", async () => {
  const files = localFiles(folder());
  let broken = false;
  const fail = async (): Promise<never> => {
    throw Object.assign(new Error("no space"), { code: "ENOSPC" });
  };
  const fragile: Files = {
    ...files,
    put: (path, bytes) => (broken && path.includes("steps-") ? fail() : files.put(path, bytes)),
    putIfAbsent: (path, bytes) => (broken ? fail() : files.putIfAbsent(path, bytes)),
  };
  const store = openStore(folder(), { files: fragile });
  const writer = await store.createRun({ id: "one" });
  broken = true;
  await writer.append(madeFrom("a"));
  await expect(writer.commit()).rejects.toMatchObject({ code: "ENOSPC" });
  await writer.addEvent("still-here");
  await writer.append({ ...madeFrom("b"), steps: [], streams: [] });
  await expect(writer.commit()).rejects.toMatchObject({ code: "ENOSPC" });
  // Nothing half done is left behind.
  expect(await readdir(join(folder(), "one", "segments"))).toEqual([]);
  broken = false;
  await writer.append(madeFrom("c"));
  await writer.close();
  expect((await collect(store.trajectories())).map(({ id }) => id)).toEqual(["a", "b", "c"]);
  expect((await store.query("select kind from events")).rows).toEqual([["still-here"]]);
});

test.skipIf(process.platform === "win32")("a folder without permission (needs file modes)", async () => {
  const store = await twoRuns();
  await withoutRights(folder(), async () => {
    await expect(store.createRun()).rejects.toMatchObject({ code: "no-access" });
  });
});
