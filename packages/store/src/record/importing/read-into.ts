/** Reading files into a run: counts, progress, what was skipped, and what happened when it stopped. */
import { createHash } from "node:crypto";
import { basename, relative } from "node:path";
import { sum } from "limbeck-base/base/statistics/summary";
import { throwIfAborted } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { plural } from "limbeck-base/base/units";
import { plainPieces } from "limbeck-base/base/plain-file";
import { placeFor, withRun } from "../../store/with-run.ts";
import { filesBelow } from "../../store/formats/detect.ts";
import { keepsSessions, type ReadOptions, type Skip } from "../../store/formats/source.ts";
import type { RunWriter, Store } from "../../store/store.ts";
import type { Imported, ImportContext, ImportInput } from "../import.inputs.ts";
import { findSources, givenRedactor, type FoundSource } from "./find-sources.ts";
import { SessionKeeper } from "./session-keeper.ts";

/** A file of a million bad lines must not fill the memory or the screen. */
const KEPT_SKIPS = 10;

/** Files after which a long import notes what it has read. */
const STATE_FILES = 100;

/** What came of it; undefined where the person refused. */
export async function importInto(input: ImportInput, context: ImportContext): Promise<Imported | undefined> {
  const redactor = givenRedactor(input);
  const found = await findSources(input, context);
  if (found === null) {
    context.show.declined();
    return undefined;
  }
  await context.need(found.some(({ source }) => source.id === "parquet") ? ["duckdb"] : []);
  const counts = { files: 0, trajectories: 0, steps: 0, tokens: 0, skipped: 0, renamed: 0, unchanged: 0, continued: 0 };
  const imported: Imported = { ...counts, skips: [], known: [] };
  // Of many files the first few.
  const files = found.slice(0, 100).map(({ path }) => basename(path));
  const formats = [...new Set(found.map(({ source }) => source.id))];
  await withRun(context, {
    place: placeFor(context, input.run),
    begin: { kind: "import", config: { files, formats } },
    collect: async (writer, store) => {
      const before = input.again ? new Map<string, string>() : await runsByKey(store, writer.run);
      const sessions = found.some(({ source }) => keepsSessions(source));
      const keeper = sessions ? await SessionKeeper.open(store, writer, input.again) : undefined;
      const options = readOptions(input, context, imported);
      try {
        await readInto(context, writer, found, { imported, before, keeper, options: { ...options, redactor } });
      } finally {
        await keeper?.close();
      }
    },
    // What was continued lies in the runs that held it.
    stored: () => imported.trajectories - imported.continued,
    say: (end) => {
      const { run, fault, durationMs, committed: trajectories } = end;
      const { skips: _, ...read } = { ...imported, ...withoutUndefined({ trajectories }) };
      context.emit({ event: "end", run, ...read, complete: fault === undefined, durationMs });
      context.show.ended(imported, end);
    },
    reportsStop: true,
  });
  return imported;
}

function readOptions(input: ImportInput, { emit, signal }: ImportContext, imported: Imported): ReadOptions {
  const { lenient, from, maxLineBytes } = input;
  return {
    // A session may be written to while it is read: its last line is then half a line.
    lenient: lenient || from !== undefined,
    signal,
    onSkip: (skip: Skip) => {
      imported.skipped += 1;
      if (imported.skips.length < KEPT_SKIPS) imported.skips.push(skip);
      emit({ event: "skip", ...skip });
    },
    onNotice: (notice: Skip) => {
      imported.renamed += 1;
      emit({ event: "rename", ...notice });
    },
    ...withoutUndefined({ maxLineBytes }),
  };
}

interface Reading {
  readonly imported: Imported;
  /** The run that holds each file, by its key. */
  readonly before: ReadonlyMap<string, string>;
  readonly keeper: SessionKeeper | undefined;
  readonly options: ReadOptions;
}

/**
 * Reads until the end or the first fault; what came before it is whole and valid. Files that runs of `before` hold, and
 * files that were given twice, are left out.
 */
async function readInto(
  context: ImportContext,
  writer: RunWriter,
  found: readonly FoundSource[],
  { imported, before, keeper, options }: Reading,
): Promise<void> {
  const name = found.length === 1 ? basename(found[0]?.path ?? "") : plural(found.length, "file");
  const total = sum(found.map(({ bytes }) => bytes));
  const progress = context.progress({ label: `Importing ${name}`, total, unit: "bytes" });
  try {
    let done = 0;
    const read = new Map<string, string>();
    const note = (): void => writer.setState({ imported: [...read.keys()] });
    for (const { path, bytes, source } of found) {
      const key = await keyOf(path, source.id);
      const run = read.get(key) ?? before.get(key);
      if (run !== undefined) {
        imported.known.push({ path, run });
        done += bytes;
        continue;
      }
      const onProgress = (here: number): void =>
        progress.update(done + here, plural(imported.trajectories, "trajectory", "trajectories"));
      for await (const trajectory of source.read(path, { ...options, onProgress })) {
        const keeps = keepsSessions(source) && keeper !== undefined;
        const kept = keeps ? await keeper.keep(trajectory) : trajectory;
        if (!keeps) await writer.append(trajectory);
        if (kept === undefined) imported.unchanged += 1;
        else {
          imported.trajectories += 1;
          imported.steps += kept.steps.length;
          imported.tokens += sum(kept.streams.map(({ ids }) => ids.length));
          if (kept.id !== trajectory.id) imported.continued += 1;
        }
        throwIfAborted(context.signal);
      }
      done += bytes;
      imported.files += 1;
      read.set(key, writer.run);
      // Written out each time; ten thousand files must not mean ten thousand growing lists.
      if (read.size % STATE_FILES === 0 || read.size < STATE_FILES) note();
    }
    if (read.size > 0) note();
  } finally {
    progress.end();
  }
}

/** The content of a file or a folder, and the format it is read by: another format gives other trajectories. */
async function keyOf(path: string, format: string): Promise<string> {
  const hash = createHash("sha256").update(format);
  const files: string[] = [];
  for await (const file of filesBelow(path)) files.push(file);
  for (const file of files.sort()) {
    hash.update(`\0${relative(path, file)}\0`);
    for await (const chunk of await plainPieces(file)) hash.update(chunk as Buffer);
  }
  return hash.digest("hex");
}

/** The run that holds each key. */
async function runsByKey(store: Store, except: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const { id, kind, problem } of await store.runs({ remembered: true })) {
    if (kind !== "import" || id === except || problem !== undefined) continue;
    // A run whose state cannot be read holds nothing; at worst a session is offered again.
    const keys = (await store.stateOf(id).catch(() => undefined))?.["imported"];
    for (const key of Array.isArray(keys) ? keys : [])
      if (typeof key === "string" && !found.has(key)) found.set(key, id);
  }
  return found;
}
