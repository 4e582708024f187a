/**
 * Recordings that are still open, and their way into the store. Lines come in any order and from many agents; a
 * trajectory is stored at its end line or when it has been quiet for a while. What goes on afterwards is stored as a
 * branch that continues it, and what is known already is not stored again.
 */
import { randomBytes } from "node:crypto";
import { appendFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, errorData } from "limbeck-base/base/errors";
import {
  readRecordedLine,
  type RecordedLine,
  type Feedback,
  type RecordedCall,
  type RecordedEnd,
} from "../store/formats/recorded-lines.ts";
import type { RunWriter, Store } from "../store/store.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { addFeedback } from "./feedback.ts";
import type { RecordingsSink, RecordingsStatus } from "./recordings-sink.ts";
import { storedRecordings, continuationId, type Stored } from "./stored.ts";
import { isMissing, namesIfThere, textIfThere } from "limbeck-base/base/files";
import { recordedTrajectory, type Recording } from "../store/formats/recorded-trajectory.ts";

export interface RecordingsOptions {
  readonly store: Store;
  /** Created when it does not exist. */
  readonly run: string;
  /** A trajectory that was quiet for so long is stored. Default: 60 seconds. */
  readonly idleMs?: number;
  /** Milliseconds that only grow. */
  readonly clock?: () => number;
  /** Hears what went wrong and what to do; recording goes on. */
  readonly onProblem?: (problem: string) => void;
  /** About as many bytes may wait for a store that refuses. Default: 256 MiB. */
  readonly maxWaitingBytes?: number;
}

const JOURNAL_REWRITE_BYTES = 64 * 1024 * 1024;
/** Ids stored by this process that are remembered, to recognise what goes on. */
const REMEMBERED = 20_000;

/** Another recorder may be doing the same. */
async function createOnce(store: Store, run: string): Promise<void> {
  try {
    await (await store.createRun({ id: run, kind: "record" })).close();
  } catch (error) {
    if (!["run-exists", "run-busy"].includes(errorCode(error) ?? "")) throw error;
  }
}

export class Recordings implements RecordingsSink {
  readonly #options: RecordingsOptions;
  readonly #clock: () => number;
  readonly #writer: RunWriter;
  readonly #journal: Journal;
  readonly #open = new Map<string, Open>();
  readonly #known = new Map<string, Stored>();
  #unsaved: string[] = [];
  #waitingBytes = 0;
  #stored = 0;
  #dropped = 0;
  /** With the writer, and not on disk yet. */
  #uncommitted = { trajectories: 0, bytes: 0 };
  #problem: string | undefined;
  #work: Promise<void> = Promise.resolve();

