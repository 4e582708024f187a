import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { studioClient, type Client } from "../../../../test/support/studio-client.ts";
import { HOSTILE, writeTrainedRun } from "../../../../test/support/trained-run.ts";
import { sampleStore } from "../../../../test/support/sample-store.ts";
import { hasDuckDB } from "limbeck-store/store/duckdb";
import { openStore } from "limbeck-store/store/open-store";
import { endpoints } from "./api.ts";

let client: Client;
let remove: () => Promise<void>;
let root: string;
const ids = { run: "one" };

beforeAll(async () => {
  ({ root, remove } = await sampleStore());
  const store = openStore(root);
  await writeTrainedRun(store, "one");
  await writeTrainedRun(store, "two", { finished: false, tokenizer: false });
  await store.close();
  client = await studioClient({ root });
});
afterAll(async () => {
  await client.studio.close();
  await remove();
});

test("runs are listed with status, success and cost, and found by words", async () => {
  const { total, runs } = await client.ask("runs");
  expect(total).toBe(4);
  const one = runs.find(({ id }) => id === "one");
  // The fixture: 2 of 8 tasks before, 6 of 8 after, with intervals of one task on each side.
  expect(one).toMatchObject({
    status: "finished",
    recipe: "opid",
    env: "household",
    updates: { done: 6, planned: 6 },
    before: { value: 0.25, phase: "before" },
    success: { value: 0.75, low: 0.625, high: 0.875, tasks: 8, phase: "after", update: 6 },
    cost: { environmentSteps: 1_200, sampledTokens: 6_000, seconds: 312 },
    problem: null,
  });
  expect(runs.find(({ id }) => id === "two")?.status).toBe("running");
  // Two of the rollout's trajectories were judged: one failed, its branch succeeded.
  expect(runs.find(({ id }) => id === "demo")).toMatchObject({ kind: "rollout", stored: { value: 0.5, tasks: 2 } });
  expect((await client.ask("runs", { query: { search: "OPID two" } })).runs.map(({ id }) => id)).toEqual(["two"]);
  expect((await client.ask("runs", { query: { status: "finished" } })).total).toBe(1);
  expect(await client.ask("runs", { query: { limit: 1, offset: 3 } })).toMatchObject({ total: 4, runs: [{}] });
});

test("a run has its curves by topic, evaluations, settings and credited groups", async () => {
  const run = await client.ask("run", { ids });
  const curve = (name: string) => run.curves.find((one) => one.name === name);
  expect(curve("entropy")).toMatchObject({
    topic: "entropy",
    unit: "nats",
    points: [{ x: 1, y: 1 }, { x: 2, y: 0.5 }, {}, {}, {}, {}],
  });
  expect(curve("seconds/collect")).toMatchObject({ topic: "phase", unit: "seconds" });
  expect(curve("teacher/shiftSuccess")?.topic).toBe("teacher");
  expect(curve("validation success")).toMatchObject({
    topic: "success",
    points: [
      { x: 2, y: 0.5, low: 0.375, high: 0.625 },
      { x: 4, y: 0.75 },
    ],
  });
  expect(run.change).toMatchObject({ difference: 0.5, tasks: 8 });
  expect(run.families).toEqual([
    { family: "find", tasks: 4, before: 0.25, after: 0.75 },
    { family: "put_away", tasks: 4, before: 0.25, after: 0.75 },
  ]);
  expect(run.credited[0]).toEqual({
    group: "train",
    update: 6,
    goal: "put a clean mug on the desk",
    episodes: 3,
    solved: 2,
  });
  expect(run.credited).toHaveLength(6);
  expect(run.settings.find(({ name }) => name === "settings.note")?.values).toEqual([HOSTILE]);
  expect(run.end).toEqual({ reason: "finished", update: 6 });
});

test("runs are compared: curves together, the same tasks, where settings differ", async () => {
  const { curves, pairs, settings, runs } = await client.ask("compare", { query: { runs: "one,two" } });
  expect(runs.map(({ id }) => id)).toEqual(["one", "two"]);
  const success = curves.find(({ name }) => name === "success");
  expect(success?.series.map(({ run, points }) => [run, points.length])).toEqual([
    ["one", 6],
    ["two", 6],
  ]);
  // Both runs have one configuration, so they are one arm; equal curves have no spread.
  expect(success?.arms[0]?.runs).toEqual(["one", "two"]);
  expect(success?.arms[0]?.points[0]).toEqual({ x: 1, y: 0.35 });
  // The second run has not played its tasks after training.
  expect(pairs).toEqual([{ left: "one", right: "two", after: null }]);
  expect(settings.filter(({ differs }) => differs)).toEqual([]);
  expect((await client.fail("compare", { query: { runs: "one,gone" } })).code).toBe("no-run");
  expect((await client.fail("compare", { query: { runs: "," } })).code).toBe("bad-request");
});

