/**
 * Compaction: merges neighbouring parts of a run into larger ones.
 *
 * It writes the merged segments, commits the exchange, and leaves the old files for the grace period, so that readers
 * that have resolved them can finish. Two compactions of one run do no harm: the commit of the slower one is refused.
 */
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { checkOptions, may } from "limbeck-base/base/options";
import { EngineError, errorCode, isAbort, throwIfAborted } from "limbeck-base/base/errors";
import {
  segmentPath,
  checkpointPath,
  commitBytes,
  commitPath,
  type Fold,
  type Part,
  type Segment,
} from "./commit-format.ts";
import { replaceCommit, listCommits, readFold } from "./commit-log.ts";
import { interruptOn, openDatabase, type Database } from "./database.ts";
import { TEMPORARY_PREFIX, type Files } from "./files.ts";
import { orderedSelect, quote, type Schema } from "./migrations.ts";
import { isStale, queryError } from "./retry.ts";
import { isCopy } from "./run-file.ts";
import { listRunIds, readRun, segmentLocations } from "./snapshot.ts";
import type { CompactOptions, CompactReport } from "./store.ts";
import { TABLE_NAMES, type TableName } from "./tables.ts";
import { verifySegments } from "./verify.ts";
import { writerOf } from "./run-lock.ts";

/** Parts are merged up to about this size; a part of half of it stays as it is. */
const TARGET_BYTES = 256 * 1024 * 1024;
const ROW_GROUP_ROWS = 16_384;
const GRACE_MS = 60 * 60_000;

export async function compactRun(
  files: Files,
  schema: Schema,
  run: string,
  options: CompactOptions,
  now: () => Date,
): Promise<CompactReport> {
  checkOptions("compact", options, { graceMs: may.amount });
  const { signal, graceMs = GRACE_MS } = options;
  throwIfAborted(signal);
  const { fold: before, file } = await readRun(files, schema, run);
  const groups = planGroups(schema, before.parts);
  // What is damaged must not become a new file with a checksum of its own.
  await verifySegments(
    files,
    run,
    groups.flat().flatMap((part) => part.segments),
    new Set(),
  );
  options.onProgress?.(0, groups.length);
  if (groups.length > 0) {
    try {
      await mergeGroups(
        { files, schema, run, writer: `compact-${randomBytes(6).toString("hex")}`, now },
        before,
        groups,
        options,
      );
    } catch (error) {
      throwIfAborted(signal);
      // Another compaction may have replaced the files while they were read. It has done the work: no error.
      if (isAbort(error) || !(await isStale(files, [{ file, fold: before }], error))) throw compactError(error);
    }
  }
  const filesDeleted = await cleanUp(files, run, graceMs, now);
  return {
    run,
    ...measure(before, "Before"),
    ...measure((await readRun(files, schema, run)).fold, "After"),
    filesDeleted,
  };
}

/** One run after the other; one that cannot be compacted does not stop those behind it. */
export async function compactAll(
  files: Files,
  schema: Schema,
  options: CompactOptions,
  now: () => Date,
): Promise<CompactReport[]> {
  const reports: CompactReport[] = [];
  const broken: unknown[] = [];
  for (const run of await listRunIds(files)) {
    try {
      reports.push(await compactRun(files, schema, run, options, now));
    } catch (error) {
      if (isAbort(error) || STOPS_ALL.has(errorCode(error) ?? "")) throw error;
      // A folder that is no run, or the copy of one, is none of its business.
      if (error instanceof EngineError && (error.code === "no-run" || isCopy(error))) continue;
      if (options.onBroken === undefined) broken.push(error);
      else options.onBroken(run, error);
    }
  }
  if (broken.length > 0) throw broken[0];
  return reports;
}

/** What is wrong with the machine, and so with every run. */
const STOPS_ALL: ReadonlySet<string> = new Set(["disk-full", "no-access", "store-unreachable", "part-missing"]);

/** Neighbours that are small enough to be one, and parts whose columns are of an older version. */
export function planGroups(schema: Schema, parts: readonly Part[]): Part[][] {
  const groups: Part[][] = [];
  let group: Part[] = [];
  let bytes = 0;
  const close = (): void => {
    if (group.length > 1 || group.some((part) => isOld(schema, part))) groups.push(group);
    [group, bytes] = [[], 0];
  };
  for (const part of parts) {
    const size = partBytes(part);
    if (size >= TARGET_BYTES / 2 || bytes + size > TARGET_BYTES) close();
    group.push(part);
    bytes += size;
    if (size >= TARGET_BYTES / 2) close();
  }
  close();
  return groups;
}

