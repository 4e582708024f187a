/** Which files a reader reads: the commit log of a run, resolved to explicit lists. */
import { mapLimit } from "limbeck-base/base/concurrency";
import { EngineError } from "limbeck-base/base/errors";
import { newerFormat, segmentPath, type Fold, type Part } from "./commit-format.ts";
import { readFold } from "./commit-log.ts";
import type { Files } from "./files.ts";
import type { Located, Schema } from "./migrations.ts";
import { readRunFile, type RunFile } from "./run-file.ts";
import { checkRunId, isRunId } from "./run-id.ts";
import type { TableName } from "./tables.ts";

export interface RunSnapshot {
  readonly file: RunFile;
  readonly fold: Fold;
}

const STATS_AT_ONCE = 16;

/** Names of runs that are set aside, a file each. It begins with a dot, so that it is no run. */
const ASIDE = ".aside";

/** Ids of all folders that may be runs and are not set aside; anything else in the store is ignored. */
export async function listRunIds(files: Files): Promise<string[]> {
  const names = await files.list("");
  const aside = new Set(names.includes(ASIDE) ? await files.list(ASIDE) : []);
  return names.filter((name) => isRunId(name) && !aside.has(name)).sort();
}

/** Nothing of the run is touched: it may be such that nothing can be done with it. */
export async function setAside(files: Files, run: string, isAside: boolean): Promise<void> {
  const mark = `${ASIDE}/${checkRunId(run)}`;
  if (isAside) await files.putIfAbsent(mark, Buffer.from("\n"));
  else await files.remove(mark);
}

export async function runsAside(files: Files): Promise<string[]> {
  return (await files.list(ASIDE)).filter(isRunId).sort();
}

/** The log of a run, read on from what is still known of it. */
export async function readRun(
  files: Files,
  schema: Schema,
  id: string,
  knownOf?: (file: RunFile) => Fold | undefined,
): Promise<RunSnapshot> {
  const file = await readRunFile(files, checkRunId(id));
  const known = knownOf?.(file);
  const fold = await readFold(files, id, known);
  if (fold === known) return { file, fold };
  // A segment whose columns this release does not know is refused before anything reads it.
  for (const { table, file: name, schemaVersion } of fold.parts.flatMap((part) => part.segments)) {
    const latest = schema.tables[table].version;
    if (schemaVersion <= latest) continue;
    throw newerFormat(files.address(segmentPath(id, name)), `version ${schemaVersion} of table "${table}"`, latest);
  }
  return { file, fold };
}

/**
 * A segment fault of a run that is there to stay, if there is one. A file is deleted only after the log has let go of
 * it, so what is missing and then still listed is a fault; what is no longer listed was compacted meanwhile.
 */
export async function lastingFault(files: Files, { file, fold }: RunSnapshot): Promise<EngineError | undefined> {
  const faults = await segmentFaults(files, file.id, fold);
  if (faults.size === 0) return undefined;
  const listed = new Set(
    (await readFold(files, file.id)).parts.flatMap((part) => part.segments.map(({ file }) => file)),
  );
  return [...faults].find(([name]) => listed.has(name))?.[1];
}

/** Segments that are missing or have another size than their commit says; by file name. */
export async function segmentFaults(files: Files, run: string, fold: Fold): Promise<Map<string, EngineError>> {
  const faults = new Map<string, EngineError>();
  const sizes = await files.sizes?.(`${run}/segments`);
  const segments = fold.parts
    .flatMap((part) => part.segments)
    .filter(({ file, bytes }) => sizes === undefined || sizes.get(file) !== bytes);
  await mapLimit(segments, STATS_AT_ONCE, async (segment) => {
    const path = segmentPath(run, segment.file);
    const location = files.address(path);
    const found = await files.stat(path);
    if (found?.bytes === segment.bytes) return;
    const wrong =
      found === undefined
        ? `${location} does not exist, though a commit names it with ${segment.rows} rows.`
        : `${location} has ${found.bytes} bytes; its commit says ${segment.bytes}.`;
    const code = found === undefined ? "segment-missing" : "segment-damaged";
    faults.set(
      segment.file,
      new EngineError(code, `${wrong} Restore the file, or delete run "${run}".`, { details: { run, path: location } }),
    );
  });
  return faults;
}

/** Segments of one table in these parts of a run, in commit order. */
export function segmentLocations(files: Files, run: string, parts: readonly Part[], table: TableName): Located[] {
  return parts
    .flatMap((part) => part.segments)
    .filter((segment) => segment.table === table)
    .map(({ file, schemaVersion }) => ({
      location: files.location(segmentPath(run, file)),
      version: schemaVersion,
      run,
    }));
}

/** Parts behind the first `rows` rows of a table, how many rows of the first of them are still before, and all rows. */
export function rowsAfter(
  parts: readonly Part[],
  table: TableName,
  rows: number,
): { readonly left: readonly Part[]; readonly skip: number; readonly total: number } {
  let [total, first, skip] = [0, parts.length, 0];
  for (const [at, part] of parts.entries()) {
    const count = part.segments.reduce((sum, one) => (one.table === table ? sum + one.rows : sum), 0);
    if (first === parts.length && rows < total + count) [first, skip] = [at, rows - total];
    total += count;
  }
  return { left: parts.slice(first), skip, total };
}

export function countRows(fold: Fold, table: TableName): number {
  return fold.parts
    .flatMap((part) => part.segments)
    .reduce((sum, segment) => (segment.table === table ? sum + segment.rows : sum), 0);
}
