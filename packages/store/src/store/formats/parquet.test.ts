import { mkdir, mkdtemp, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { forest } from "../../../../../test/support/forests.ts";
import { madeFrom } from "../../../../../test/support/kill-data.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { openDatabase } from "../database.ts";
import type { ReadOptions, Skip } from "./source.ts";
import { parquet } from "./parquet.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-parquet-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function* each(trajectories: readonly Trajectory[]): AsyncGenerator<Trajectory, void, undefined> {
  yield* trajectories;
}

async function read(path: string, options: ReadOptions = {}): Promise<Trajectory[]> {
  const all: Trajectory[] = [];
  for await (const trajectory of parquet.read(path, options)) all.push(trajectory);
  return all;
}

const three = ["a", "b", "c"].map(madeFrom);

test("any forest comes back identical, in order, exact tokens included", async () => {
  await fc.assert(
    fc.asyncProperty(forest, async (trajectories) => {
      const path = join(folder, "out");
      const { trajectories: count } = await parquet.write(path, each(trajectories), { overwrite: true });
      expect(count).toBe(trajectories.length);
      expect(await read(path)).toStrictEqual(trajectories);
    }),
    { numRuns: tries(3, 20) },
  );
  // Some three seconds alone; a loaded machine takes far longer.
}, 180_000);

test("names what it wrote, tells its progress, and is read through any of its files", async () => {
  const path = join(folder, "out");
  const progress: number[] = [];
  const written = await parquet.write(path, each(three), { onProgress: (count) => progress.push(count) });
  expect(progress).toEqual([1, 2, 3]);
  expect((await readdir(path)).sort()).toEqual(["rewards.parquet", "steps.parquet", "trajectories.parquet"]);
  const bytes: number[] = [];
  expect(await read(join(path, "steps.parquet"), { onProgress: (count) => bytes.push(count) })).toStrictEqual(three);
  expect(bytes.at(-1)).toBe(written.bytes);
});

test("replaces only an earlier export, and only when told", async () => {
  const path = join(folder, "out");
  await parquet.write(path, each(three), {});
  await expect(parquet.write(path, each([]), {})).rejects.toMatchObject({ code: "target-exists" });
  await parquet.write(path, each(three.slice(0, 1)), { overwrite: true });
  expect(await read(path)).toHaveLength(1);
  await writeFile(join(path, "notes.txt"), "mine");
  await expect(parquet.write(path, each([]), { overwrite: true })).rejects.toMatchObject({ code: "target-exists" });
  expect(await read(path)).toHaveLength(1);
});

test("a failed or cancelled export leaves the folder as it was", async () => {
  async function* failing(): AsyncGenerator<Trajectory, void, undefined> {
    yield* three;
    throw new Error("the source broke");
  }
  await expect(parquet.write(join(folder, "out"), failing(), {})).rejects.toThrow("the source broke");
  const signal = AbortSignal.abort();
  await expect(parquet.write(join(folder, "out"), each(three), { signal })).rejects.toMatchObject({
    code: "cancelled",
  });
  await expect(parquet.write(join(folder, "no", "out"), each(three), {})).rejects.toMatchObject({
    code: "folder-missing",
  });
  expect(await readdir(folder)).toEqual([]);
});

test("a missing, truncated or foreign file is an error that names it", async () => {
  const path = join(folder, "out");
  await expect(read(path)).rejects.toMatchObject({ code: "file-missing" });
  await parquet.write(path, each(three), {});
  const steps = join(path, "steps.parquet");
  await truncate(steps, 300);
  await expect(read(path)).rejects.toMatchObject({ code: "bad-parquet", details: { file: steps } });
  await rm(steps);
  await expect(read(path)).rejects.toMatchObject({ code: "file-missing", details: { file: steps } });
  await mkdir(join(folder, "foreign"));
  await copyTo(join(folder, "foreign", "trajectories.parquet"), "select 1 as id", "");
  await copyTo(join(folder, "foreign", "steps.parquet"), "select 1 as id", "");
  await copyTo(join(folder, "foreign", "rewards.parquet"), "select 1 as id", "");
  await expect(read(join(folder, "foreign"))).rejects.toMatchObject({ code: "bad-parquet" });
});

test("a version that this release does not know is refused", async () => {
  const path = join(folder, "out");
  await parquet.write(path, each(three), {});
  await copyTo(join(path, "steps.parquet"), "select 1 as step", ", kv_metadata {limbeck_schema_version: '99'}");
  await expect(read(path)).rejects.toMatchObject({ code: "newer-format" });
});

test("a row that is no trajectory stops the import, or is skipped and reported when lenient", async () => {
  const path = join(folder, "out");
  await parquet.write(path, each(three), {});
  const file = join(path, "trajectories.parquet");
  const bad = `select * replace (case when id = 'b' then 'vanished' else ending end as ending) from '${file}'`;
  await copyTo(join(folder, "bad.parquet"), bad, "");
  await copyTo(file, `select * from '${join(folder, "bad.parquet")}'`, "");
  await expect(read(path)).rejects.toMatchObject({ code: "bad-trajectory", details: { file, line: 2 } });
  const skips: Skip[] = [];
  const kept = await read(path, { lenient: true, onSkip: (skip) => skips.push(skip) });
  expect(kept.map(({ id }) => id)).toEqual(["a", "c"]);
  expect(skips).toMatchObject([{ file, line: 2, code: "bad-trajectory" }]);
});

async function copyTo(file: string, select: string, options: string): Promise<void> {
  const database = await openDatabase();
  await database.connection.run(`copy (${select}) to '${file}' (format parquet${options})`);
  database.close();
}
