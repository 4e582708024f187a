/** Buffers rows of one run and commits them together. */
import { createHash, randomBytes } from "node:crypto";
import { EngineError } from "../base/errors.ts";
import { withoutUndefined } from "../base/fields.ts";
import { createLogger, fileLog, type Logger } from "../base/log.ts";
import type { JsonObject, Reward, Trajectory } from "../trajectory/index.ts";
import { segmentPath, type Segment } from "./commit-format.ts";
import { appendCommit, listCommits, settleCommit, wasCommitted, type Content, type Doubt } from "./commit-log.ts";
import { checkReward, checkTrajectory } from "./check.ts";
import { jsonCell, piecesOf, rewardRow, trajectoryRows } from "./encode.ts";
import type { Files } from "./files.ts";
import type { CommitOptions, RunWriter, SkillRecord } from "./store.ts";
import { TABLE_NAMES, TABLES, type Row, type TableName } from "./tables.ts";

export interface WriterOptions {
  readonly now: () => Date;
  /** The buffer commits by itself at this size. */
  readonly commitSteps: number;
  readonly commitBytes: number;
  /** A segment holds about this much of a commit. Making one takes six times as much memory for a moment. */
  readonly segmentBytes: number;
}

/** Rows that are not committed yet. */
type Buffered = Record<TableName, Row[]>;

/** A crashed writer's segments are cleaned up by their age; one that commits older ones would name missing files. */
const MAX_SEGMENT_AGE_MS = 30 * 60_000;

/** Rows whose commit is in doubt: they are in the log or not, and are kept until that is known. */
interface Doubted {
  readonly doubt: Doubt;
  readonly content: Content;
  readonly rows: Buffered;
  readonly state: string | undefined;
  readonly bytes: number;
  /** When their segments were begun. */
  readonly since: number;
}

const emptyBuffer = (): Buffered => Object.fromEntries(TABLE_NAMES.map((table) => [table, []])) as unknown as Buffered;

export function createWriter(files: Files, run: string, options: WriterOptions): RunWriter {
  const name = `${process.pid}-${randomBytes(6).toString("hex")}`;
  const log = createLogger(fileLog(files.location(`${run}/log.jsonl`)), { now: options.now }).with({ writer: name });
  return new Writer(files, run, name, log, options);
}

class Writer implements RunWriter {
  readonly run: string;
  readonly #files: Files;
  readonly #name: string;
  readonly #log: Logger;
  readonly #options: WriterOptions;
  #buffer = emptyBuffer();
  #bytes = 0;
  /** The text of a state that is not committed yet. */
  #state: string | undefined;
  #segments = 0;
  #last: number | undefined;
  #doubted: Doubted | undefined;
  /** Commits of one writer follow each other. */
  #committing: Promise<void> = Promise.resolve();

  constructor(files: Files, run: string, name: string, log: Logger, options: WriterOptions) {
    this.run = run;
    this.#files = files;
    this.#name = name;
    this.#log = log;
    this.#options = options;
  }

  async append(trajectory: Trajectory): Promise<void> {
    checkTrajectory(trajectory);
    const { bytes, ...rows } = trajectoryRows(this.run, trajectory);
    for (const table of ["trajectories", "steps", "rewards"] as const) {
      // Not push(...rows): a call takes only some hundred thousand arguments.
      for (const row of rows[table]) this.#buffer[table].push(row);
    }
    this.#bytes += bytes;
    await this.#commitWhenLarge();
  }

  async addReward(trajectory: string, reward: Reward): Promise<void> {
    checkReward(trajectory, reward);
    await this.#add("later_rewards", rewardRow(this.run, trajectory, reward));
  }

