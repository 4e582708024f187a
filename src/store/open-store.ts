/** Opens a store: a folder of runs, or a place of object storage. */
import { checkOptions, may } from "../base/options.ts";
import { mapLimit } from "../base/concurrency.ts";
import { EngineError, errorData } from "../base/errors.ts";
import { compactRun } from "./compact.ts";
import type { Files } from "./files.ts";
import { notKept, TrajectoryList } from "./listing.ts";
import { placeOf } from "./place.ts";
import { createMemory } from "./memory.ts";
import { SCHEMA, type Schema } from "./migrations.ts";
import { listQuery, readTrajectories, runQuery } from "./query.ts";
import { knownFault, readState, snapshotOf, type Reading } from "./reading.ts";
import { isCopy, readRunFile, type RunFile } from "./run-file.ts";
import { checkRunId } from "./run-id.ts";
import { createRunIndex } from "./run-index.ts";
import { countRows, listRunIds } from "./snapshot.ts";
import type { RunSummary, Store } from "./store.ts";
import { Writer, createRun, newWriterName, openRun, type WriterOptions } from "./writer.ts";

export interface StoreOptions {
  /** Where the files live. Default: what the root names, a folder or object storage. */
  readonly files?: Files;
  /** The clock, so that tests can hold it still. */
  readonly now?: () => Date;
  /** A writer writes its buffer out when it holds this many steps; it is seen from its commit on. Default: 16,384. */
  readonly bufferSteps?: number;
  /** …or about this many bytes. Default: 64 MiB. */
  readonly bufferBytes?: number;
  /** About how much of a commit one segment holds. Default: 8 MiB. */
  readonly segmentBytes?: number;
  /** Remembers what it has read until it is closed, so that a server reads quickly. Default: no. */
  readonly keepOpen?: boolean;
}

export const STORE_CHECKS = {
  commitSteps: { ...may.count, endless: true },
  commitBytes: { ...may.count, endless: true },
  segmentBytes: may.count,
} as const;

/**
 * Opens a store of runs: a folder, which need not exist yet, or an address like "s3://bucket/runs", whose keys the
 * environment has (docs/store.md).
 *
 * @example
 * const store = openStore("runs");
 * const run = await store.createRun({ kind: "rollout", config: {} });
 * await rollout({ env: "countdown", policy: "expert", tasks: 1, group: 2, sink: run });
 * await run.close();
 * const { rows } = await store.query("select count(*) as episodes from trajectories");
 * console.log(rows.length); // 1
 * await store.close();
 */
export function openStore(root: string, options: StoreOptions = {}): Store {
  checkOptions("openStore", options, STORE_CHECKS);
  return openStoreWithSchema(root, options, SCHEMA);
}

/** The same with tables of one's own; for tests of migrations. */
export function openStoreWithSchema(root: string, options: StoreOptions, schema: Schema): Store {
  const place = placeOf(root);
  const folder = place.root;
  const files = options.files ?? place.files();
  const now = options.now ?? (() => new Date());
  const writing: WriterOptions = {
    now,
    bufferSteps: options.bufferSteps ?? 16_384,
    bufferBytes: options.bufferBytes ?? 64 * 1024 * 1024,
    segmentBytes: options.segmentBytes ?? 8 * 1024 * 1024,
  };
  const memory = options.keepOpen === true ? createMemory(new TrajectoryList(files, schema)) : undefined;
  const reading: Reading = { files, schema, memory, verified: new Set() };
  const index = createRunIndex(files, schema, { now: () => performance.now() });
  const writers = new Set<Writer>();
  const remember = (writer: Writer): Writer => {
    writers.add(writer);
    writer.onRelease = () => writers.delete(writer);
    return writer;
  };
  const read = (id: string): Promise<RunSummary | undefined> => summarise(reading, id);
  return {
    root: folder,
    runs: async ({ only, remembered = false } = {}) => {
      if (only !== undefined) return known([await read(checkRunId(only))]);
      const ids = await listRunIds(files);
      return remembered ? await index.summaries(ids, read) : known(await mapLimit(ids, 8, read));
    },
    createRun: async (create = {}) => remember(await createRun(files, create, writing)),
    openRun: async (id, { beside = false } = {}) => {
      await readRunFile(files, checkRunId(id));
      await files.check?.();
      if (beside)
        return new Writer(files, id, { writer: newWriterName(), lock: undefined, number: undefined }, writing);
      return remember(await openRun(files, id, writing));
    },
    deleteRun: async (id) => {
      checkRunId(id);
      // Object storage has no folders, only what is in them.
      const isThere = (await files.stat(id)) !== undefined || (await files.list(id)).length > 0;
      if (!isThere) throw new EngineError("no-run", `No run "${id}" in ${folder}.`);
      await files.removeFolder(id);
    },
    stateOf: (run) => readState(reading, run),
    trajectories: (query = {}) => readTrajectories(reading, query),
    query: (sql, query = {}) => runQuery(reading, sql, query),
    list: async (sql, scope = {}) => {
      if (memory === undefined) throw notKept();
      return await listQuery({ ...reading, memory }, sql, scope);
    },
    compact: async (compact = {}) => {
      if (compact.run !== undefined) return [await compactRun(files, schema, checkRunId(compact.run), compact, now)];
      const reports = await mapLimit(await listRunIds(files), 1, (id) =>
        compactRun(files, schema, id, compact, now).catch((error: unknown) => {
          // A folder that is no run, or the copy of one, is none of its business.
          if (error instanceof EngineError && (error.code === "no-run" || isCopy(error))) return undefined;
          throw error;
        }),
      );
      return reports.filter((report) => report !== undefined);
    },
    close: async () => {
      for (const writer of writers) await writer.abandon();
      await memory?.close();
    },
  };
}

/** A run that cannot be read is listed with the reason. A folder without run.json is none: undefined. */
async function summarise(reading: Reading, id: string): Promise<RunSummary | undefined> {
  let file: RunFile | undefined;
  try {
    file = await readRunFile(reading.files, id);
    const snapshot = await snapshotOf(reading, id);
    const { fold } = snapshot;
    const segments = fold.parts.flatMap((part) => part.segments);
    const fault = await knownFault(reading, snapshot);
    return {
      ...file,
      commits: fold.number,
      segments: segments.length,
      bytes: segments.reduce((sum, segment) => sum + segment.bytes, 0),
      trajectories: countRows(fold, "trajectories"),
      steps: countRows(fold, "steps"),
      metrics: countRows(fold, "metrics"),
      events: countRows(fold, "events"),
      ...(fault === undefined ? {} : { problem: fault.message }),
    };
  } catch (error) {
    if (error instanceof EngineError && error.code === "no-run") return undefined;
    const blank = { id, kind: "unknown", createdAt: "", config: {}, schemaVersion: 0 };
    const nothing = { commits: 0, segments: 0, bytes: 0, trajectories: 0, steps: 0, metrics: 0, events: 0 };
    return { ...blank, ...file, ...nothing, problem: errorData(error).message };
  }
}

function known(summaries: readonly (RunSummary | undefined)[]): RunSummary[] {
  return summaries.filter((summary) => summary !== undefined);
}