async function mergeGroups(
  work: Omit<Work, "database">,
  before: Fold,
  groups: readonly Part[][],
  { signal, onProgress }: CompactOptions,
): Promise<void> {
  const database = await openDatabase();
  const release = interruptOn(signal, database.connection);
  try {
    for (const [index, group] of groups.entries()) {
      throwIfAborted(signal);
      if (!(await mergeGroup({ ...work, database }, before, group, index))) return;
      onProgress?.(index + 1, groups.length);
    }
  } finally {
    release();
    database.close();
  }
}

interface Work {
  readonly files: Files;
  readonly schema: Schema;
  readonly database: Database;
  readonly run: string;
  readonly writer: string;
  readonly now: () => Date;
}

/** False when someone else has replaced a part of the group meanwhile. */
async function mergeGroup(work: Work, fold: Fold, group: readonly Part[], index: number): Promise<boolean> {
  const { files, run, writer } = work;
  const add: Segment[] = [];
  const discard = async (): Promise<void> => {
    // They are not visible; a later compaction takes what is left over.
    for (const { file } of add) await files.remove(segmentPath(run, file)).catch(() => undefined);
  };
  try {
    for (const table of TABLE_NAMES) {
      if (group.some((part) => part.segments.some((segment) => segment.table === table))) {
        add.push(await mergeTable(work, group, table, index));
      }
    }
  } catch (error) {
    await discard();
    throw error;
  }
  const remove = group.flatMap((part) => part.segments.map(({ file }) => file));
  const order = group[0]?.order ?? 1;
  const time = work.now().toISOString();
  const number = await replaceCommit(files, run, fold.number, { writer, time, order, add, remove });
  if (number === undefined) await discard();
  return number !== undefined;
}

async function mergeTable(work: Work, group: readonly Part[], table: TableName, index: number): Promise<Segment> {
  const { files, schema, database, run } = work;
  const file = `${table}-${work.writer}-${index + 1}.parquet`;
  const path = segmentPath(run, file);
  const scratch = await files.scratch(path);
  const select = orderedSelect(schema, table, segmentLocations(files, run, group, table));
  const options = `format parquet, compression zstd, row_group_size ${ROW_GROUP_ROWS}`;
  try {
    const { rowsChanged } = await database.connection.run(`copy (${select}) to ${quote(scratch)} (${options})`);
    const rows = group
      .flatMap((part) => part.segments)
      .reduce((sum, segment) => (segment.table === table ? sum + segment.rows : sum), 0);
    if (rowsChanged !== rows) {
      throw new EngineError(
        "segment-damaged",
        `Merging table "${table}" of run "${run}" gave ${rowsChanged} rows; the commits say ${rows}. Nothing was replaced.`,
        { details: { run, table, rows, found: rowsChanged } },
      );
    }
    await files.adopt(scratch, path);
    const bytes = (await files.stat(path))?.bytes ?? 0;
    const sha256 = await files.digest(path);
    const schemaVersion = schema.tables[table].version;
    return { table, file, rows, bytes, schemaVersion, ...(sha256 === undefined ? {} : { sha256 }) };
  } catch (error) {
    await rm(scratch, { force: true });
    throw error;
  }
}

/** DuckDB writes the merged file itself, and reports the system's error only in words. */
function compactError(cause: unknown): EngineError {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (/no space left/i.test(message)) {
    const wayOut = "Nothing was replaced; free some space and try again.";
    return new EngineError("disk-full", `Compaction needs more space: ${message} ${wayOut}`, { cause });
  }
  if (/read-only file system|permission denied/i.test(message)) {
    return new EngineError("no-access", `Compaction may not write here: ${message} Nothing was replaced.`, { cause });
  }
  return queryError(cause);
}

function isOld(schema: Schema, part: Part): boolean {
  return part.segments.some(({ table, schemaVersion }) => schemaVersion < schema.tables[table].version);
}

function partBytes(part: Part): number {
  return part.segments.reduce((sum, segment) => sum + segment.bytes, 0);
}