  private constructor(options: RecordingsOptions, writer: RunWriter, journal: Journal) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
    this.#writer = writer;
    this.#journal = journal;
  }

  static async open(options: RecordingsOptions): Promise<Recordings> {
    const { store, run } = options;
    const exists = (await store.runs({ only: run })).length > 0;
    if (!exists) await createOnce(store, run);
    // Several may record into one run: each commit is of whole trajectories, which are each its own.
    const writer = await store.openRun(run, { beside: true });
    const journal = await openJournal(`${store.root}/${run}`);
    const recordings = new Recordings(options, writer, journal);
    for (const line of journal.left) recordings.#recover(line);
    if (journal.left.length > 0) {
      await recordings.#save();
      await journal.forget();
    }
    // Loaded now and not with the first trajectory: that takes a moment in which nothing else is served.
    await Promise.all([import("../store/segment.ts"), storedRecordings(store, run, [""])]);
    return recordings;
  }

  /** Takes a redacted line. Never throws and never waits: `save` and `tick` do the slow part. */
  add(line: RecordedLine): void {
    const text = JSON.stringify(line);
    if (this.#waitingBytes + text.length > (this.#options.maxWaitingBytes ?? 256 * 1024 * 1024)) {
      this.#dropped += 1;
      this.#trouble(new Error("Too much waits for the store; new records are dropped. Make room on the disk."));
      return;
    }
    this.#keep(line, text.length);
    this.#unsaved.push(text);
    // With what else comes in this turn of the process, and beside the work of the store, which may take seconds.
    if (this.#unsaved.length === 1) setImmediate(() => void this.#save());
  }

  /** Writes new lines to the journal, as is done by itself after each `add`. Never throws. */
  save(): Promise<void> {
    return this.#save();
  }

  /** Stores what is over. Never throws: what the disk refuses stays, and is tried again. */
  tick(all = false): Promise<void> {
    return this.#inTurn(async () => {
      await this.#save();
      const now = this.#clock();
      const idleMs = this.#options.idleMs ?? 60_000;
      const due = [...this.#open.values()].filter(
        (open) => open.calls.length > 0 && (all || open.end !== undefined || now - open.lastMs >= idleMs),
      );
      if (due.length > 0) await this.#store(due);
      else await this.#commit();
      await this.#feedbackOnly(all);
    });
  }

  /** A finished trajectory from elsewhere (spans). The same one again is not stored again. */
  addTrajectory(trajectory: Trajectory): Promise<void> {
    return this.#inTurn(async () => {
      const known = await this.#lookUp([trajectory.id]);
      const stored = known.get(trajectory.id);
      if (stored !== undefined && stored.steps >= trajectory.steps.length) return;
      const piece = stored === undefined ? trajectory : rest(trajectory, stored);
      await this.#append(piece).catch((error: unknown) => {
        this.#dropped += 1;
        throw error;
      });
      const calls = stored?.calls ?? new Set<string>();
      this.#remember(trajectory.id, { steps: trajectory.steps.length, calls, last: piece.id });
      await this.#commit();
    });
  }

  status(): RecordingsStatus {
    return {
      open: this.#open.size,
      stored: this.#stored,
      dropped: this.#dropped,
      ...(this.#problem === undefined ? {} : { problem: this.#problem }),
    };
  }

  /** Stores everything that is open, as it stands. */
  async close(): Promise<void> {
    await this.tick(true);
    await this.#inTurn(async () => {
      await this.#commit();
    });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work).catch((error: unknown) => this.#trouble(error));
    return this.#work;
  }

  #recover(line: string): void {
    try {
      const read = readRecordedLine(JSON.parse(line), { file: "journal", line: 0 });
      this.#keep(read, line.length);
      this.#unsaved.push(line);
    } catch {
      this.#dropped += 1;
    }
  }

  #keep(line: RecordedLine, bytes: number): void {
    const open = this.#open.get(line.trajectory) ?? {
      id: line.trajectory,
      calls: [],
      feedback: [],
      lastMs: 0,
      bytes: 0,
    };
    open.lastMs = this.#clock();
    open.bytes += bytes;
    this.#waitingBytes += bytes;
    this.#open.set(line.trajectory, open);
    if (line.limbeck === "call") open.calls.push(line);
    else if (line.limbeck === "end") open.end = line;
    else {
      const { limbeck: _kind, v: _version, trajectory: _trajectory, ...feedback } = line;
      open.feedback.push(feedback);
    }
  }

  async #save(): Promise<void> {
    if (this.#unsaved.length === 0) return;
    const lines = this.#unsaved;
    this.#unsaved = [];
    try {
      await this.#journal.append(lines);
    } catch (error) {
      // They are still open in memory and reach the store when it can take them.
      const { message } = errorData(error);
      this.#trouble(
        new Error(
          `The journal cannot be written (${message}). What is recorded stays in memory: make room on the disk.`,
        ),
      );
    }
  }

  async #store(due: readonly Open[]): Promise<void> {
    const known = await this.#lookUp(due.map((open) => open.id)).catch(async () => {
      // Throws where the store answers nothing at all: then everything stays open and is tried again.
      await storedRecordings(this.#options.store, this.#options.run, [""]);
      return undefined;
    });
    for (const open of due) {
      // What comes for it from here on is a recording of its own, which is joined to this one when it is stored.
      this.#open.delete(open.id);
      try {
        await this.#storeOne(open, known ?? (await this.#lookUp([open.id])));
      } catch (error) {
        await this.#setAside(open, error).catch((second: unknown) => {
          this.#takeBack(open);
          throw second;
        });
      }
      this.#uncommitted.bytes += open.bytes;
    }
    await this.#commit();
  }

  /** Before what came for it meanwhile. */
  #takeBack(open: Open): void {
    const later = this.#open.get(open.id);
    if (later !== undefined) {
      open.calls.push(...later.calls);
      open.feedback.push(...later.feedback);
      if (later.end !== undefined) open.end = later.end;
      open.bytes += later.bytes;
    }
    this.#open.set(open.id, open);
  }

  async #storeOne(open: Open, known: ReadonlyMap<string, Stored>): Promise<void> {
    const before = known.get(open.id) ?? { steps: 0, calls: new Set<string>(), last: open.id };
    let { steps, last } = before;
    for (const trajectory of toTrajectory(open, known.get(open.id))) {
      await this.#append(trajectory);
      steps += trajectory.steps.length;
      last = trajectory.id;
    }
    const calls = new Set([...before.calls, ...open.calls.map((call) => call.call)]);
    this.#remember(open.id, { steps, last, calls });
  }

  /** What cannot be stored must not hold up the others, and must not be lost. */
  async #setAside(open: Open, error: unknown): Promise<void> {
    const file = await this.#journal.setAside(linesOf(open));
    this.#dropped += 1;
    const words = `Trajectory ${JSON.stringify(open.id)} cannot be stored: ${errorData(error).message}`;
    this.#trouble(new Error(`${words} Its records are in ${file}; limbeck import reads them.`));
  }

  /** Hands over to the writer, which keeps it through a failed commit. Throws where it does not take it at all. */
  async #append(trajectory: Trajectory): Promise<void> {
    try {
      await this.#writer.append(trajectory);
    } catch (error) {
      if (errorCode(error) === "bad-trajectory") throw error;
      this.#trouble(error);
    }
    this.#uncommitted.trajectories += 1;
  }

  async #commit(): Promise<void> {
    if (this.#uncommitted.trajectories + this.#uncommitted.bytes === 0) return;
    await this.#writer.commit();
    this.#problem = undefined;
    this.#stored += this.#uncommitted.trajectories;
    this.#waitingBytes -= this.#uncommitted.bytes;
    this.#uncommitted = { trajectories: 0, bytes: 0 };
    const left = [...this.#open.values()];
    if (left.length === 0) await this.#journal.replace([]);
    else if (this.#journal.bytes > JOURNAL_REWRITE_BYTES) await this.#journal.replace(left.flatMap(linesOf));
  }

  /** Feedback whose trajectory is stored already, here or in another run. */
  async #feedbackOnly(all: boolean): Promise<void> {
    for (const open of this.#open.values()) {
      if (open.calls.length > 0 || (open.feedback.length === 0 && !all)) continue;
      const { store } = this.#options;
      const missing: string[] = [];
      for (const feedback of open.feedback) {
        await addFeedback(store, open.id, feedback).catch((error: unknown) => missing.push(errorData(error).message));
      }
      if (missing.length > 0 && !all && this.#clock() - open.lastMs < (this.#options.idleMs ?? 60_000)) continue;
      for (const message of missing) this.#options.onProblem?.(message);
      this.#dropped += missing.length;
      this.#waitingBytes -= open.bytes;
      this.#open.delete(open.id);
    }
  }

  async #lookUp(ids: readonly string[]): Promise<Map<string, Stored>> {
    const unknown = ids.filter((id) => !this.#known.has(id));
    const found = await storedRecordings(this.#options.store, this.#options.run, unknown);
    for (const [id, stored] of found) this.#remember(id, stored);
    return new Map(ids.flatMap((id) => (this.#known.has(id) ? [[id, this.#known.get(id) as Stored]] : [])));
  }

  #remember(id: string, stored: Stored): void {
    this.#known.delete(id);
    this.#known.set(id, stored);
    const [oldest] = this.#known.keys();
    if (this.#known.size > REMEMBERED && oldest !== undefined) this.#known.delete(oldest);
  }

  #trouble(error: unknown): void {
    const { message } = errorData(error);
    if (message !== this.#problem) this.#options.onProblem?.(message);
    this.#problem = message;
  }
}

// What was recorded and is not in the store yet, as lines of a file, so that a killed process loses nothing. One file for each
// process; the next process to record into the run takes over those of dead ones. Only redacted lines get here.

interface Journal {
  /** Lines that dead processes left; their files are gone once `forget` was called. */
  readonly left: readonly string[];
  /** Appends, in order. Rejects when the disk refuses; the lines are then only in memory. */
  append(lines: readonly string[]): Promise<void>;
  /** Everything so far is stored: starts afresh with what is still open. */
  replace(open: readonly string[]): Promise<void>;
  forget(): Promise<void>;
  /** Appends lines that cannot be stored to a file that no process takes over. Gives its path. */
  setAside(lines: readonly string[]): Promise<string>;
  readonly bytes: number;
}

const NAME = /^journal-(\d+)-[0-9a-f]+\.calls\.jsonl$/;
/** What this process took over: its number stands in their names, as in those of a dead process that had the same number. */
const takenHere = new Set<string>();

export async function openJournal(folder: string): Promise<Journal> {
  const own = join(folder, `journal-${process.pid}-${Math.trunc(performance.timeOrigin).toString(16)}.calls.jsonl`);
  const names = ((await namesIfThere(folder)) ?? []).filter((name) => isLeft(name));
  const files: string[] = [];
  const left: string[] = [];
  for (const file of names.map((name) => join(folder, name)).filter((path) => path !== own && !takenHere.has(path))) {
    // Renamed first: of two that find it, only one takes it over.
    const taken = join(folder, `journal-${process.pid}-${randomBytes(6).toString("hex")}.calls.jsonl`);
    takenHere.add(taken);
    const isMine = await rename(file, taken).then(
      () => true,
      (error: unknown) => {
        if (!isMissing(error)) throw error;
        return false;
      },
    );
    if (!isMine) continue;
    files.push(taken);
    left.push(...(await wholeLines(taken)));
  }
  let bytes = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const next = turn.then(work);
    // Its caller gets the failure; the next one's turn comes all the same.
    turn = next.catch(() => undefined);
    return next;
  };
  return {
    left,
    get bytes() {
      return bytes;
    },
    append: (lines) =>
      inTurn(async () => {
        const text = lines.map((line) => `${line}\n`).join("");
        await mkdir(folder, { recursive: true });
        await appendFile(own, text, { mode: 0o600 });
        bytes += text.length;
      }),
    replace: (open) =>
      inTurn(async () => {
        const text = open.map((line) => `${line}\n`).join("");
        bytes = text.length;
        if (text === "") await rm(own, { force: true });
        else await writeFile(own, text, { mode: 0o600 });
      }),
    forget: () =>
      inTurn(async () => {
        for (const file of files) {
          await rm(file, { force: true });
          takenHere.delete(file);
        }
      }),
    setAside: async (lines) => {
      const file = join(folder, "set-aside.calls.jsonl");
      await inTurn(() => appendFile(file, lines.map((line) => `${line}\n`).join(""), { mode: 0o600 }));
      return file;
    },
  };
}

/** A journal whose process is gone. A process that took over its number only delays the rescue. */
function isLeft(name: string): boolean {
  const pid = Number(NAME.exec(name)?.[1] ?? 0);
  if (pid === 0 || pid === process.pid) return pid !== 0;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** Whole lines only: the last one of a killed process may be half. */
async function wholeLines(file: string): Promise<string[]> {
  const text = (await textIfThere(file)) ?? "";
  return text.split("\n").slice(0, -1);
}

// One recording that is still open: its lines so far, and the trajectory they make.

interface Open {
  readonly id: string;
  readonly calls: RecordedCall[];
  readonly feedback: Feedback[];
  end?: RecordedEnd;
  lastMs: number;
  bytes: number;
}

function linesOf(open: Open): string[] {
  const feedback = open.feedback.map((item) => ({ limbeck: "feedback", v: 1, trajectory: open.id, ...item }));
  return [...open.calls, ...feedback, ...(open.end === undefined ? [] : [open.end])].map((line) =>
    JSON.stringify(line),
  );
}

/** Nothing where every call is stored already; the rest as a branch where some are. */
function toTrajectory(open: Open, stored: Stored | undefined): Trajectory[] {
  const { id, end, feedback } = open;
  const calls = open.calls.filter((call) => stored?.calls.has(call.call) !== true);
  if (calls.length === 0) return [];
  const recording: Recording = {
    id: stored === undefined ? id : continuationId(id, stored.steps),
    calls,
    feedback,
    ...(end === undefined ? {} : { end }),
    ...(stored === undefined ? {} : { continues: { trajectory: stored.last, steps: stored.steps } }),
  };
  return [recordedTrajectory(recording)];
}

function rest(trajectory: Trajectory, stored: Stored): Trajectory {
  return {
    ...trajectory,
    id: continuationId(trajectory.id, stored.steps),
    parent: { trajectory: stored.last, step: stored.steps },
    steps: trajectory.steps.slice(stored.steps),
  };
}
