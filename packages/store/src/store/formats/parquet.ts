/**
 * A folder with `trajectories.parquet`, `steps.parquet` and `rewards.parquet` in the store's own columns, for tools that
 * read Parquet. Everything survives, exact tokens included.
 */
import { mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { statIfThere } from "limbeck-base/base/files";
import { z } from "zod";
import { EngineError, errorCode, isAbort, throwIfAborted } from "limbeck-base/base/errors";
import { TrajectorySchema } from "limbeck-base/trajectory/schema";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { checkTrajectory } from "../check.ts";
import { openDatabase, type Database } from "../database.ts";
import { mergeTrajectories } from "../merge.ts";
import { orderedSelect, quote, SCHEMA } from "../migrations.ts";
import { openStore } from "../open-store.ts";
import { readRun, segmentLocations } from "../snapshot.ts";
import { localFiles } from "../local-files.ts";
import type { Format, ReadOptions, WriteOptions } from "./source.ts";

const FILES = ["trajectories", "steps", "rewards"] as const;
type File = (typeof FILES)[number];

/** The key of the Parquet metadata under which each file names the version of its columns. */
const VERSION_KEY = "limbeck_schema_version";
const RUN = "export";

export const parquet: Format = {
  id: "parquet",
  summary: "A folder of Parquet files in the store's own columns; lossless.",
  ending: /\.parquet$/,
  sign: /^PAR1/,
  loses: "",
  read: readFolder,
  write: writeFolder,
};

async function* readFolder(path: string, options: ReadOptions): AsyncGenerator<Trajectory, void, undefined> {
  throwIfAborted(options.signal);
  // One of the files stands for the folder it is in.
  const folder = path.endsWith(".parquet") && (await isFile(path)) ? dirname(path) : path;
  const bytes = await totalBytes(folder);
  const database = await openDatabase();
  try {
    const source = {
      schema: SCHEMA,
      trajectories: await selectFile(database, folder, "trajectories"),
      steps: await selectFile(database, folder, "steps"),
      rewards: await selectFile(database, folder, "rewards"),
      later: undefined,
    };
    const counted = await database.connection.runAndReadAll(`select count(*) from (${source.trajectories})`);
    const rows = Number(counted.getRowsJS()[0]?.[0] ?? 0);
    for await (const { trajectory, ordinal } of mergeTrajectories(database, source, {}, 0)) {
      throwIfAborted(options.signal);
      if (accept(trajectory, join(folder, "trajectories.parquet"), ordinal, options)) yield trajectory;
      options.onProgress?.(Math.round((bytes * (ordinal + 1)) / rows));
    }
  } catch (error) {
    throw readError(folder, error);
  } finally {
    database.close();
  }
}

/** A file from elsewhere may hold anything under our column names. */
function accept(trajectory: Trajectory, file: string, ordinal: number, options: ReadOptions): boolean {
  try {
    // Tokens are typed arrays by now and have been checked by their columns.
    const parsed = TrajectorySchema.safeParse({ ...trajectory, streams: [] });
    if (!parsed.success) throw new EngineError("bad-trajectory", z.prettifyError(parsed.error));
    checkTrajectory(trajectory);
    return true;
  } catch (cause) {
    const message = `${file}, row ${ordinal + 1}: ${(cause as Error).message}`;
    const code = errorCode(cause) ?? "bad-trajectory";
    const place = { file, line: ordinal + 1 };
    if (options.lenient !== true) throw EngineError.from({ code, message, details: place }, cause);
    options.onSkip?.({ ...place, code, message });
    return false;
  }
}

async function selectFile(database: Database, folder: string, table: File): Promise<string> {
  const location = resolve(folder, `${table}.parquet`);
  const known = SCHEMA.tables[table].version;
  const sql = `select decode(value) from parquet_kv_metadata(${quote(location)}) where decode(key) = ${quote(VERSION_KEY)}`;
  const found = (await database.connection.runAndReadAll(sql)).getRowsJS()[0]?.[0];
  // Without a version it comes from another tool, which must have followed the columns as they are documented now.
  const version = typeof found === "string" ? Number(found) : known;
  if (!(version >= 1 && version <= known)) {
    throw new EngineError(
      "newer-format",
      `${location} has version ${version} of table "${table}"; this release reads up to ${known}. Use a later release of Limbeck.`,
      { details: { file: location, version, known } },
    );
  }
  return orderedSelect(SCHEMA, table, [{ location, version }]);
}

async function totalBytes(folder: string): Promise<number> {
  let total = 0;
  for (const table of FILES) {
    const file = join(folder, `${table}.parquet`);
    const found = await statIfThere(file);
    if (found === undefined) {
      const message = `${file} does not exist. A Parquet import is a folder with ${FILES.map((name) => `${name}.parquet`).join(", ")}.`;
      throw new EngineError("file-missing", message, { details: { file } });
    }
    total += found.size;
  }
  return total;
}

async function writeFolder(
  path: string,
  trajectories: AsyncIterable<Trajectory>,
  options: WriteOptions,
): Promise<{ trajectories: number; bytes: number }> {
  throwIfAborted(options.signal);
  const target = resolve(path);
  await checkTarget(target, options.overwrite === true);
  const temporary = await mkdtemp(join(dirname(target), `.${basename(target)}.`)).catch((cause: unknown) => {
    throw new EngineError("folder-missing", `${dirname(target)} cannot be written to: ${(cause as Error).message}`, {
      details: { file: path },
      cause,
    });
  });
  try {
    // A store of its own takes any amount in bounded memory; its segments are then merged to one file for each table.
    const staging = join(temporary, "staging");
    const count = await stage(staging, trajectories, options);
    const ready = join(temporary, "ready");
    await mkdir(ready);
    const bytes = await mergeStaged(staging, ready);
    throwIfAborted(options.signal);
    if (await isFolder(target)) await rename(target, join(temporary, "replaced"));
    await rename(ready, target);
    return { trajectories: count, bytes };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function stage(folder: string, trajectories: AsyncIterable<Trajectory>, options: WriteOptions): Promise<number> {
  const writer = await openStore(folder).createRun({ id: RUN, kind: "export" });
  let count = 0;
  for await (const trajectory of trajectories) {
    throwIfAborted(options.signal);
    await writer.append(trajectory);
    count += 1;
    options.onProgress?.(count);
  }
  await writer.close();
  return count;
}

async function mergeStaged(staging: string, ready: string): Promise<number> {
  const files = localFiles(staging);
  const { fold } = await readRun(files, SCHEMA, RUN);
  const database = await openDatabase();
  let bytes = 0;
  try {
    for (const table of FILES) {
      const file = join(ready, `${table}.parquet`);
      const select = orderedSelect(SCHEMA, table, segmentLocations(files, RUN, fold.parts, table));
      const version = SCHEMA.tables[table].version;
      const how = `format parquet, compression zstd, row_group_size 16384, kv_metadata {${VERSION_KEY}: '${version}'}`;
      await database.connection.run(`copy (${select}) to ${quote(file)} (${how})`);
      bytes += (await stat(file)).size;
    }
  } finally {
    database.close();
  }
  return bytes;
}

/** Only what an earlier export has written is ever replaced. */
async function checkTarget(target: string, overwrite: boolean): Promise<void> {
  if ((await statIfThere(target)) === undefined) return;
  const names = (await isFolder(target)) ? await readdir(target) : undefined;
  if (names?.length === 0) return;
  const ours = names?.every((name) => FILES.some((table) => name === `${table}.parquet`)) === true;
  if (ours && overwrite) return;
  const why = ours
    ? "Choose another name, or allow overwriting."
    : "It is not a Parquet export, so it is not replaced.";
  throw new EngineError("target-exists", `${target} exists already. ${why}`, { details: { file: target } });
}

function readError(folder: string, cause: unknown): unknown {
  if (isAbort(cause) || cause instanceof EngineError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  const named = FILES.map((table) => resolve(folder, `${table}.parquet`)).find((file) => message.includes(file));
  return new EngineError("bad-parquet", `${named ?? folder} cannot be read: ${message}`, {
    details: { file: named ?? folder },
    cause,
  });
}

async function isFolder(path: string): Promise<boolean> {
  return (await statIfThere(path))?.isDirectory() === true;
}

async function isFile(path: string): Promise<boolean> {
  return (await statIfThere(path))?.isFile() === true;
}
