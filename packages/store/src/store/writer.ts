/**
 * Buffers rows of one run and commits them together, only on `commit`. A buffer that grows large is written out to
 * segments that no commit names yet, so that one commit may be of any size.
 */
import { randomBytes, createHash } from "node:crypto";
import { EngineError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { createLogger, fileLog, type Logger } from "limbeck-base/base/log";
import type { JsonObject } from "limbeck-base/base/json";
import type { Reward, Trajectory } from "limbeck-base/trajectory/trajectory";
import { segmentPath, type Segment } from "./commit-format.ts";
import { appendCommit, highestNumber, settleCommit, wasCommitted, type Content, type Doubt } from "./commit-log.ts";
import { checkMetrics, checkReward, checkTrajectory } from "./check.ts";
import { jsonCell, rewardRow, rowBytes, trajectoryRows, piecesOf } from "./encode.ts";
import type { Files } from "./files.ts";
import { lockRun, type RunLock } from "./run-lock.ts";
import type { CommitOptions, RunWriter, SkillRecord, CreateRunOptions } from "./store.ts";
import { TABLE_NAMES, TABLES, type Row, type TableName } from "./tables.ts";
import { createRunFile } from "./run-file.ts";
import { checkRunId, newRunId } from "./run-id.ts";

// Segments of a writer: rows as files of their own names, which are read only once a commit names them.

/** Rows of every table, in their order. */
type Rows = Record<TableName, Row[]>;

const noRows = (): Rows => Object.fromEntries(TABLE_NAMES.map((table) => [table, []])) as unknown as Rows;

interface SegmentFiles {
  /** All of them or none. */
  write(rows: Rows): Promise<Segment[]>;
  /** The name of a file for the state. */
  writeState(state: string): Promise<string>;
  /** Files that no commit names are only in the way, above all on a full disk. */
  discard(names: readonly string[]): Promise<void>;
  /** Fails where one is no longer there. */
  require(segments: readonly Segment[]): Promise<void>;
}

/** `pieceBytes`: about as much of the rows lies in one file. To make one takes six times as much memory for a moment. */
function segmentFiles(files: Files, run: string, writer: string, pieceBytes: number): SegmentFiles {
  let count = 0;
  const discard: SegmentFiles["discard"] = async (names) => {
    // What stays is cleaned up by compaction.
    for (const file of names) await files.remove(segmentPath(run, file)).catch(() => undefined);
  };
  const writePiece = async (table: TableName, piece: readonly Row[]): Promise<Segment> => {
    // Loaded when used: Arrow and the Parquet writer take a while, and most commands only read.
    const { segmentBytes } = await import("./segment.ts");
    const bytes = segmentBytes(TABLES[table], piece);
    const file = `${table}-${writer}-${(count += 1)}.parquet`;
    await files.put(segmentPath(run, file), bytes);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    return { table, file, rows: piece.length, bytes: bytes.length, schemaVersion: TABLES[table].version, sha256 };
  };
  return {
    discard,
    write: async (rows) => {
      const segments: Segment[] = [];
      const written = await Promise.allSettled(
        TABLE_NAMES.map(async (table) => {
          // One after the other: what is made of one is gone before the next.
          for (const piece of piecesOf(rows[table], pieceBytes)) segments.push(await writePiece(table, piece));
        }),
      );
      const failed = written.find((result) => result.status === "rejected");
      if (failed === undefined) return segments;
      await discard(segments.map(({ file }) => file));
      throw failed.reason;
    },
    writeState: async (state) => {
      const file = `state-${writer}-${(count += 1)}.json`;
      await files.put(segmentPath(run, file), Buffer.from(state));
      return file;
    },
    require: async (segments) => {
      for (const { file, bytes } of segments) {
        if ((await files.stat(segmentPath(run, file)))?.bytes === bytes) continue;
        throw new EngineError(
          "segment-missing",
          `${files.address(segmentPath(run, file))}, which is not committed yet, was removed or changed, so these rows of run "${run}" cannot be stored any more. Do that work again.`,
          { details: { run, file } },
        );
      }
    },
  };
}

export interface WriterOptions {
  readonly now: () => Date;
  /** The buffer is written out at this size. */
  readonly bufferSteps: number;
  readonly bufferBytes: number;
  /** A segment holds about this much of a commit. */
  readonly segmentBytes: number;
}

/** How the run was opened. */
export interface Opened {
  readonly writer: string;
  /** Undefined beside another writer: then nothing is written out before the commit, since its owner would be unknown. */
  readonly lock: RunLock | undefined;
  /** The newest commit that was there. */
  readonly number: number | undefined;
}

/** A crashed writer's segments are cleaned up by their age; a commit of older ones might name missing files. */
const MAX_SEGMENT_AGE_MS = 30 * 60_000;

/** What one commit makes visible. */
interface Unit {
  rows: Rows;
  bytes: number;
  /** Segments that were written out before. */
  out: Segment[];
  /** The text of a state. */
  state: string | undefined;
  /** Lines for `metrics.jsonl`. */
  lines: string[];
}

/** A unit whose commit is in doubt: it is in the log or not, and is kept until that is known. */
interface Doubted {
  readonly doubt: Doubt;
  readonly content: Content;
  readonly unit: Unit;
  /** When its segments were begun. */
  readonly since: number;
}

const emptyUnit = (): Unit => ({ rows: noRows(), bytes: 0, out: [], state: undefined, lines: [] });

export class Writer implements RunWriter {
  readonly run: string;
  readonly #files: Files;
  readonly #segments: SegmentFiles;
  readonly #log: Logger;
  readonly #options: WriterOptions;
  readonly #opened: Opened;
  /** Hears that the run was let go. */
  onRelease: () => void = () => undefined;
  #unit = emptyUnit();
  #outSince = Number.POSITIVE_INFINITY;
  #last: number | undefined;
  #doubted: Doubted | undefined;
  /** What one writer does to files is done in turn. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(files: Files, run: string, opened: Opened, options: WriterOptions) {
    this.run = run;
    this.#files = files;
    this.#opened = opened;
    this.#last = opened.number;
    this.#options = options;
    this.#segments = segmentFiles(files, run, opened.writer, options.segmentBytes);
    const log = fileLog(files.location(`${run}/log.jsonl`));
    this.#log = createLogger(log, { now: options.now }).with({ writer: opened.writer });
  }

  async append(trajectory: Trajectory): Promise<void> {
    checkTrajectory(trajectory);
    const { bytes, ...rows } = trajectoryRows(this.run, trajectory);
    for (const table of ["trajectories", "steps", "rewards"] as const) {
      // Not push(...rows): a call takes only some hundred thousand arguments.
      for (const row of rows[table]) this.#unit.rows[table].push(row);
    }
    this.#unit.bytes += bytes;
    await this.#makeRoom();
  }

  async addReward(trajectory: string, reward: Reward): Promise<void> {
    checkReward(trajectory, reward);
    await this.#add("later_rewards", [rewardRow(this.run, trajectory, reward)]);
  }

  async addSkill(skill: SkillRecord): Promise<void> {
    const { id, level, text, trajectory = null, step = null } = skill;
    const time = this.#options.now().toISOString();
    await this.#add("skills", [{ run: this.run, id, level, text, trajectory, step, data: jsonCell(skill.data), time }]);
  }

  async addMetrics(step: number, values: Readonly<Record<string, number>>): Promise<void> {
    checkMetrics(values);
    const time = this.#options.now().toISOString();
    const line = `${JSON.stringify({ time, step, ...values })}\n`;
    this.#unit.lines.push(line);
    await this.#add(
      "metrics",
      Object.entries(values).map(([name, value]) => ({ run: this.run, step, name, value, time })),
    );
  }

  async addEvent(kind: string, data?: JsonObject): Promise<void> {
    const time = this.#options.now().toISOString();
    await this.#add("events", [{ run: this.run, kind, data: jsonCell(data), time }]);
  }

  setState(state: JsonObject): void {
    this.#unit.state = JSON.stringify(state);
  }

  commit(options: CommitOptions = {}): Promise<void> {
    return this.#inTurn(() => this.#commitUnit(options));
  }

  async close(): Promise<void> {
    await this.commit();
    await this.#release();
  }

  /** Lets go of the run. What was not committed is gone. */
  async abandon(): Promise<void> {
    await this.#inTurn(async () => {
      const { out } = this.#unit;
      this.#unit = emptyUnit();
      await this.#segments.discard(out.map(({ file }) => file));
      await this.#release();
    });
  }

  async #release(): Promise<void> {
    await this.#opened.lock?.release();
    this.onRelease();
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const next = this.#turn.then(work);
    // A failure belongs to its caller; the next one starts afresh.
    this.#turn = next.catch(() => undefined);
    return next;
  }

  async #add(table: TableName, rows: readonly Row[]): Promise<void> {
    for (const row of rows) {
      this.#unit.rows[table].push(row);
      this.#unit.bytes += rowBytes(row);
    }
    await this.#makeRoom();
  }

  /** Writes the buffer out when it is large; it is not seen before the commit. */
  async #makeRoom(): Promise<void> {
    const { bufferBytes, bufferSteps } = this.#options;
    const isLarge = (): boolean => this.#unit.bytes >= bufferBytes || this.#unit.rows.steps.length >= bufferSteps;
    if (this.#opened.lock === undefined || !isLarge()) return;
    await this.#inTurn(async () => {
      if (!isLarge()) return;
      const taken = { ...emptyUnit(), rows: this.#unit.rows, bytes: this.#unit.bytes };
      [this.#unit.rows, this.#unit.bytes] = [noRows(), 0];
      const since = performance.now();
      try {
        for (const segment of await this.#segments.write(taken.rows)) this.#unit.out.push(segment);
        this.#outSince = Math.min(this.#outSince, since);
      } catch (error) {
        this.#putBack(taken);
        throw error;
      }
    });
  }

  async #commitUnit(options: CommitOptions): Promise<void> {
    await this.#settle();
    const unit = this.#unit;
    const { rows, out, state } = unit;
    if (TABLE_NAMES.every((table) => rows[table].length === 0) && out.length === 0 && state === undefined) return;
    this.#unit = emptyUnit();
    try {
      await this.#write(unit, options);
    } catch (error) {
      if (this.#doubted === undefined) this.#putBack(unit);
      this.#log.error("commit-fail", { error });
      throw error;
    }
  }

  /** What was taken goes back in front of what came since, so that a later commit still has everything. */
  #putBack({ rows, bytes, out, state, lines }: Unit): void {
    const now = this.#unit;
    for (const table of TABLE_NAMES) now.rows[table] = [...rows[table], ...now.rows[table]];
    now.bytes += bytes;
    now.out = [...out, ...now.out];
    now.state ??= state;
    now.lines = [...lines, ...now.lines];
  }

  /** Finds out what became of the commit in doubt, before anything else is committed. */
  async #settle(): Promise<void> {
    const doubted = this.#doubted;
    if (doubted === undefined) return;
    const { doubt, content, since, unit } = doubted;
    // Its segments may have been cleaned up meanwhile, so it must not be committed any more.
    if (performance.now() - since > MAX_SEGMENT_AGE_MS) {
      const isThere = await wasCommitted(this.#files, this.run, doubt, content).catch((error: unknown) => {
        throw this.#inDoubt({ ...doubt, cause: error });
      });
      this.#doubted = undefined;
      if (isThere) await this.#tail(unit.lines);
      else this.#putBack(unit);
      return;
    }
    const number = await settleCommit(this.#files, this.run, doubt, content).catch((error: unknown) => {
      // It is certain now that it is not there.
      this.#doubted = undefined;
      this.#putBack(unit);
      throw error;
    });
    if (typeof number !== "number") {
      this.#doubted = { ...doubted, doubt: number };
      throw this.#inDoubt(number);
    }
    this.#last = number;
    this.#doubted = undefined;
    this.#log.info("commit-write", { number, segments: content.add.length, settled: true });
    await this.#tail(unit.lines);
  }

  #inDoubt({ number, cause }: Doubt): EngineError {
    const why = cause instanceof Error ? cause.message : String(cause);
    return new EngineError(
      "outcome-unknown",
      `Commit ${number} of run "${this.run}" may be stored or not. Its rows are kept: commit again, and it counts once. ${why}`,
      { details: { run: this.run, number }, cause },
    );
  }

  async #write(unit: Unit, options: CommitOptions): Promise<void> {
    const { key } = options;
    const since = performance.now();
    const fresh = await this.#segments.write(unit.rows);
    if (performance.now() - since > MAX_SEGMENT_AGE_MS) return this.#write(unit, options);
    const add = [...unit.out, ...fresh];
    let kept: string | undefined;
    let number: number | Doubt;
    try {
      if (since - this.#outSince > MAX_SEGMENT_AGE_MS) await this.#segments.require(unit.out);
      if (unit.state !== undefined) kept = await this.#segments.writeState(unit.state);
      const time = this.#options.now().toISOString();
      const { writer, lock } = this.#opened;
      const own = lock === undefined ? {} : { holds: true };
      const content = { writer, ...own, time, add, ...withoutUndefined({ key, state: kept }) };
      number = await appendCommit(this.#files, this.run, await this.#newest(key), content);
      if (typeof number !== "number") this.#doubted = { doubt: number, content, unit, since };
    } catch (error) {
      await this.#segments.discard([...fresh.map(({ file }) => file), ...(kept === undefined ? [] : [kept])]);
      throw error;
    }
    if (typeof number !== "number") throw this.#inDoubt(number);
    this.#last = number;
    this.#outSince = Number.POSITIVE_INFINITY;
    this.#log.info("commit-write", { number, segments: add.length, steps: unit.rows.steps.length });
    await this.#tail(unit.lines);
  }

  /** The run's only writer reads every commit since its last. Beside others there may be many, and a listing finds the end. */
  async #newest(key: string | undefined): Promise<number> {
    const known = this.#opened.lock !== undefined || key === undefined ? this.#last : undefined;
    return known ?? (await highestNumber(this.#files, this.run));
  }

  /** For live views; the rows are stored, whatever becomes of these lines. */
  async #tail(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    await this.#files.append(`${this.run}/metrics.jsonl`, lines.join("")).catch((error: unknown) => {
      this.#log.error("tail-fail", { error });
    });
  }
}

