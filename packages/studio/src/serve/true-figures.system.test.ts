import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sampleTrajectory } from "../../../../test/support/samples.ts";
import { studioClient, type Client } from "../../../../test/support/studio-client.ts";
import { writeTrainedRun } from "../../../../test/support/trained-run.ts";
import { openStore } from "limbeck-store/store/open-store";
import { scored } from "limbeck-base/trajectory/score";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";

let folder: string;
let client: Client;

/** A line of a search on a task, and whether the search would act on it. */
function line(task: number, at: number, success: boolean, chosen: boolean): Trajectory {
  const id = `${task}/${at}`;
  return sampleTrajectory(id, {
    task: { id: `task-${task}`, env: "toy", seed: task, goal: "win", split: "train" },
    group: `task-${task}`,
    success,
    reward: scored(Number(success)),
    info: { search: { method: "best-of-n", ...(chosen ? { chosen: true } : {}) } },
    timing: { durationMs: 600_000 },
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-figures-"));
  const store = openStore(folder);
  const writer = await store.createRun({ id: "searched", kind: "search", config: { search: { method: "best-of-n" } } });
  for (const one of [
    // Solved by the chosen line; solved by another line only; not solved at all.
    line(0, 0, false, false),
    line(0, 1, true, true),
    line(0, 2, false, false),
    line(1, 0, true, false),
    line(1, 1, false, true),
    line(2, 0, false, true),
    line(2, 1, false, false),
  ])
    await writer.append(one);
  await writer.close();
  await writeTrainedRun(store, "trained");
  await store.close();
  client = await studioClient({ root: folder });
});
afterAll(async () => {
  await client.studio.close();
  await rm(folder, { recursive: true, force: true });
});

test("a search has solved a task where the line that it chose did", async () => {
  const run = await client.ask("run", { ids: { run: "searched" } });
  // One of three tasks, although two of seven lines succeeded.
  expect(run.stored).toMatchObject({ value: 1 / 3, tasks: 3 });
});

test("the line that a search chose is marked, and its success is that of the search", async () => {
  const ids = { run: "searched" };
  const { groups, alike } = await client.ask("groups", { ids });
  const told = groups.map(({ task, solved, episodes, chosen }) => [task, `${solved} of ${episodes}`, chosen]);
  expect(told).toEqual([
    ["task-0", "1 of 3", "success"],
    // Another line solved it, but the search would not have acted on that one.
    ["task-1", "1 of 2", "failure"],
    ["task-2", "0 of 2", "failure"],
  ]);
  expect(alike).toBe(1);
  const mixed = await client.ask("groups", { ids, query: { mixed: true } });
  expect([mixed.groups.length, mixed.alike]).toEqual([2, 1]);
  const first = groups.find(({ task }) => task === "task-0");
  const tree = await client.ask("group", { ids, query: { id: first?.group ?? "" } });
  expect([tree.chosen, tree.trajectories.filter(({ chosen }) => chosen).map(({ id }) => id)]).toEqual([
    "success",
    ["0/1"],
  ]);
  // A training has no such line.
  const trained = await client.ask("groups", { ids: { run: "trained" } });
  expect(new Set(trained.groups.map(({ chosen }) => chosen))).toEqual(new Set([null]));
});

test("the time of a run is that of the clock, not the sum of episodes that were played side by side", async () => {
  const { cost } = await client.ask("run", { ids: { run: "searched" } });
  // Seven episodes of ten minutes each, written within this test.
  expect(cost.seconds).toBeLessThan(600);
  expect(cost.seconds).toBeGreaterThanOrEqual(0);
});

test("it is told whether words of a step have advantages of their own", async () => {
  const query = { id: "6/train/0" };
  const { hasCredit, flatCredit } = await client.ask("trajectory", { ids: { run: "trained" }, query });
  // Advantages of the made-up run alternate between 0.5 and 0.25.
  expect([hasCredit, flatCredit]).toEqual([true, false]);
});