test("trajectories are filtered, sorted, searched and paged", async () => {
  const total = async (query: Record<string, string | number | readonly string[]>): Promise<number> =>
    (await client.ask("trajectories", { query })).total;
  // One run: 8 before, 18 in training, 8 after. The unfinished one lacks the last 8.
  expect(await total({})).toBe(34 + 26 + 3);
  expect(await total({ run: "one" })).toBe(34);
  expect(await total({ run: ["one", "demo"] })).toBe(36);
  expect(await total({ run: "one", phase: "after", outcome: "failure" })).toBe(2);
  expect(await total({ run: "one", phase: "train" })).toBe(18);
  expect(await total({ run: "one", family: ["put_away"], phase: "before" })).toBe(4);
  expect(await total({ run: "one", update: 3 })).toBe(3);
  expect(await total({ run: "one", ending: "truncated", maxSteps: 3 })).toBe(6 + 6 + 2);
  expect(await total({ run: "one", search: "MUG after-6/7" })).toBe(1);
  expect(await total({ text: "sinkbasin", run: "one" })).toBe(2 + 12 + 6);
  expect(await total({ outcome: "unknown" })).toBe(1);
  expect(await total({ search: "' or 1=1 --" })).toBe(0);
  expect(await total({ run: "one", offset: 500 })).toBe(34);
  const sorted = await client.ask("trajectories", {
    query: { run: "one", sort: "steps", order: "up", limit: 2, offset: 13 },
  });
  expect(sorted.trajectories.map(({ steps }) => steps)).toEqual([3, 4]);
  const [newest] = (await client.ask("trajectories", { query: { run: "one", limit: 1 } })).trajectories;
  expect(newest).toMatchObject({
    id: "after-6/7",
    family: "find",
    outcome: "failure",
    phase: "after",
    update: 6,
    steps: 3,
  });
  expect((await client.fail("trajectories", { query: { limit: 501 } })).code).toBe("bad-request");
  expect((await client.fail("trajectories", { query: { minSteps: "many" } })).message).toContain("must be a number");
  const facets = await client.ask("facets", { query: { run: "one" } });
  expect(facets).toMatchObject({
    envs: [{ value: "household", count: 34 }],
    phases: [
      { value: "train", count: 18 },
      { value: "after", count: 8 },
      { value: "before", count: 8 },
    ],
    maxSteps: 4,
    updates: { first: 0, last: 6 },
  });
});

test.runIf(await hasDuckDB())("SQL reads what it may, in JSON, within its limits (needs DuckDB)", async () => {
  const sql = async (text: string) => await client.ask("sql", { body: { sql: text } });
  expect(
    await sql("select count(*) as n, 9007199254740993 as big, null, [1, 2] as list from trajectories"),
  ).toMatchObject({
    columns: [{ name: "n" }, { name: "big" }, {}, {}],
    rows: [[63, "9007199254740993", null, [1, 2]]],
    cut: false,
  });
  expect(await sql("select * from range(5000)")).toMatchObject({
    cut: true,
    rows: expect.objectContaining({ length: 1_000 }) as unknown,
  });
  expect((await client.fail("sql", { body: { sql: "drop table runs" } })).code).toBe("read-only");
  expect((await client.fail("sql", { body: { sql: "select * from read_text('/etc/hostname')" } })).status).toBe(400);
  expect((await client.fail("sql", { body: { sql: "select nothing" } })).code).toBe("bad-sql");
  expect((await client.fail("sql", { body: {} })).code).toBe("bad-request");
  const slow = await studioClient({ root: join(root, "none"), sqlTimeoutMs: 30 });
  expect(await slow.fail("sql", { body: { sql: "select count(*) from range(100000000000)" } })).toMatchObject({
    status: 408,
    code: "too-slow",
  });
  await slow.studio.close();
});

test("the description is whole, and real answers are what it says", async () => {
  const headers = { authorization: `Bearer ${client.studio.token}` };
  const response = await fetch(`${client.studio.url}/api/openapi.json`, { headers });
  const described = (await response.json()) as { openapi: string; paths: Record<string, Record<string, Operation>> };
  interface Operation {
    readonly operationId: string;
    readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
    readonly responses: Record<string, { content: Record<string, { schema: object }> }>;
  }
  expect(described.openapi).toBe("3.1.0");
  const operations = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, ...operation })),
  );
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
    [...Object.keys(endpoints), "runEvents", "storeEvents"].sort(),
  );
  for (const { path, parameters } of operations) {
    const named = parameters.filter((one) => one.in === "path").map(({ name }) => `{${name}}`);
    expect(path.match(/\{\w+\}/g) ?? []).toEqual(named);
  }
  const schemaOf = (path: string): z.ZodType =>
    z.fromJSONSchema(described.paths[path]?.["get"]?.responses["200"]?.content["application/json"]?.schema as never);
  expect(schemaOf("/api/runs").safeParse(await client.ask("runs")).error).toBeUndefined();
  const trajectory = await client.ask("trajectory", { ids, query: { id: "1/train/0" } });
  expect(schemaOf("/api/runs/{run}/trajectory").safeParse(trajectory).error).toBeUndefined();
  expect(schemaOf("/api/runs/{run}").safeParse(trajectory).success).toBe(false);
});
