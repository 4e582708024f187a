/**
 * How a store reads: its files and its tables, and above them what it remembers between two reads. The files below know
 * nothing of that memory.
 */
import { mapLimit } from "limbeck-base/base/concurrency";
import { EngineError, errorData, errorCode } from "limbeck-base/base/errors";
import { openViews, type Database } from "./database.ts";
import type { Files } from "./files.ts";
import type { StoreCache } from "./memory.ts";
import type { Schema } from "./migrations.ts";
import { verifySegments, type Verified } from "./verify.ts";
import { isCopy } from "./run-file.ts";
import { lastingFault, listRunIds, readRun, type RunSnapshot } from "./snapshot.ts";
import { boundedJson, type JsonObject } from "limbeck-base/base/json";
import { segmentPath } from "./commit-format.ts";

export interface Reading {
  readonly files: Files;
  readonly schema: Schema;
  readonly verified: Verified;
  /** Of a store that stays open. */
  readonly memory: StoreCache | undefined;
}

export interface Scope {
  /** Only this run. Default: every run. */
  readonly run?: string;
  /** Leaves out runs that cannot be read; otherwise they are an error. */
  readonly skipBroken?: boolean;
}

const RUNS_AT_ONCE = 8;

/** A run as it stands now; of one that is remembered only new commits are read. */
export async function snapshotOf({ files, schema, memory }: Reading, id: string): Promise<RunSnapshot> {
  const snapshot = await readRun(files, schema, id, (file) => memory?.fold(file));
  memory?.remember(snapshot);
  return snapshot;
}

/** The same, and its segments hold what was written. */
async function verifiedSnapshot(reading: Reading, id: string): Promise<RunSnapshot> {
  const snapshot = await snapshotOf(reading, id);
  const segments = snapshot.fold.parts.flatMap((part) => part.segments);
  // A segment of another size is reported when it is read.
  await verifySegments(reading.files, id, segments, reading.verified);
  return snapshot;
}

export async function takeSnapshot(reading: Reading, scope: Scope): Promise<RunSnapshot[]> {
  if (scope.run !== undefined) return [await verifiedSnapshot(reading, scope.run)];
  const snapshots = await mapLimit(await listRunIds(reading.files), RUNS_AT_ONCE, async (id) => {
    try {
      const snapshot = await verifiedSnapshot(reading, id);
      const fault = scope.skipBroken === true ? await knownFault(reading, snapshot) : undefined;
      return fault === undefined ? snapshot : undefined;
    } catch (error) {
      // A folder without run.json is no run: one that is being created or deleted, or something else altogether.
      // Neither is a copy of one: its rows are another run's.
      if (error instanceof EngineError && (error.code === "no-run" || isCopy(error))) return undefined;
      if (scope.skipBroken === true) return undefined;
      throw brokenRun(id, error);
    }
  });
  return snapshots.filter((snapshot) => snapshot !== undefined);
}

function brokenRun(id: string, cause: unknown): EngineError {
  const { code, message } = errorData(cause);
  const wayOut = `Ask for one run, repair it, or set it aside: limbeck runs set-aside ${id}.`;
  const said = `Run "${id}" cannot be read, so nothing can be said about all runs. ${wayOut} ${message}`;
  const details = cause instanceof EngineError ? cause.details : {};
  return EngineError.from({ code, message: said, details: { ...details, run: id } }, cause);
}

/** A segment fault of a run that is there to stay; looked for only now and then where the run has not changed. */
export async function knownFault({ files, memory }: Reading, snapshot: RunSnapshot): Promise<EngineError | undefined> {
  const known = memory?.fault(snapshot);
  if (known !== undefined) return known.error;
  const error = await lastingFault(files, snapshot);
  memory?.rememberFault(snapshot, error);
  return error;
}

/** A database with the views over these runs; a remembered one where there is one. */
export async function viewsOver({ files, schema, memory }: Reading, runs: readonly RunSnapshot[]): Promise<Database> {
  const open = (): Promise<Database> => openViews(files, schema, runs);
  return memory === undefined ? await open() : await memory.database(runs, open);
}

// What the writers of a run keep for the next time: one file that the newest commit with a state names.

export async function readState(reading: Reading, run: string): Promise<JsonObject | undefined> {
  for (let missing: string | undefined; ;) {
    const { state } = (await snapshotOf(reading, run)).fold;
    if (state === undefined) return undefined;
    const path = segmentPath(run, state);
    const location = reading.files.address(path);
    const wrong = (code: "segment-missing" | "segment-damaged", what: string, cause: unknown): EngineError =>
      new EngineError(code, `${location} ${what} Restore the file, or begin a new run.`, {
        details: { run, path: location },
        cause,
      });
    let text: string;
    try {
      text = await reading.files.read(path);
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
      // A newer commit may have replaced it meanwhile; the same name twice is a fault.
      if (missing === state) throw wrong("segment-missing", "does not exist, though a commit names it.", error);
      missing = state;
      continue;
    }
    try {
      return boundedJson(text) as JsonObject;
    } catch (error) {
      throw wrong("segment-damaged", "is not JSON.", error);
    }
  }
}
