/**
 * The engine under every importer: files one after the other, values one at a time, secrets taken out before anything is made
 * of a value, faults with file and line. Memory is bounded by one session.
 */
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import { isObject, type JsonObject } from "limbeck-base/base/json";
import { trajectoryFromJson, trajectoryToJson } from "limbeck-base/trajectory/schema";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { sessionFiles } from "../../store/formats/detect.ts";
import { attempt, faultAt, skipOrThrow, type FileLine } from "../../store/formats/fault.ts";
import type { JsonPath } from "../../store/formats/json-stream.ts";
import type { ReadOptions, SessionSource } from "../../store/formats/source.ts";
import { createUnique } from "../../store/formats/identity.ts";
import { readJsonValues } from "../../store/formats/json-values.ts";
import { sayRenamed } from "../../store/formats/renamed.ts";
import { createRedactor, type Redactor } from "limbeck-recorder/redact";

/** What one file may hold that is read as one session; more is left out, with a notice. */
const MAX_SESSION_BYTES = 512 * 1024 * 1024;

/** How the sessions of a program are read. */
export interface SessionReading extends Omit<SessionSource, "summary" | "loses" | "read"> {
  /** The elements that a document is cut into. Default: it is read whole. */
  readonly elements?: JsonPath;
  /** Puts together what lies in several files. Default: a value is what its file says. */
  readonly gather?: (value: JsonObject, file: string) => Promise<JsonObject>;
  /** A reader for one file. */
  readonly open: (file: string) => FileReader;
}

export interface FileReader {
  /**
   * One value of the file, secrets taken out. Gives what is whole by now. Throws a TypeError with the reason where the value is
   * not of this format; then it has changed nothing.
   */
  add(value: JsonObject): readonly Session[] | void;
  /** The file has ended: what is left. */
  end(): readonly Session[];
}

/** A session that is whole; `Draft` is the usual one. */
export interface Session {
  /** Taken by another session of the import, it gets a new one. */
  id: string;
  readonly empty: boolean;
  finish(): Trajectory[];
}

export function sessionSource(reading: SessionReading): SessionSource {
  const { title, reads } = reading;
  const summary = `${title}: ${reads}`;
  return { ...reading, summary, loses: "it is not written", read: (path, given) => readSessions(reading, path, given) };
}

async function* readSessions(
  importer: SessionReading,
  path: string,
  { redactor = createRedactor(), ...options }: ReadOptions,
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
  for await (const file of sessionFiles(importer, path)) {
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
  importer: SessionReading,
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
