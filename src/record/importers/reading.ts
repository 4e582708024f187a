/**
 * The engine under every importer: files one after the other, values one at a time, secrets taken out before anything is made
 * of a value, faults with file and line. Memory is bounded by one session.
 */
import { opendir, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { EngineError, isObject, throwIfAborted } from "../../base/index.ts";
import { trajectoryFromJson, trajectoryToJson, type JsonObject, type Trajectory } from "../../trajectory/index.ts";
import { quote, readError } from "../../store/formats/bytes.ts";
import { attempt, faultAt, skipOrThrow, type FileLine } from "../../store/formats/fault.ts";
import type { Format, ReadOptions } from "../../store/formats/format.ts";
import { createUnique } from "../../store/formats/identity.ts";
import { readJsonValues } from "../../store/formats/json-values.ts";
import { sayRenamed } from "../../store/formats/renamed.ts";
import { createRedactor, type Redactor } from "../recorder/redact.ts";
import type { FileReader, Importer, Session } from "./importer.ts";

/** What one file may hold that is read as one session; more is left out, with a notice. */
const MAX_SESSION_BYTES = 512 * 1024 * 1024;

/** An importer as a format that is read only. */
export function importerFormat(importer: Importer, redactor: Redactor = createRedactor()): Format {
  return {
    id: importer.id,
    summary: `${importer.title}: ${importer.reads}`,
    extensions: [],
    readOnly: true,
    loses: "it is not written",
    read: (path, options) => readImported(importer, redactor, path, options),
    write: () =>
      Promise.reject(
        new EngineError("read-only-format", `Nothing is written as ${importer.id}; it is read only. Export "atif".`),
      ),
  };
}

async function* readImported(
  importer: Importer,
  redactor: Redactor,
  path: string,
  options: ReadOptions,
): AsyncGenerator<Trajectory, void, undefined> {
  const unique = createUnique();
  const give = function* (sessions: readonly Session[], place: FileLine): Generator<Trajectory, void, undefined> {
    for (const session of sessions) {
      throwIfAborted(options.signal);
      if (session.empty) continue;
      const given = session.id;
      session.id = unique(given);
      if (session.id !== given) sayRenamed(given, session.id, place, options);
      yield* attempt(place, options, () => finished(session, place)) ?? [];
    }
  };
  let reader: FileReader | undefined;
  let place: FileLine = { file: path, line: 1 };
  let done = 0;
  for await (const file of importedFiles(importer, path)) {
    let here = 0;
    const onProgress = (bytes: number): void => {
      here = bytes;
      options.onProgress?.(done + bytes);
    };
    place = { file, line: 1 };
    if (reader !== undefined && importer.joinsFiles !== true) reader = undefined;
    reader ??= importer.open(file);
    let full = false;
    for await (const { value, line } of readJsonValues(file, importer.elements ?? [], { ...options, onProgress })) {
      place = { file, line };
      if (full) continue;
      full = here > MAX_SESSION_BYTES && importer.elements === undefined && importer.joinsFiles !== true;
      if (full)
        skipOrThrow(
          faultAt(
            place,
            "line-too-long",
            `the session goes on after ${MAX_SESSION_BYTES} bytes; the rest is left out.`,
          ),
          place,
          options,
        );
      const clean = await cleanValue(importer, redactor, value, place, options);
      if (clean === undefined) continue;
      const own: FileReader = reader;
      const whole = attempt(place, options, () => asFault(place, () => own.add(clean)));
      yield* give(whole ?? [], place);
    }
    done += here;
    if (importer.joinsFiles !== true) yield* give(ended(reader, place, options), place);
  }
  if (importer.joinsFiles === true && reader !== undefined) yield* give(ended(reader, place, options), place);
}

async function cleanValue(
  importer: Importer,
  redactor: Redactor,
  value: unknown,
  place: FileLine,
  options: ReadOptions,
): Promise<JsonObject | undefined> {
  const clean = attempt(place, options, () => {
    if (!isObject(value)) throw faultAt(place, "bad-recording", `not a record of ${importer.title}: it is no object.`);
    return redactor.object(value);
  });
  if (clean === undefined || importer.gather === undefined) return clean;
  return redactor.object(await importer.gather(clean, place.file));
}

function ended(reader: FileReader, place: FileLine, options: ReadOptions): readonly Session[] {
  return attempt(place, options, () => asFault(place, () => reader.end())) ?? [];
}

/** What the reader cannot use is a fault of the file; anything else is one of ours. */
function asFault(place: FileLine, work: () => readonly Session[] | void): readonly Session[] {
  try {
    return work() ?? [];
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw faultAt(place, "bad-recording", `${error.message}.`);
  }
}

/** Nothing that breaks the schema is stored, whatever stands in a file. */
function finished(session: Session, place: FileLine): Trajectory[] {
  try {
    return session.finish().map((trajectory) => trajectoryFromJson(trajectoryToJson(trajectory)));
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw faultAt(place, "bad-trajectory", error.message);
  }
}

/** The file itself, or the importer's files below a folder, folder by folder in the order of their names. */
export async function* importedFiles(importer: Importer, path: string): AsyncGenerator<string, void, undefined> {
  const about = await stat(path).catch((error: unknown) => {
    throw readError(path, error);
  });
  if (!about.isDirectory()) {
    yield path;
    return;
  }
  let found = 0;
  for await (const file of below(path)) {
    if (!importer.files.test(relative(path, file).split(sep).join("/"))) continue;
    found += 1;
    yield file;
  }
  if (found > 0) return;
  throw new EngineError("no-files", `Folder ${quote(path)} holds no file of ${importer.title}.`, {
    details: { file: path },
  });
}

async function* below(folder: string): AsyncGenerator<string, void, undefined> {
  const entries = [];
  for await (const entry of await opendir(folder)) entries.push(entry);
  entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isFile()) yield path;
    else if (entry.isDirectory()) yield* below(path);
  }
}
