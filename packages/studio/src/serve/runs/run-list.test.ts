import { expect, test } from "vitest";
import { sampleTrajectory } from "../../../../../test/support/samples.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { openStore } from "limbeck-store/store/open-store";
import type { Store } from "limbeck-store/store/store";
import { createRunList, type RunList } from "./run-list.ts";

const folder = temporaryFolders();

/** Three runs, made a second after each other, and which of them somebody has read rows of. */
async function listOfThree(): Promise<{ store: Store; runs: RunList; read: Set<string> }> {
  let second = 0;
  const store = openStore(await folder(), { keepOpen: true, now: () => new Date(Date.UTC(2026, 0, 1, 0, 0, second)) });
  for (const id of ["old", "middle", "young"]) {
    second += 1;
    const writer = await store.createRun({ id, kind: "rollout", config: { env: "shop", recipe: `of ${id}` } });
    await writer.append(sampleTrajectory(`${id}/1`, { success: id === "young" }));
    await writer.close();
  }
  const read = new Set<string>();
  const watched: Store = {
    ...store,
    query: (sql, options) => (read.add(options?.run ?? "every"), store.query(sql, options)),
    list: (sql, options) => (read.add(options?.run ?? "every"), store.list(sql, options)),
  };
  return { store, runs: createRunList(watched, { now: () => new Date() }), read };
}

const all = { offset: 0, limit: 50, archived: "hide", figures: "whole" } as const;

test("a page reads the rows of its own runs and of no others", async () => {
  const { store, runs, read } = await listOfThree();
  const page = await runs.page({ ...all, offset: 1, limit: 1 });
  expect(page).toMatchObject({ total: 3, runs: [{ id: "middle", reading: false, stored: { value: 0, tasks: 1 } }] });
  expect([...read]).toEqual(["middle"]);
  expect((await runs.page({ ...all, search: "SHOP of y" })).runs.map(({ id }) => id)).toEqual(["young"]);
  expect([...read]).toEqual(["middle", "young"]);
  await store.close();
});

test("known figures come at once; what was not read says so", async () => {
  const { store, runs, read } = await listOfThree();
  const blank = await runs.page({ ...all, figures: "known" });
  expect(blank.runs).toMatchObject([
    { id: "young", reading: true, stored: null, trajectories: 1 },
    { id: "middle", reading: true },
    { id: "old", reading: true },
  ]);
  expect([...read]).toEqual([]);
  await runs.one("young");
  const known = await runs.page({ ...all, figures: "known" });
  expect(known.runs.map(({ id, reading }) => [id, reading])).toEqual([
    ["young", false],
    ["middle", true],
    ["old", true],
  ]);
  // After a commit the figures of before are shown, and that there are newer ones.
  const writer = await store.openRun("young");
  await writer.append(sampleTrajectory("young/2", { success: false }));
  await writer.close();
  expect((await runs.page({ ...all, figures: "known" })).runs[0]).toMatchObject({
    id: "young",
    trajectories: 2,
    reading: true,
    stored: { value: 1, tasks: 1 },
  });
  expect(await runs.one("young")).toMatchObject({ reading: false, stored: { value: 0.5, tasks: 2 } });
  await store.close();
});

test("a status is looked for in every run", async () => {
  const { store, runs, read } = await listOfThree();
  expect(await runs.page({ ...all, limit: 1, status: "finished" })).toMatchObject({ total: 0, runs: [] });
  expect(read.size).toBe(3);
  await store.close();
});

test("a run that has committed nothing yet is starting, for as long as a start may take", async () => {
  const begun = Date.UTC(2026, 0, 1);
  const store = openStore(await folder(), { keepOpen: true, now: () => new Date(begun) });
  const writer = await store.createRun({ id: "new", kind: "train", config: { recipe: "opid", updates: 3 } });
  const statusAt = async (minutes: number, over = false): Promise<string> => {
    const runs = createRunList(store, { now: () => new Date(begun + 60_000 * minutes), isOver: () => over });
    return (await runs.one("new")).status;
  };
  // Nobody has written for ten minutes: the held-out tasks are measured.
  expect([await statusAt(0), await statusAt(10), await statusAt(10, true)]).toEqual([
    "starting",
    "starting",
    "stopped",
  ]);
  expect(await statusAt(60)).toBe("stopped");
  await writer.close();
  await store.close();
});

test("a run says of which split its figure is, and of which world", async () => {
  const store = openStore(await folder(), { keepOpen: true });
  const task = (split: string) => ({ id: `t/${split}`, env: "household", seed: 1, goal: "win", split });
  for (const [id, splits] of Object.entries({ trained: ["train"], held: ["test"], both: ["train", "test"] })) {
    const writer = await store.createRun({ id, kind: "eval", config: { env: "household", envOptions: {} } });
    for (const [at, split] of splits.entries()) {
      await writer.append(sampleTrajectory(`${id}/${at}`, { task: task(split), success: true }));
    }
    await writer.close();
  }
  const runs = createRunList(store, { now: () => new Date() });
  const splits = Object.fromEntries((await runs.all()).map(({ id, split }) => [id, split]));
  expect(splits).toEqual({ both: null, held: "test", trained: "train" });
  // Stored without a dial, as before November 2026.
  expect((await runs.one("held")).env).toBe('household {"dial":"small"}');
  await store.close();
});
