import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sampleTrajectory } from "../../../../test/support/samples.ts";
import { collect, filledOnce, temporaryFolder } from "../../../../test/support/stores.ts";
import { openStore } from "./open-store.ts";
import type { Store } from "./store.ts";

const folder = temporaryFolder();

/** Three commits: a b, then c, then d e; each with a metric and an event of its own. */
async function threeCommits(store: Store): Promise<void> {
  const writer = await store.createRun({ id: "one" });
  for (const [update, ids] of [["a", "b"], ["c"], ["d", "e"]].entries()) {
    for (const id of ids) await writer.append(sampleTrajectory(id));
    await writer.addMetrics(update, { success: update / 2 });
    await writer.addEvent("update", { update });
    await writer.commit();
  }
  await writer.close();
}

const copy = filledOnce(async (root) => {
  const store = openStore(root);
  await threeCommits(store);
  await store.close();
});

const idsOf = async (store: Store, options = {}): Promise<unknown[]> =>
  (await store.query("select id from trajectories", options)).rows.flat();

test("a store that stays open sees what others commit, compact, delete and make again", async () => {
  const [reader, other] = [openStore(folder(), { keepOpen: true }), openStore(folder())];
  await copy(folder());
  expect(await idsOf(reader)).toEqual(["a", "b", "c", "d", "e"]);
  expect(await idsOf(reader, { run: "one" })).toEqual(["a", "b", "c", "d", "e"]);
  const writer = await other.openRun("one", { beside: true });
  await writer.append(sampleTrajectory("f"));
  await writer.close();
  expect(await idsOf(reader)).toEqual(["a", "b", "c", "d", "e", "f"]);
  expect((await reader.runs()).map(({ trajectories, commits }) => [trajectories, commits])).toEqual([[6, 4]]);
  await other.compact({ graceMs: 0 });
  await other.compact({ graceMs: 0 });
  expect(await idsOf(reader)).toEqual(["a", "b", "c", "d", "e", "f"]);
  expect((await collect(reader.trajectories({ ids: ["f", "b"] }))).map(({ id }) => id)).toEqual(["b", "f"]);
  await other.deleteRun("one");
  await expect(idsOf(reader, { run: "one" })).rejects.toMatchObject({ code: "no-run" });
  expect(await idsOf(reader)).toEqual([]);
  const again = await other.createRun({ id: "one" });
  await again.append(sampleTrajectory("new"));
  await again.close();
  expect(await idsOf(reader, { run: "one" })).toEqual(["new"]);
  await reader.close();
});

test("a run whose segment is lost under an open store is an error that names it, and heals", async () => {
  const store = openStore(folder(), { keepOpen: true });
  await copy(folder());
  expect(await idsOf(store)).toHaveLength(5);
  await rm(join(folder(), "one", "segments"), { recursive: true });
  const writer = await store.openRun("one", { beside: true });
  await writer.append(sampleTrajectory("g"));
  await writer.close();
  await expect(idsOf(store)).rejects.toMatchObject({ code: "segment-missing" });
  await store.deleteRun("one");
  expect(await idsOf(store)).toEqual([]);
  await store.close();
});

test("queries run side by side on one kept database", async () => {
  const store = openStore(folder(), { keepOpen: true });
  await copy(folder());
  const counts = await Promise.all(
    Array.from({ length: 12 }, (_, at) => store.query(`select count(*) + ${at} from steps`, { run: "one" })),
  );
  expect(counts.map(({ rows }) => rows[0]?.[0])).toEqual(Array.from({ length: 12 }, (_, at) => 15 + at));
  await store.close();
});

test.for([true, false])("around: only the stretches that hold a trajectory (kept open: %s)", async (keepOpen) => {
  const store = openStore(folder(), { keepOpen });
  await copy(folder());
  const around = async (...ids: string[]): Promise<unknown[]> => await idsOf(store, { run: "one", around: ids });
  expect(await around("c")).toEqual(["c"]);
  // What was committed together with d comes too, and the stretch of c between the two does not.
  expect(await around("d", "a")).toEqual(["a", "b", "d", "e"]);
  expect(await around("nobody")).toEqual([]);
  const events = await store.query("select data ->> 'update' from events", { run: "one", around: ["c"] });
  expect(events.rows).toEqual([["1"]]);
  await store.close();
});

