/** The contract of a source: trajectories from files of one kind, and for interchange formats back into them. */
import type { Redactor } from "limbeck-recorder/redact";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";

export interface Source {
  readonly id: string;
  /** What is read, in one sentence. */
  readonly summary: string;
  /** Names of files that are of this kind whatever they hold. Default: none. */
  readonly ending?: RegExp;
  /** What the beginning of a file shows. */
  readonly sign: RegExp;
  /** What does not survive an export, in words; empty when everything does. */
  readonly loses: string;
  /** Streams: memory does not grow with the file. Paths may be a file or, where the source says so, a folder. */
  read(path: string, options: ReadOptions): AsyncIterable<Trajectory>;
  /**
   * Writes next to the target and renames, so that a failed export leaves no half file. Returns what it wrote. Default: it is
   * only read.
   */
  readonly write?: (path: string, trajectories: AsyncIterable<Trajectory>, options: WriteOptions) => Promise<Written>;
}

/** A source that is written too. */
export interface Format extends Source {
  readonly write: NonNullable<Source["write"]>;
}

export interface Written {
  readonly trajectories: number;
  readonly bytes: number;
}

/** The files of a program that keeps sessions; they are only read. */
export interface SessionSource extends Source {
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
  /** Files of a folder belong together, so that one reader reads them all. Default: each file has its own. */
  readonly joinsFiles?: boolean;
}

export function keepsSessions(source: Source): source is SessionSource {
  return "files" in source;
}

/** What a place on this machine depends on. */
export interface Places {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
}

export interface ReadOptions {
  /** Called for what is skipped when `lenient`; otherwise the first fault is thrown. */
  readonly lenient?: boolean;
  readonly onSkip?: (skip: Skip) => void;
  /** Called for what was kept but changed: a second trajectory of the same id gets a new one. */
  readonly onNotice?: (notice: Skip) => void;
  /** Bytes read so far, for a progress bar. */
  readonly onProgress?: (bytes: number) => void;
  readonly signal?: AbortSignal;
  /** Takes out of sessions what must not be stored. Default: the usual patterns. */
  readonly redactor?: Redactor;
  /** Longest line accepted, in bytes. */
  readonly maxLineBytes?: number;
}

/** One thing an import left out or changed: where, and why. */
export interface Skip {
  readonly file: string;
  readonly line?: number;
  readonly code: string;
  readonly message: string;
}

export interface WriteOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (trajectories: number) => void;
  /** Replaces an existing target. Default: that is refused. */
  readonly overwrite?: boolean;
  /** Whether spans carry the texts of messages, tools and tasks (OpenTelemetry only). Default: true. */
  readonly content?: boolean;
}
