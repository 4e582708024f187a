/** Reading while others compact: files may go away underneath, and then the log is read again. */
import { EngineError, isAbort } from "limbeck-base/base/errors";
import { segmentPath } from "./commit-format.ts";
import type { Files } from "./files.ts";
import { takeSnapshot, type Reading, type Scope } from "./reading.ts";
import { lastingFault, listRunIds, segmentFaults, type RunSnapshot } from "./snapshot.ts";

const TRIES = 100;

/** Runs `work` on a snapshot, and on a newer one for as long as files of the older one have been removed meanwhile. */
export async function readWithRetries<T>(
  reading: Reading,
  scope: Scope,
  work: (runs: readonly RunSnapshot[]) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const runs = await takeSnapshot(reading, scope);
    try {
      return await work(runs);
    } catch (error) {
      reading.memory?.forget(runs);
      if (isAbort(error) || attempt === TRIES || !(await isStale(reading.files, runs, error))) throw queryError(error);
    }
  }
}

/** True when reading again can help. Throws when a segment that the store still lists is missing or damaged. */
export async function isStale(files: Files, runs: readonly RunSnapshot[], cause: unknown): Promise<boolean> {
  let faults = 0;
  for (const { file, fold } of runs) faults += (await segmentFaults(files, file.id, fold)).size;
  if (faults === 0) {
    if (await lacksCopy(files, runs)) return true;
    const damaged = damagedSegment(files, runs, cause);
    if (damaged !== undefined) throw damaged;
    return false;
  }
  const present = new Set(await listRunIds(files));
  for (const snapshot of runs) {
    const fault = present.has(snapshot.file.id) ? await lastingFault(files, snapshot) : undefined;
    if (fault !== undefined) throw fault;
  }
  return true;
}

/** A copy on this machine went, to make room for others, before it was read. */
async function lacksCopy({ copies }: Files, runs: readonly RunSnapshot[]): Promise<boolean> {
  if (copies === undefined) return false;
  for (const { file, fold } of runs) {
    for (const segment of fold.parts.flatMap((part) => part.segments)) {
      if (!(await copies.has(segmentPath(file.id, segment.file)))) return true;
    }
  }
  return false;
}

/** What DuckDB says about a query, as an error of ours. */
export function queryError(cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  return new EngineError("bad-sql", `The query failed. ${message}`, { cause });
}

/** A segment of the right size with the wrong bytes: DuckDB names the file it could not make sense of. */
function damagedSegment(files: Files, runs: readonly RunSnapshot[], cause: unknown): EngineError | undefined {
  const message = cause instanceof Error ? cause.message : String(cause);
  for (const { file: run, fold } of runs) {
    for (const { file } of fold.parts.flatMap((part) => part.segments)) {
      const path = files.address(segmentPath(run.id, file));
      if (!message.includes(file)) continue;
      return new EngineError(
        "segment-damaged",
        `${path} is damaged: ${message} Restore the file, or delete run "${run.id}".`,
        { details: { run: run.id, path }, cause },
      );
    }
  }
  return undefined;
}
