/**
 * Session files as they come and grow. The system's events say where to look; whole looks in between find what they miss: network
 * drives tell nothing, and there are only so many watches. A file is given once it has rested, so that lines are seldom half-written.
 */
import { watch as watchFolder, type FSWatcher } from "node:fs";

import { dirname, join, relative, sep } from "node:path";
import { statIfThere } from "limbeck-base/base/files";
import { errorData } from "limbeck-base/base/errors";
import type { SessionSource } from "../../store/formats/source.ts";
import { sessionFiles } from "../../store/formats/detect.ts";

export interface FollowedFolder {
  readonly importer: SessionSource;
  readonly folder: string;
}

export interface SessionFile {
  readonly importer: SessionSource;
  readonly path: string;
  readonly bytes: number;
  /** Size and time of the last change: another one means that it has to be read again. */
  readonly stamp: string;
}

export interface SessionFilesOptions {
  /** The stamp that each file had when it was read. */
  readonly known: (path: string) => string | undefined;
  /** A file that has not changed for so long is read. */
  readonly settleMs: number;
  /** Between two whole looks. */
  readonly everyMs: number;
  readonly signal: AbortSignal;
  /** What could not be looked at or watched; it goes on. */
  readonly onProblem?: (path: string, problem: string) => void;
  /** Default: the system's. */
  readonly watch?: typeof watchFolder;
}

/** A file that never rests is read after so many times the rest that is wanted. */
const PATIENCE = 10;
/** Watches are scarce: many systems give 8,192 to all programs together. */
const MOST_WATCHED = 512;
const MOST_TOUCHED = 1_000;
/** Files given at a time; what was read of them is noted before the next. */
const MOST_AT_ONCE = 20;
/** Events come in flocks. */
const LEAST_MS = 20;

interface Pending extends SessionFile {
  /** When it was first seen changed, and first seen with this stamp. */
  readonly since: number;
  readonly at: number;
}

export class SessionFiles {
  readonly #folders: readonly FollowedFolder[];
  readonly #options: SessionFilesOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #unwatched = new Set<string>();
  readonly #pending = new Map<string, Pending>();
  readonly #touched = new Map<string, FollowedFolder>();
  #whole = true;
  #wake: (() => void) | undefined;

  constructor(folders: readonly FollowedFolder[], options: SessionFilesOptions) {
    this.#folders = folders;
    this.#options = options;
  }

