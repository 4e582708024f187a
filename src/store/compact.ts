/**
 * Compaction: merges neighbouring parts of a run into larger ones.
 *
 * It writes the merged segments, commits the exchange, and leaves the old files for the grace period, so that readers
 * that have resolved them can finish. Two compactions of one run do no harm: the commit of the slower one is refused.
 */
import { checkOptions, may } from "../base/options.ts";
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { EngineError, isAbort, throwIfAborted } from "../base/errors.ts";
import { cleanUp } from "./clean-up.ts";
import { segmentPath, type Fold, type Part, type Segment } from "./commit-format.ts";
import { replaceCommit } from "./commit-log.ts";
import { interruptOn, openDatabase, type Database } from "./database.ts";
import type { Files } from "./files.ts";
import { orderedSelect, quote, type Schema } from "./migrations.ts";
import { isStale, queryError } from "./retry.ts";
import { readRun, segmentLocations } from "./snapshot.ts";
import type { CompactOptions, CompactReport } from "./store.ts";
import { TABLE_NAMES, type TableName } from "./tables.ts";
import { verifySegments } from "./verify.ts";

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
    // Nobody sees them; a later compaction takes what is left over.
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

/** DuckDB writes the merged file itself, and tells what the system said only in words. */
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