  async addSkill(skill: SkillRecord): Promise<void> {
    await this.#add("skills", {
      run: this.run,
      id: skill.id,
      level: skill.level,
      text: skill.text,
      trajectory: skill.trajectory ?? null,
      step: skill.step ?? null,
      data: jsonCell(skill.data),
      time: this.#options.now().toISOString(),
    });
  }

  async addMetrics(step: number, values: Readonly<Record<string, number>>): Promise<void> {
    const time = this.#options.now().toISOString();
    for (const [metric, value] of Object.entries(values)) {
      this.#buffer.metrics.push({ run: this.run, step, name: metric, value, time });
      this.#bytes += metric.length + 64;
    }
    await this.#files.append(`${this.run}/metrics.jsonl`, `${JSON.stringify({ time, step, ...values })}\n`);
    await this.#commitWhenLarge();
  }

  async addEvent(kind: string, data?: JsonObject): Promise<void> {
    await this.#add("events", { run: this.run, kind, data: jsonCell(data), time: this.#options.now().toISOString() });
  }

  setState(state: JsonObject): void {
    this.#state = JSON.stringify(state);
  }

  commit(options: CommitOptions = {}): Promise<void> {
    const next = this.#committing.then(() => this.#commitBuffer(options));
    // A failed commit is the business of who asked for it; the next one starts afresh.
    this.#committing = next.catch(() => undefined);
    return next;
  }

  async close(): Promise<void> {
    await this.commit();
  }

  async #add(table: TableName, row: Row): Promise<void> {
    this.#buffer[table].push(row);
    this.#bytes += 256 + ((row["data"] as string | null | undefined) ?? "").length;
    await this.#commitWhenLarge();
  }

  async #commitWhenLarge(): Promise<void> {
    const { commitBytes, commitSteps } = this.#options;
    if (this.#bytes >= commitBytes || this.#buffer.steps.length >= commitSteps) await this.commit();
  }

  async #commitBuffer(options: CommitOptions): Promise<void> {
    await this.#settle();
    const [taken, bytes, state] = [this.#buffer, this.#bytes, this.#state];
    if (TABLE_NAMES.every((table) => taken[table].length === 0) && state === undefined) return;
    [this.#buffer, this.#bytes, this.#state] = [emptyBuffer(), 0, undefined];
    try {
      await this.#write(taken, state, bytes, options);
    } catch (error) {
      if (this.#doubted === undefined) this.#putBack(taken, state, bytes);
      this.#log.error("commit-fail", { error });
      throw error;
    }
  }

  /** What was taken goes back in front of what came since, so that a later commit still has everything. */
  #putBack(rows: Buffered, state: string | undefined, bytes: number): void {
    for (const table of TABLE_NAMES) this.#buffer[table] = [...rows[table], ...this.#buffer[table]];
    this.#bytes += bytes;
    this.#state ??= state;
  }

  /** Finds out what became of the commit in doubt, before anything else is committed. */
  async #settle(): Promise<void> {
    const doubted = this.#doubted;
    if (doubted === undefined) return;
    const { doubt, content, since } = doubted;
    // Its segments may have been cleaned up meanwhile, so it must not be committed any more.
    if (performance.now() - since > MAX_SEGMENT_AGE_MS) {
      const isThere = await wasCommitted(this.#files, this.run, doubt, content).catch((error: unknown) => {
        throw this.#inDoubt({ ...doubt, cause: error });
      });
      if (!isThere) this.#putBack(doubted.rows, doubted.state, doubted.bytes);
      this.#doubted = undefined;
      return;
    }
    const number = await settleCommit(this.#files, this.run, doubt, content).catch((error: unknown) => {
      // It is certain now that it is not there.
      this.#doubted = undefined;
      this.#putBack(doubted.rows, doubted.state, doubted.bytes);
      throw error;
    });
    if (typeof number !== "number") {
      this.#doubted = { ...doubted, doubt: number };
      throw this.#inDoubt(number);
    }
    this.#last = number;
    this.#doubted = undefined;
    this.#log.info("commit-write", { number, segments: content.add.length, settled: true });
  }

  #inDoubt({ number, cause }: Doubt): EngineError {
    const why = cause instanceof Error ? cause.message : String(cause);
    return new EngineError(
      "outcome-unknown",
      `Commit ${number} of run "${this.run}" may be stored or not. Its rows are kept: commit again, and it counts once. ${why}`,
      { details: { run: this.run, number }, cause },
    );
  }

  async #write(rows: Buffered, state: string | undefined, bytes: number, options: CommitOptions): Promise<void> {
    const { key } = options;
    const started = performance.now();
    const add = await this.#writeSegments(rows);
    if (performance.now() - started > MAX_SEGMENT_AGE_MS) return this.#write(rows, state, bytes, options);
    const kept = state === undefined ? undefined : `state-${this.#name}-${(this.#segments += 1)}.json`;
    let number: number | Doubt;
    try {
      if (kept !== undefined) await this.#files.put(segmentPath(this.run, kept), Buffer.from(state ?? ""));
      // Keyed commits come from fleets: many others may have committed since, and a listing finds the end at once.
      const known = key === undefined ? this.#last : undefined;
      const after = known ?? (await this.#highestNumber());
      const time = this.#options.now().toISOString();
      const content = { writer: this.#name, time, add, ...withoutUndefined({ key, state: kept }) };
      number = await appendCommit(this.#files, this.run, after, content);
      if (typeof number !== "number") {
        this.#doubted = { doubt: number, content, rows, state, bytes, since: started };
      }
    } catch (error) {
      this.#last = undefined;
      await this.#discard([...add.map(({ file }) => file), ...(kept === undefined ? [] : [kept])]);
      throw error;
    }
    if (typeof number !== "number") {
      this.#last = undefined;
      throw this.#inDoubt(number);
    }
    this.#last = number;
    this.#log.info("commit-write", { number, segments: add.length, steps: rows.steps.length });
  }

  async #writeSegments(rows: Buffered): Promise<Segment[]> {
    // Loaded when used: Arrow and the Parquet writer take a while, and most commands only read.
    const { segmentBytes } = await import("./segment.ts");
    const filled = TABLE_NAMES.filter((table) => rows[table].length > 0);
    const segments: Segment[] = [];
    const write = async (table: TableName, piece: readonly Row[]): Promise<void> => {
      const bytes = segmentBytes(TABLES[table], piece);
      const file = `${table}-${this.#name}-${(this.#segments += 1)}.parquet`;
      await this.#files.put(segmentPath(this.run, file), bytes);
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      const schemaVersion = TABLES[table].version;
      segments.push({ table, file, rows: piece.length, bytes: bytes.length, schemaVersion, sha256 });
    };
    const written = await Promise.allSettled(
      filled.map(async (table) => {
        // One after the other: what is made of one is gone before the next.
        for (const piece of piecesOf(rows[table], this.#options.segmentBytes)) await write(table, piece);
      }),
    );
    const failed = written.find((result) => result.status === "rejected");
    if (failed === undefined) return segments;
    await this.#discard(segments.map(({ file }) => file));
    throw failed.reason;
  }

  /** Segments that no commit names are only in the way, above all on a full disk. */
  async #discard(names: readonly string[]): Promise<void> {
    for (const file of names) await this.#files.remove(segmentPath(this.run, file)).catch(() => undefined);
  }

  async #highestNumber(): Promise<number> {
    const { commits, checkpoints } = await listCommits(this.#files, this.run);
    return Math.max(0, commits.at(-1) ?? 0, checkpoints.at(-1) ?? 0);
  }
}
