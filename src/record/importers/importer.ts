/** The contract of an importer: one program's files as sessions, read as a stream. `reading.ts` is the engine under all. */
import type { JsonObject, Trajectory } from "../../trajectory/index.ts";
import type { JsonPath } from "../../store/formats/json-stream.ts";

export interface Importer {
  readonly id: string;
  /** The program, as people call it. */
  readonly title: string;
  /** Which versions of the format were read, and where it is described. */
  readonly versions: string;
  /** What becomes of it, in words. */
  readonly reads: string;
  /** What is not read, in words. */
  readonly leaves: string;
  /** Where the program keeps its files. Default: nowhere in particular; the files are named. */
  readonly folders?: (at: Places) => readonly string[];
  /** Which files below a folder are its files: their path from there, with forward slashes. */
  readonly files: RegExp;
  /** What the beginning of a file shows. */
  readonly sign: RegExp;
  /** The elements that a document is cut into. Default: it is read whole. */
  readonly elements?: JsonPath;
  /** Puts together what lies in several files. Default: a value is what its file says. */
  readonly gather?: (value: JsonObject, file: string) => Promise<JsonObject>;
  /** Files of a folder belong together, so that one reader reads them all. Default: each file has its own. */
  readonly joinsFiles?: boolean;
  /** A reader for one file. */
  readonly open: (file: string) => FileReader;
}

/** What a place on this machine depends on. */
export interface Places {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
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
