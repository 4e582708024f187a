import { join } from "node:path";
import { expect, test } from "vitest";
import { madeFrom } from "../../../../test/support/kill-data.ts";
import { collect, temporaryFolder } from "../../../../test/support/stores.ts";
import { openStore, openStoreWithSchema } from "./open-store.ts";
import { MIGRATIONS, SCHEMA, type Schema } from "./migrations.ts";
import { TABLE_NAMES, TABLES } from "./tables.ts";

const folder = temporaryFolder();

/** A made-up future in which steps are at version 3: version 2 had a `place`, version 3 calls it `scene` and counts tokens. */
const FUTURE: Schema = {
  tables: {
    ...TABLES,
    steps: {
      version: 3,
      columns: [...TABLES.steps.columns, { name: "scene", type: "text" }, { name: "tokens", type: "int32" }],
    },
  },
  migrations: {
    steps: [
      "select *, 'nowhere' as place from older",
      "select * exclude (place), place as scene, coalesce(len(token_ids), 0)::INTEGER as tokens from older",
    ],
  },
};

test("every table has a migration for each version it has left behind", () => {
  for (const table of TABLE_NAMES) expect(MIGRATIONS[table] ?? []).toHaveLength(TABLES[table].version - 1);
});

test("segments of an older version are read through the migrations, and compaction writes the new version", async () => {
  const root = folder();
  const old = openStore(root);
  const writer = await old.createRun({ id: "one" });
  for (const id of ["a", "b"]) {
    await writer.append(madeFrom(id));
    await writer.commit();
  }
  const store = openStoreWithSchema(root, {}, FUTURE);
  const tokens = madeFrom("a").steps.map(({ span }) => span!.end - span!.start);
  const sql = "select scene, tokens from steps where trajectory = 'a' order by step";
  expect((await store.query(sql)).rows).toEqual(tokens.map((count) => ["nowhere", count]));
  expect(await collect(store.trajectories())).toStrictEqual([madeFrom("a"), madeFrom("b")]);
  await store.compact({ graceMs: 0 });
  expect((await store.query(sql)).rows).toEqual(tokens.map((count) => ["nowhere", count]));
  expect(await collect(store.trajectories())).toStrictEqual([madeFrom("a"), madeFrom("b")]);
  // Old and new versions side by side.
  await writer.append(madeFrom("c"));
  await writer.close();
  expect(await collect(store.trajectories())).toStrictEqual(["a", "b", "c"].map(madeFrom));
  // The release of today meets the segments of that future.
  const problem = `version 3 of table "steps"; this release reads up to 1`;
  await expect(old.query("select 1", { run: "one" })).rejects.toMatchObject({ code: "newer-format" });
  await expect(old.query("select 1")).rejects.toThrow(problem);
  expect(await old.runs()).toMatchObject([{ id: "one", problem: expect.stringContaining(problem) }]);
  expect(SCHEMA.tables.steps.version).toBe(1);
});

test("a single part of an older version is rewritten too", async () => {
  const root = join(folder(), "single");
  const writer = await openStore(root).createRun({ id: "one" });
  await writer.append(madeFrom("a"));
  await writer.close();
  const store = openStoreWithSchema(root, {}, FUTURE);
  await store.compact();
  await expect(openStore(root).query("select 1")).rejects.toMatchObject({ code: "newer-format" });
  // The second time there is nothing to do.
  const [report] = await store.compact();
  expect(report?.segmentsAfter).toBe(report?.segmentsBefore);
  expect((await store.query("select commits from runs")).rows).toEqual([[2]]);
});
