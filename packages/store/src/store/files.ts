/**
 * The few file operations the store needs. Paths are relative to the store and use "/". An object store can offer all
 * of them: `putIfAbsent` is a conditional put, everything else is plain.
 */
export interface Files {
  /** Names directly inside a folder; empty when the folder does not exist. */
  list(folder: string): Promise<string[]>;
  /** Paths of all files below a folder, however deep; none when the folder does not exist. */
  all(folder: string): Promise<string[]>;
  /** The text of a file. Fails with the code "ENOENT" when there is none. */
  read(path: string): Promise<string>;
  /** Size and age; undefined when there is no such file. */
  stat(path: string): Promise<{ readonly bytes: number; readonly modifiedMs: number } | undefined>;
  /** SHA-256 of what it holds, in hexadecimal digits; undefined when there is no such file. */
  digest(path: string): Promise<string | undefined>;
  /** Writes under a new name, durably. The name is not used by anyone else. */
  put(path: string, bytes: Uint8Array): Promise<void>;
  /**
   * Creates the file whole and durably, or returns false when it exists already. Never replaces, never half. Fails with the
   * code "outcome-unknown" when it may be there or may still come.
   */
  putIfAbsent(path: string, bytes: Uint8Array): Promise<boolean>;
  /** A small file that may change: its text, the tag of this version, and its age by the clock of the place. */
  look(path: string): Promise<Looked | undefined>;
  /** Replaces the file if it is still of this version. The new version; undefined when another writer was faster, or it is gone. */
  exchange(path: string, bytes: Uint8Array, version: string): Promise<string | undefined>;
  /** Appends text; only for files that people tail. */
  append(path: string, text: string): Promise<void>;
  /** A missing file is no error. */
  remove(path: string): Promise<void>;
  /** Takes a whole folder out of sight, then removes it. */
  removeFolder(path: string): Promise<void>;
  /** Where DuckDB finds the file, on this machine. */
  location(path: string): string;
  /** The file's name in messages. */
  address(path: string): string;
  /** A local file that a program may write and `adopt` then publishes under its name, durably. */
  scratch(path: string): Promise<string>;
  adopt(scratch: string, path: string): Promise<void>;
  /** Sizes of the files directly inside a folder, where that costs less than to ask for each. */
  sizes?(folder: string): Promise<ReadonlyMap<string, number>>;
  /**
   * Of these runs a text that changes whenever something of them is added or taken away, where that costs less than to read
   * them. Runs without such a text, or without one yet, are left out.
   */
  stamps?(runs: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Of files that are elsewhere: what of them is on this machine, where `location` says. */
  readonly copies?: Copies;
  /** Fails where the place does not keep what `putIfAbsent` promises; asked before anything is written. */
  check?(): Promise<void>;
}

export interface Looked {
  readonly text: string;
  readonly version: string;
  readonly ageMs: number;
}

export interface Copies {
  has(path: string): Promise<boolean>;
  /** Takes the file here unless it is; false when there is no such file. */
  fetch(path: string): Promise<boolean>;
  drop(path: string): Promise<void>;
}

/** Readers ignore names with this prefix, in every folder of the store. */
export const TEMPORARY_PREFIX = ".tmp-";
