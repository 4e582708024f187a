import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { madeFrom } from "../../../../test/support/kill-data.ts";
import { filledOnce, temporaryFolder } from "../../../../test/support/stores.ts";
import { scored } from "limbeck-base/trajectory/score";
import { openStore } from "./open-store.ts";
import type { Store } from "./store.ts";
import { quote } from "./migrations.ts";

const folder = temporaryFolder();

const copy = filledOnce(async (root) => {
  const store = openStore(root);
  const writer = await store.createRun({ id: "one", kind: "test" });
  await writer.append({
    ...madeFrom("a"),
    task: { id: "task", env: "toy", seed: Number.MAX_SAFE_INTEGER, goal: "Go.", split: "train" },
    steps: [
      {
        index: 0,
        observation: "o",
        stateKey: "k",
        action: "x",
        valid: true,
        reward: scored(1),
        span: { stream: 0, start: 1, end: 3 },
      },
      { index: 1, observation: "o", stateKey: "k", action: "y", valid: false, reward: scored(2) },
    ],
    // The stream goes on after the last span; that token belongs to no step.
    streams: [
      { ids: Int32Array.of(5, 6, 7, 8), mask: Uint8Array.of(0, 1, 1, 0), logprobs: Float32Array.of(0, -0.5, -0.25, 0) },
    ],
  });
  await writer.close();
  await store.close();
});

async function smallStore(): Promise<Store> {
  await copy(folder());
  return openStore(folder());
}

test("the views have the documented columns and values", async () => {
  const store = await smallStore();
  // The step's piece runs from 0 to 3; its response begins at 1.
  expect(await store.query("select * from tokens order by position")).toEqual({
    columns: [
      ["run", "VARCHAR"],
      ["trajectory", "VARCHAR"],
      ["step", "INTEGER"],
      ["position", "BIGINT"],
      ["token_id", "INTEGER"],
      ["mask", "UTINYINT"],
      ["is_response", "BOOLEAN"],
      ["logprob", "FLOAT"],
      ["sampled_logprob", "FLOAT"],
      ["version", "INTEGER"],
      ["temperature", "FLOAT"],
      ["weight", "FLOAT"],
    ].map(([name, type]) => ({ name, type })),
    rows: [
      ["one", "a", 0, 0, 5, 0, false, 0, null, null, null, null],
      ["one", "a", 0, 1, 6, 1, true, -0.5, null, null, null, null],
      ["one", "a", 0, 2, 7, 1, true, -0.25, null, null, null, null],
    ],
  });
  expect((await store.query("select * from tasks")).rows).toEqual([
    ["one", "task", "toy", Number.MAX_SAFE_INTEGER, "Go.", "train", null],
  ]);
  expect((await store.query("select id, kind, commits, segments, trajectories, steps from runs")).rows).toEqual([
    ["one", "test", 1, 3, 1, 2],
  ]);
  expect((await store.query("select token_ids, {'n': count(*)} from steps where step = 0 group by all")).rows).toEqual([
    [[5, 6, 7], { n: 1 }],
  ]);
  // 2^53 + 1 has no exact number; sums of whole numbers are 128 bits wide.
  expect((await store.query("select 9007199254740993, sum(step) from steps")).rows).toEqual([[9007199254740993n, 1]]);
});

test("a query over one run sees only that run", async () => {
  const store = await smallStore();
  await (await store.createRun({ id: "two" })).close();
  expect((await store.query("select count(*) from steps", { run: "two" })).rows).toEqual([[0]]);
  expect((await store.query("select count(*) from steps")).rows).toEqual([[2]]);
  await expect(store.query("select 1", { run: "three" })).rejects.toMatchObject({ code: "no-run" });
});

test("SQL cannot write, and cannot read anything but the segments", async () => {
  const store = await smallStore();
  const secret = join(folder(), "secret.csv");
  await writeFile(secret, "a\n1\n");
  for (const sql of [
    "create table t (a int)",
    "insert into runs select * from runs",
    "delete from runs",
    "set threads = 1",
    "install httpfs",
    "explain analyze create table t (a int)",
    "explain analyze with a as (select 1) delete from runs",
    "explain with a as (select 1) insert into runs select * from runs",
  ]) {
    await expect(store.query(sql)).rejects.toMatchObject({ code: "read-only" });
  }
  for (const sql of [
    `select * from '${secret}'`,
    `select * from read_text('${secret}')`,
    `select * from glob('${folder()}/*')`,
    `copy (select 1) to '${folder()}/out.csv'`,
    `attach '${folder()}/other.db'`,
    "load httpfs",
    "select nothing_like_it from steps",
    "selekt 1",
    "",
    "select 1; select 2",
  ]) {
    await expect(store.query(sql)).rejects.toMatchObject({ name: "EngineError" });
  }
  expect((await store.query("explain select 1")).rows).not.toEqual([]);
  expect((await store.query("describe steps")).rows).not.toEqual([]);
});

test("a segment cannot be overwritten through SQL", async () => {
  const store = await smallStore();
  const { rows } = await store.query("select sql from duckdb_views() where view_name = 'steps'");
  const path = /'([^']*\.parquet)'/.exec(String(rows[0]?.[0]))?.[1];
  expect(path).toContain("steps-");
  for (const sql of [
    `copy (select 1) to '${path}' (format parquet)`,
    `explain analyze copy (select 1) to '${path}' (format parquet)`,
  ]) {
    await expect(store.query(sql)).rejects.toMatchObject({ code: "read-only" });
  }
  expect((await store.query("select count(*) from steps")).rows).toEqual([[2]]);
});

test("a signal interrupts a running query", async () => {
  const store = await smallStore();
  const stop = new AbortController();
  const endless = store.query("select sum(a.range * b.range) from range(1000000) a, range(1000000) b", {
    signal: stop.signal,
  });
  setTimeout(() => stop.abort(), 100);
  await expect(endless).rejects.toMatchObject({ code: "cancelled" });
  await expect(store.query("select 1", { signal: stop.signal })).rejects.toMatchObject({ code: "cancelled" });
});

test("JSON columns can be taken apart without any extension to load", async () => {
  const store = openStore(folder());
  const writer = await store.createRun();
  await writer.addEvent("run-start", { host: { name: "here" } });
  await writer.close();
  expect((await store.query("select data ->> '$.host.name' from events")).rows).toEqual([["here"]]);
});

test("a literal of SQL may hold any letter", async () => {
  const store = await smallStore();
  for (const text of ["", "it's", "a\0b", "\0", "\u202E\n\\"]) {
    // DuckDB cannot give a NUL back in every form; its length and a comparison tell as much.
    const { rows } = await store.query(`select length(${quote(text)}), ${quote(text)} = ${quote(text)}`);
    expect(rows).toEqual([[text.length, true]]);
  }
  await store.close();
});
