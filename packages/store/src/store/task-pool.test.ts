import { expect, test } from "vitest";
import { madeFrom } from "../../../../test/support/kill-data.ts";
import { temporaryFolder } from "../../../../test/support/stores.ts";
import { openStore } from "./open-store.ts";
import { taskPool } from "./task-pool.ts";

const folder = temporaryFolder();
const options = { signal: new AbortController().signal };

test("a pool gives the whole episodes that other runs have of a task", async () => {
  const store = openStore(folder());
  const task = { id: "it's a task", env: "toy", seed: 1, goal: "Go.", split: "train" };
  for (const run of ["one", "two"]) {
    const writer = await store.createRun({ id: run, kind: "test" });
    await writer.append({ ...madeFrom(`${run}/0`), task });
    await writer.append({ ...madeFrom(`${run}/1`), task: { ...task, id: "another" } });
    await writer.append({ ...madeFrom(`${run}/2`), task: { ...task, env: "elsewhere" } });
    await writer.close();
  }
  const ids = async (pool: ReturnType<typeof taskPool>): Promise<string[]> =>
    (await pool(task, options)).map(({ id }) => id);
  expect(await ids(taskPool(store))).toEqual(["one/0", "two/0"]);
  expect(await ids(taskPool(store, { except: "one" }))).toEqual(["two/0"]);
  expect(await ids(taskPool(store, { limit: 1 }))).toEqual(["one/0"]);
  expect(await taskPool(store)({ ...task, id: "unknown" }, options)).toEqual([]);
  await store.close();
});

test("the newest versions come first, and what a run took over itself is not given again", async () => {
  const store = openStore(folder());
  const writer = await store.createRun({ id: "one", kind: "test" });
  const { task } = madeFrom("old");
  for (const [id, version, info] of [
    ["old", 1, {}],
    ["new", 3, {}],
    ["copy", 4, { shared: { trajectory: "elsewhere" } }],
    ["middle", 2, {}],
  ] as const) {
    await writer.append({ ...madeFrom(id), task, policy: { name: "tiny", version }, info });
  }
  await writer.close();
  const given = await taskPool(store, { limit: 2 })(task, options);
  expect(given.map(({ id }) => id)).toEqual(["new", "middle"]);
  await store.close();
});

test("a pool that nobody waits for any more stops", async () => {
  const store = openStore(folder());
  const writer = await store.createRun({ id: "one", kind: "test" });
  const one = madeFrom("a");
  await writer.append(one);
  await writer.close();
  await expect(taskPool(store)(one.task, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "cancelled" });
  await store.close();
});
