import { afterEach, beforeEach, expect, test } from "vitest";
import { sampleTrajectory } from "../../../../test/support/samples.ts";
import { hear, studioClient, type Client, type Heard } from "../../../../test/support/studio-client.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { hasDuckDB } from "limbeck-store/store/duckdb";
import { openStore } from "limbeck-store/store/open-store";
import type { RunWriter, Store } from "limbeck-store/store/store";

const folder = temporaryFolders();
let client: Client;
let store: Store;
let writer: RunWriter;

beforeEach(async () => {
  const root = await folder();
  store = openStore(root);
  writer = await store.createRun({ id: "one", kind: "train", config: { recipe: "grpo", updates: 9 } });
  await update(1);
  client = await studioClient({ root });
});
afterEach(async () => {
  await client.studio.close();
  await store.close();
});

/** What a training commits after an update. */
async function update(number: number): Promise<void> {
  for (const at of [0, 1]) {
    await writer.append(sampleTrajectory(`${number}/task/${at}`, { info: { phase: "train", update: number } }));
  }
  await writer.addMetrics(number, { success: number / 10, entropy: Number.NaN });
  await writer.addEvent("update", { update: number });
  await writer.commit();
}

const listen = (last?: string): AsyncGenerator<Heard> =>
  hear(`${client.studio.url}/api/runs/one/events`, client.studio.token, last);

/** The next event of a kind; others are passed over. */
async function next(events: AsyncGenerator<Heard>, kind: string): Promise<Heard> {
  for (let found = await events.next(); found.done !== true; found = await events.next()) {
    if (found.value.event === kind) return found.value;
  }
  throw new Error(`The stream ended before "${kind}".`);
}

test("what another writer commits is told as it happens, once, with its numbers", async () => {
  const events = listen();
  expect((await next(events, "hello")).data).toMatchObject({
    commit: 1,
    run: { id: "one", updates: { done: 1, planned: 9 } },
  });
  await update(2);
  expect((await next(events, "metrics")).data).toEqual({ values: [{ name: "success", point: { x: 2, y: 0.2 } }] });
  expect((await next(events, "trajectories")).data).toMatchObject({
    count: 2,
    trajectories: [{ id: "2/task/1", update: 2 }, { id: "2/task/0" }],
  });
  expect((await next(events, "state")).data).toMatchObject({ run: { trajectories: 4, updates: { done: 2 } } });
  const evaluation = { phase: "validation", update: 2, success: 0.5, low: 0.25, high: 0.75, tasks: 8 };
  await writer.addEvent("evaluation", evaluation);
  await writer.addEvent("notice", { update: 2, message: "the guard stopped the teacher" });
  await writer.commit();
  expect((await next(events, "evaluations")).data).toMatchObject({
    evaluations: [{ value: 0.5, phase: "validation" }],
  });
  expect((await next(events, "notices")).data).toMatchObject({
    notices: [{ message: "the guard stopped the teacher" }],
  });
  await events.return(undefined);
});

test.runIf(await hasDuckDB())(
  "who comes back hears what was missed, also when the files were compacted meanwhile (needs DuckDB)",
  async () => {
    const events = listen();
    const { id } = await next(events, "hello");
    await events.return(undefined);
    await update(2);
    await update(3);
    await store.compact({ graceMs: 0 });
    const again = listen(id);
    await next(again, "hello");
    expect((await next(again, "metrics")).data).toMatchObject({ values: [{ point: { x: 2 } }, { point: { x: 3 } }] });
    expect((await next(again, "trajectories")).data).toMatchObject({
      count: 4,
      trajectories: [{ id: "3/task/1" }, {}, {}, {}],
    });
    await again.return(undefined);
  },
);

test("a run that is deleted while somebody looks ends the stream with a word", async () => {
  const events = listen();
  await next(events, "hello");
  await store.deleteRun("one");
  expect((await next(events, "gone")).data).toMatchObject({
    code: "no-run",
    message: expect.stringContaining("deleted") as unknown,
  });
  expect((await events.next()).done).toBe(true);
  const none = hear(`${client.studio.url}/api/runs/none/events`, client.studio.token);
  expect((await next(none, "gone")).data).toMatchObject({ code: "no-run" });
});

test("the store's stream names runs that come, change and go; to stop the server ends it", async () => {
  const events = hear(`${client.studio.url}/api/events`, client.studio.token);
  await next(events, "changes");
  /** A run may be told several times on its way to a state. */
  const until = async (id: string, trajectories: number): Promise<void> => {
    for (let seen = false; !seen;) {
      const runs = (await next(events, "changes")).data["runs"] as { id: string; trajectories: number }[];
      seen = runs.some((run) => run.id === id && run.trajectories === trajectories);
    }
  };
  await update(2);
  await until("one", 4);
  const second = await store.createRun({ id: "two" });
  await second.append(sampleTrajectory("a"));
  await second.close();
  await until("two", 1);
  await store.deleteRun("two");
  for (let gone: unknown = []; (gone as unknown[]).length === 0;) {
    ({ gone } = (await next(events, "changes")).data);
    expect(["two"]).toEqual(expect.arrayContaining(gone as string[]));
  }
  await client.studio.close();
  expect((await events.next().catch(() => ({ done: true }))).done).toBe(true);
});