// Opens a run for its one writer: a new run, or one that is there.

/** Segments and commits carry it, as their owner. */
export function newWriterName(): string {
  return `${process.pid}-${randomBytes(6).toString("hex")}`;
}

export async function createRun(files: Files, options: CreateRunOptions, writing: WriterOptions): Promise<Writer> {
  const id = options.id === undefined ? newRunId(writing.now()) : checkRunId(options.id);
  const createdAt = writing.now().toISOString();
  await files.check?.();
  const writer = newWriterName();
  const lock = await lockRun(files, id, writer, writing.now);
  try {
    await createRunFile(files, { id, kind: options.kind ?? "other", createdAt, config: options.config ?? {} });
  } catch (error) {
    await lock.release();
    throw error;
  }
  return new Writer(files, id, { writer, lock, number: 0 }, writing);
}

/**
 * What a dead writer had on its way may still get there: a commit of nothing takes the number that it was for. Whatever it
 * has committed is in the log from then on, and nothing more.
 */
export async function openRun(files: Files, id: string, writing: WriterOptions): Promise<Writer> {
  const writer = newWriterName();
  const lock = await lockRun(files, id, writer, writing.now);
  try {
    let number = await highestNumber(files, id);
    if (lock.takenOver) {
      const time = writing.now().toISOString();
      const taken = await appendCommit(files, id, number, { writer, holds: true, time, add: [] });
      if (typeof taken !== "number") throw taken.cause;
      number = taken;
      // Several may have found the same lock free.
      await lock.check();
    }
    return new Writer(files, id, { writer, lock, number }, writing);
  } catch (error) {
    await lock.release();
    throw error;
  }
}