  /** What is there now and was not read yet, rested or not. */
  async *now(): AsyncGenerator<readonly SessionFile[], void, undefined> {
    for (const followed of this.#folders) await this.#lookAt(followed);
    yield* this.#ready(true);
  }

  /** Until the signal: what is there, then what changes. */
  async *follow(): AsyncGenerator<readonly SessionFile[], void, undefined> {
    const { signal, everyMs, settleMs } = this.#options;
    const stop = (): void => this.#wake?.();
    signal.addEventListener("abort", stop);
    let looked = 0;
    try {
      while (!signal.aborted) {
        if (this.#whole || performance.now() - looked >= everyMs) {
          this.#whole = false;
          this.#touched.clear();
          for (const followed of this.#folders) await this.#lookAt(followed, true);
          looked = performance.now();
        } else await this.#lookAtTouched();
        yield* this.#ready(false);
        if (signal.aborted) return;
        const rest = this.#pending.size > 0 ? settleMs : everyMs - (performance.now() - looked);
        const told = await this.#pause(Math.max(LEAST_MS, rest), true);
        if (told) await this.#pause(Math.max(LEAST_MS, settleMs), false);
      }
    } finally {
      signal.removeEventListener("abort", stop);
      for (const watcher of this.#watchers.values()) watcher.close();
      this.#watchers.clear();
    }
  }

  /** Whether an event ended it. */
  async #pause(ms: number, forEvents: boolean): Promise<boolean> {
    if (this.#options.signal.aborted) return false;
    if (forEvents && (this.#whole || this.#touched.size > 0)) return true;
    return await new Promise<boolean>((resolve) => {
      const end = (told: boolean): void => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve(told);
      };
      const timer = setTimeout(() => end(false), ms);
      this.#wake = () => {
        if (forEvents || this.#options.signal.aborted) end(true);
      };
    });
  }

  async #lookAt(followed: FollowedFolder, watching = false): Promise<void> {
    const places = new Map<string, number>();
    try {
      for await (const path of sessionFiles(followed.importer, followed.folder)) {
        const changed = await this.#note(followed, path);
        if (watching) {
          for (let place = dirname(path); ; place = dirname(place)) {
            places.set(place, Math.max(places.get(place) ?? 0, changed));
            if (place.length <= followed.folder.length) break;
          }
        }
        if (this.#options.signal.aborted) return;
      }
    } catch (error) {
      const { code, message } = errorData(error);
      // An empty folder is nothing to speak of: sessions will come.
      if (code !== "no-files" && code !== "file-missing") this.#options.onProblem?.(followed.folder, message);
    }
    if (!watching) return;
    places.set(followed.folder, Number.POSITIVE_INFINITY);
    // Those that changed last are those that go on.
    for (const [place] of [...places].sort(([, one], [, other]) => other - one)) this.#watch(followed, place);
  }

  #watch(followed: FollowedFolder, place: string): void {
    if (this.#watchers.has(place) || this.#unwatched.has(place) || this.#watchers.size >= MOST_WATCHED) return;
    const fail = (error: unknown): void => {
      this.#watchers.get(place)?.close();
      this.#watchers.delete(place);
      if (this.#unwatched.size < MOST_WATCHED) this.#unwatched.add(place);
      this.#options.onProblem?.(
        place,
        `the system tells nothing of it (${errorData(error).message}); it is looked at every ${this.#options.everyMs / 1000} s`,
      );
    };
    const { watch = watchFolder } = this.#options;
    try {
      const watcher = watch(place, { persistent: false }, (_, name) => {
        if (name === null || this.#touched.size >= MOST_TOUCHED) this.#whole = true;
        else this.#touched.set(join(place, name), followed);
        this.#wake?.();
      });
      watcher.on("error", fail);
      this.#watchers.set(place, watcher);
      // What was written after the look and before the watch would never be noticed.
      this.#whole = true;
    } catch (error) {
      fail(error);
    }
  }

  async #lookAtTouched(): Promise<void> {
    const touched = [...this.#touched];
    this.#touched.clear();
    for (const [path, followed] of touched) {
      const about = await statIfThere(path);
      // A new folder, or one that is gone with all that is watched in it.
      if (about === undefined || about.isDirectory()) this.#whole ||= this.#watchers.has(path) || about !== undefined;
      else if (followed.importer.files.test(relative(followed.folder, path).split(sep).join("/")))
        await this.#note(followed, path);
    }
    for (const { importer, path } of this.#pending.values()) await this.#note({ importer, folder: "" }, path);
  }

  /** When it changed last; 0 where it is gone. */
  async #note({ importer }: FollowedFolder, path: string): Promise<number> {
    const about = await statIfThere(path);
    const stamp = about?.isFile() === true ? `${about.size}:${about.mtimeMs}` : undefined;
    if (about === undefined || stamp === undefined || stamp === this.#options.known(path)) {
      this.#pending.delete(path);
      return about?.mtimeMs ?? 0;
    }
    const before = this.#pending.get(path);
    const at = performance.now();
    const file = { importer, path, bytes: about.size, stamp };
    if (before === undefined) {
      const age = Math.max(0, Date.now() - about.mtimeMs);
      this.#pending.set(path, { ...file, since: at, at: at - age });
    } else if (before.stamp !== stamp) this.#pending.set(path, { ...file, since: before.since, at });
    return about.mtimeMs;
  }

  *#ready(all: boolean): Generator<readonly SessionFile[], void, undefined> {
    const { settleMs, signal } = this.#options;
    const now = performance.now();
    const rested = [...this.#pending.values()].filter(
      ({ at, since }) => all || now - at >= settleMs || now - since >= PATIENCE * settleMs,
    );
    for (let from = 0; from < rested.length && !signal.aborted; from += MOST_AT_ONCE) {
      const batch = rested.slice(from, from + MOST_AT_ONCE);
      for (const { path } of batch) this.#pending.delete(path);
      yield batch;
    }
  }
}