test("after: leaves out the rows that were seen, before and after compaction", async () => {
  const store = openStore(folder(), { keepOpen: true });
  await copy(folder());
  const after = { trajectories: 3, metrics: 2, events: 0 };
  const seen = async (): Promise<unknown> => [
    await idsOf(store, { run: "one", after }),
    (await store.query("select step from metrics", { run: "one", after })).rows.flat(),
    (await store.query("select count(*) from events", { run: "one", after })).rows.flat(),
    await idsOf(store, { run: "one", after: { trajectories: 4 } }),
    await idsOf(store, { run: "one", after: { trajectories: 9 } }),
  ];
  const expected = [["d", "e"], [2], [3], ["e"], []];
  expect(await seen()).toEqual(expected);
  await store.compact({ run: "one" });
  expect(await seen()).toEqual(expected);
  await store.close();
});

test("the list: a row for each trajectory of every run that can be read, kept up to date", async () => {
  const store = openStore(folder(), { keepOpen: true });
  const list = async (sql: string, options = {}): Promise<unknown[]> => (await store.list(sql, options)).rows.flat();
  expect(await list("select count(*) from listed")).toEqual([0]);
  await threeCommits(store);
  const all = "select run || ' ' || place || ' ' || id from listed order by stored desc";
  expect(await list(all)).toEqual(["one 4 e", "one 3 d", "one 2 c", "one 1 b", "one 0 a"]);
  const writer = await store.openRun("one", { beside: true });
  const info = { phase: "after", update: 7, odd: "x" };
  const task = { id: "t", env: "toy", seed: 1, goal: "g".repeat(400), split: "test", data: { family: "find" } };
  await writer.append(sampleTrajectory("f", { info, task }));
  await writer.append(sampleTrajectory("g", { info: { update: "not a number" } }));
  await writer.close();
  await store.compact({ run: "one" });
  expect(
    (await store.list("select family, phase, update_number, length(goal) from listed where place >= 5", { run: "one" }))
      .rows,
  ).toEqual([
    ["find", "after", 7, 300],
    [null, null, null, 23],
  ]);
  await store.deleteRun("one");
  await threeCommits(store);
  expect(await list("select count(*) from listed", { run: "one" })).toEqual([5]);
  await expect(store.list("delete from listed")).rejects.toMatchObject({ code: "read-only" });
  await store.close();
  const plain = openStore(folder());
  await expect(plain.list("select 1")).rejects.toMatchObject({ code: "not-kept-open" });
});

test("a damaged run is left out of the list of all and is an error when it is asked for", async () => {
  const store = openStore(folder(), { keepOpen: true });
  await copy(folder());
  const other = await store.createRun({ id: "two" });
  await other.append(sampleTrajectory("z"));
  await other.close();
  const segments = join(folder(), "two", "segments");
  const name = (await readdir(segments)).find((file) => file.startsWith("trajectories")) ?? "";
  const { size } = await stat(join(segments, name));
  await writeFile(join(segments, name), Buffer.alloc(size));
  expect((await store.list("select distinct run from listed")).rows).toEqual([["one"]]);
  await expect(store.list("select 1", { run: "two" })).rejects.toMatchObject({ code: "segment-damaged" });
  await store.close();
});

test("SQL of the program itself sees the same rows", async () => {
  const store = openStore(folder(), { keepOpen: true });
  await copy(folder());
  for (const sql of [
    "select id from trajectories",
    "select trajectory from steps where step = 1",
    "select id from tasks",
  ]) {
    const trusted = await store.query(sql, { run: "one", trusted: true });
    expect(trusted.rows).toEqual((await store.query(sql, { run: "one" })).rows);
  }
  expect((await store.query("select step from metrics", { run: "one", limit: 2 })).rows).toEqual([[0], [1]]);
  await store.close();
});

test("a store that is closed while it is asked answers or says so; what is asked later is refused", async () => {
  const store = openStore(folder(), { keepOpen: true });
  await copy(folder());
  const asked = (): Promise<unknown>[] => [
    store.list("select count(*) from listed, range(2_000_000)"),
    store.list("select id from listed where run = 'one'"),
    store.query("select count(*) from trajectories"),
  ];
  await Promise.all(asked());
  const answers = Array.from({ length: 8 }, asked).flat();
  const settled = Promise.allSettled(answers);
  await store.close();
  const refusals = (await settled).flatMap((answer) =>
    answer.status === "rejected" ? [answer.reason as unknown] : [],
  );
  expect(refusals).toEqual(refusals.map(() => expect.objectContaining({ code: "store-closed" }) as unknown));
  await expect(store.list("select 1 from listed")).rejects.toMatchObject({ code: "store-closed" });
});