function measure<When extends "Before" | "After">(
  fold: Fold,
  when: When,
): { [Key in `segments${When}` | `bytes${When}`]: number } {
  const segments = fold.parts.reduce((sum, part) => sum + part.segments.length, 0);
  const bytes = fold.parts.reduce((sum, part) => sum + partBytes(part), 0);
  return { [`segments${when}`]: segments, [`bytes${when}`]: bytes } as {
    [Key in `segments${When}` | `bytes${When}`]: number;
  };
}

// What compaction tidies: replaced segments after the grace period, commit files that a checkpoint stands for, and what crashed
// writers left behind.

/** A checkpoint is written when this many commits have come since the last one. */
const CHECKPOINT_EVERY = 16;
/**
 * Files that no commit names may belong to a writer that is just about to commit them. Writers do not commit segments
 * older than half of this; those of the writer that holds the run are left alone.
 */
const ORPHAN_AGE_MS = 60 * 60_000;

/** Returns how many files it removed. */
export async function cleanUp(files: Files, run: string, graceMs: number, now: () => Date): Promise<number> {
  // Before the log: a writer that releases the run after this look has its segments there.
  const writer = await writerOf(files, run);
  const fold = await readFold(files, run);
  const deadline = now().getTime() - graceMs;
  const replaced = await removeReplaced(files, run, fold, deadline);
  const orphans = await removeOrphans(
    files,
    run,
    // A large commit is begun long before it is done.
    { fold, isBegun: (name) => writer !== undefined && name.includes(`-${writer}-`) },
    Math.min(deadline, now().getTime() - ORPHAN_AGE_MS),
  );
  await writeCheckpoint(files, run, fold);
  return replaced + orphans + (await removeCommits(files, run, deadline));
}

async function removeReplaced(files: Files, run: string, fold: Fold, deadline: number): Promise<number> {
  const present = new Set(await files.list(`${run}/segments`));
  const old = fold.removed.filter(({ file, at }) => present.has(file) && Date.parse(at) <= deadline);
  for (const { file } of old) await files.remove(segmentPath(run, file));
  return old.length;
}

async function removeOrphans(
  files: Files,
  run: string,
  { fold, isBegun }: { readonly fold: Fold; readonly isBegun: (name: string) => boolean },
  deadline: number,
): Promise<number> {
  const known = new Set(fold.removed.map(({ file }) => file));
  if (fold.state !== undefined) known.add(fold.state);
  for (const part of fold.parts) for (const { file } of part.segments) known.add(file);
  const unknown = (await files.list(`${run}/segments`)).filter((name) => !known.has(name) && !isBegun(name));
  const temporary = (await files.list(`${run}/commits`)).filter((name) => name.startsWith(TEMPORARY_PREFIX));
  const paths = [
    ...unknown.map((name) => segmentPath(run, name)),
    ...temporary.map((name) => `${run}/commits/${name}`),
  ];
  let removed = 0;
  for (const path of paths) {
    const found = await files.stat(path);
    if (found === undefined || found.modifiedMs > deadline) continue;
    await files.remove(path);
    removed += 1;
  }
  return removed;
}

async function writeCheckpoint(files: Files, run: string, fold: Fold): Promise<void> {
  const newest = (await listCommits(files, run)).checkpoints.at(-1) ?? 0;
  if (fold.number - newest < CHECKPOINT_EVERY) return;
  // Only what is still there has to be remembered for deletion.
  const present = new Set(await files.list(`${run}/segments`));
  const removed = fold.removed.filter(({ file }) => present.has(file));
  await files.putIfAbsent(checkpointPath(run, fold.number), commitBytes({ ...fold, removed }));
}

/** Commits and checkpoints that a checkpoint older than the deadline stands for. */
async function removeCommits(files: Files, run: string, deadline: number): Promise<number> {
  const { commits, checkpoints } = await listCommits(files, run);
  let covered = 0;
  for (const number of checkpoints) {
    const found = await files.stat(checkpointPath(run, number));
    if (found !== undefined && found.modifiedMs <= deadline) covered = number;
  }
  const paths = [
    ...commits.filter((number) => number <= covered).map((number) => commitPath(run, number)),
    ...checkpoints.filter((number) => number < covered).map((number) => checkpointPath(run, number)),
  ];
  for (const path of paths) await files.remove(path);
  return paths.length;
}
