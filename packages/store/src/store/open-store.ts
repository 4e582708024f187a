/** Opens a store: a folder of runs, or a place of object storage. */
import { checkOptions, may } from "limbeck-base/base/options";
import { mapLimit } from "limbeck-base/base/concurrency";
import { EngineError, errorData } from "limbeck-base/base/errors";
import { compactAll, compactRun } from "./compact.ts";
import type { Files } from "./files.ts";
import { notKept } from "./listing.ts";
import { placeOf } from "./place.ts";
import { createMemory } from "./memory.ts";
import { SCHEMA, type Schema } from "./migrations.ts";
import { listQuery, readTrajectories, runQuery } from "./query.ts";
import { knownFault, readState, snapshotOf, type Reading } from "./reading.ts";
import { readRunFile, type RunFile } from "./run-file.ts";
import { checkRunId } from "./run-id.ts";
import { countRows, listRunIds, runsAside, setAside } from "./snapshot.ts";
import type { RunSummary, Store } from "./store.ts";
import { Writer, createRun, newWriterName, openRun, type WriterOptions } from "./writer.ts";
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { z } from "zod";
import { parseJson } from "limbeck-base/base/json";

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
 * environment has (docs/lookup/store.md).
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
  const memory = options.keepOpen === true ? createMemory(files, schema) : undefined;
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
      await setAside(files, id, false);
    },
    setAside: async (id, aside) => {
      if (aside && (await files.list(id)).length === 0) throw new EngineError("no-run", `No run "${id}" in ${folder}.`);
      await setAside(files, id, aside);
    },
    aside: () => runsAside(files),
    stateOf: (run) => readState(reading, run),
    trajectories: (query = {}) => readTrajectories(reading, query),
    query: (sql, query = {}) => runQuery(reading, sql, query),
    list: async (sql, scope = {}) => {
      if (memory === undefined) throw notKept();
      return await listQuery({ ...reading, memory }, sql, scope);
    },
    compact: async (compact = {}) => {
      if (compact.run !== undefined) return [await compactRun(files, schema, checkRunId(compact.run), compact, now)];
      return await compactAll(files, schema, compact, now);
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

// Summaries of runs that were read before. A summary is taken from here only where the stamp of its run is still
// the one that it was read under, so that nothing here is ever the truth: what is missing, damaged or of another
// release is read again. Of a store of many runs they are kept in a file, for the next process; the last writer
// wins, and nothing is lost.

export interface RunIndex {
  /** Summaries of these runs; `read` gives those that are not known, undefined where there is no run. */
  summaries(ids: readonly string[], read: (id: string) => Promise<RunSummary | undefined>): Promise<RunSummary[]>;
}

/** Its name begins with a dot, so that it is no run. */
const INDEX_FILE = ".summaries.jsonl";
const FORMAT = 1;
/** Fewer runs are read as quickly as a file about them. */
const LEAST_RUNS = 200;
/** The file is written again when so many of its lines are out of date: one in this many. */
const STALE_SHARE = 10;
const READS_AT_ONCE = 8;
/**
 * A run that has not changed for long is looked at less and less often: after a twentieth of the time for which it is known to
 * stand still, and after so long at the latest.
 */
const SHARE_OF_REST = 20;
const LOOK_AGAIN_MS = 10_000;
/** On a slow disk or a busy machine so many times as long as a look takes. */
const LOOKS = 10;

const count = z.int().nonnegative();
const LineSchema = z.object({
  stamp: z.string(),
  summary: z.object({
    id: z.string(),
    kind: z.string(),
    createdAt: z.string(),
    config: z.record(z.string(), z.json()),
    schemaVersion: count,
    commits: count,
    segments: count,
    bytes: count,
    trajectories: count,
    steps: count,
    metrics: count,
    events: count,
  }),
});

interface Line {
  readonly stamp: string;
  readonly summary: RunSummary;
}

interface Known extends Line {
  /** When this stamp was first seen, and when last. */
  readonly since: number;
  readonly seen: number;
}

interface RunIndexOptions {
  /** Counts milliseconds from any beginning. */
  readonly now: () => number;
  /** From how many runs on there is a file. Default: 200. */
  readonly leastRuns?: number;
}

export function createRunIndex(files: Files, schema: Schema, options: RunIndexOptions): RunIndex {
  const { now, leastRuns = LEAST_RUNS } = options;
  let known = new Map<string, Known>();
  let loaded = false;
  /** How many lines of the file are out of date, or missing. */
  let stale = 0;
  /** How long the last look at stamps took. */
  let lookMs = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const release = JSON.stringify([FORMAT, Object.values(schema.tables).map(({ version }) => version)]);
  const look: RunIndex["summaries"] = async (ids, read) => {
    const at = now();
    if (!loaded && ids.length >= leastRuns) {
      for (const line of await loadIndex(files, release)) {
        // It stood still from one process to the next, if it is still the same.
        const unseen = { ...line, since: Number.NEGATIVE_INFINITY, seen: Number.NEGATIVE_INFINITY };
        if (!known.has(line.summary.id)) known.set(line.summary.id, unseen);
      }
      loaded = true;
    }
    const rests = ({ since, seen }: Known): boolean =>
      at - seen < Math.min(Math.max(LOOK_AGAIN_MS, lookMs * LOOKS), (seen - since) / SHARE_OF_REST);
    const asked = ids.filter((id) => {
      const held = known.get(id);
      return held === undefined || !rests(held);
    });
    // Before anything is read: what changes meanwhile has another stamp the next time.
    const stamps = asked.length === 0 ? undefined : await files.stamps?.(asked);
    if (asked.length > 0) lookMs = now() - at;
    const current = new Map<string, Known>();
    const found = new Map<string, RunSummary>();
    const unknown: string[] = [];
    const wanted = new Set(asked);
    for (const id of ids) {
      const held = known.get(id);
      const isAsked = wanted.has(id);
      if (held === undefined || (isAsked && held.stamp !== stamps?.get(id))) {
        unknown.push(id);
        continue;
      }
      current.set(id, isAsked ? { ...held, seen: at } : held);
      found.set(id, held.summary);
    }
    await mapLimit(unknown, READS_AT_ONCE, async (id) => {
      const [stamp, summary] = [stamps?.get(id), await read(id)];
      if (summary === undefined) return;
      found.set(id, summary);
      // What is wrong with a run may be mended in a way that no stamp shows.
      if (summary.problem !== undefined || stamp === undefined) return;
      current.set(id, { stamp, summary, since: at, seen: at });
      stale += 1;
    });
    known = current;
    if (ids.length >= leastRuns && stale > 0 && stale * STALE_SHARE >= current.size) {
      stale = 0;
      await saveIndex(files, release, current);
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  };
  return {
    summaries: (ids, read) => {
      if (ids.length < leastRuns) return look(ids, read);
      // A caller during another's look waits for it, and then has little left to read.
      const next = turn.then(() => look(ids, read));
      turn = next.catch(() => undefined);
      return next;
    },
  };
}

async function loadIndex(files: Files, release: string): Promise<Line[]> {
  // The index only saves time: without it every run is read.
  const text = await files.read(INDEX_FILE).catch(() => "");
  const end = text.indexOf("\n");
  const [head, body] = [text.slice(0, end), text.slice(end + 1)];
  if (head !== headOf(release, body)) return [];
  return body.split("\n").flatMap((line) => LineSchema.safeParse(parseJson(line)).data ?? []);
}

/** A place where nothing can be written, or a full disk, is no reason not to list runs. */
async function saveIndex(files: Files, release: string, known: ReadonlyMap<string, Known>): Promise<void> {
  const body = [...known.values()].map(({ stamp, summary }) => `${JSON.stringify({ stamp, summary })}\n`).join("");
  try {
    const scratch = await files.scratch(INDEX_FILE);
    await writeFile(scratch, `${headOf(release, body)}\n${body}`);
    await files.adopt(scratch, INDEX_FILE);
  } catch {
    // The next process reads the runs themselves.
  }
}

function headOf(release: string, body: string): string {
  return JSON.stringify({ release, sha256: createHash("sha256").update(body).digest("hex") });
}
