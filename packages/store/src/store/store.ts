/**
 * The contract of the store. A store is a folder of runs; a run is a folder of immutable Parquet segments made visible
 * by numbered commit files, each created exclusively. `docs/lookup/store.md` describes the layout.
 */
import type { JsonObject } from "limbeck-base/base/json";
import type { Reward, Trajectory } from "limbeck-base/trajectory/trajectory";

/** Opens a folder of runs; it need not exist yet. */
export interface Store {
  readonly root: string;
  /**
   * Every run, or only one: none where it does not exist. With `remembered` a run whose folder has not changed since it was read
   * is not read again, which makes ten thousand a matter of a moment; a segment that was changed in its place, which only damage
   * does, is then noticed when that run is read.
   */
  runs(options?: { readonly only?: string; readonly remembered?: boolean }): Promise<RunSummary[]>;
  /** A new run. Its id is unique in the store and safe as a folder name. */
  createRun(options?: CreateRunOptions): Promise<RunWriter>;
  /** The writer of a run that is there. A run has one at a time; where another holds it, the error "run-busy" names it. */
  openRun(id: string, options?: OpenRunOptions): Promise<RunWriter>;
  deleteRun(id: string): Promise<void>;
  /**
   * Leaves a run out of everything that is about all runs, or takes it in again; asked for by its id it is there. Nothing of it is
   * changed, so that it works for a run that cannot be read.
   */
  setAside(id: string, aside: boolean): Promise<void>;
  /** Ids of the runs that are set aside. */
  aside(): Promise<string[]>;
  /** What `RunWriter.setState` last committed to the run; undefined where nothing was. */
  stateOf(run: string): Promise<JsonObject | undefined>;
  /** Whole trajectories, exact tokens included, streamed in commit order. */
  trajectories(query?: TrajectoryQuery): AsyncIterable<Trajectory>;
  /** SQL over the views runs, tasks, trajectories, steps, tokens, rewards, skills, metrics and events. */
  query(sql: string, options?: QueryOptions): Promise<QueryResult>;
  /**
   * SQL over the table `listed`, of a store that was opened with `keepOpen`: a row for each trajectory that can be read,
   * with what a list shows of it. It is kept in memory, so that pages come quickly however large the store is. From a
   * trusted caller.
   */
  list(sql: string, options?: Pick<QueryOptions, "run" | "signal">): Promise<QueryResult>;
  compact(options?: CompactOptions): Promise<CompactReport[]>;
  /** Lets go of runs whose writers were not closed; what those have not committed is gone. */
  close(): Promise<void>;
}

export interface OpenRunOptions {
  /**
   * Writes beside other writers, any number of them, with no lock: for commits that stand for themselves whatever others
   * commit meanwhile, as a person's feedback does, or work that a key names. Default: no.
   */
  readonly beside?: boolean;
}

export interface CreateRunOptions {
  /** Letters, digits, ".", "_" and "-", not starting with a dot. Default: made from the time and a random part. */
  readonly id?: string;
  /** What made the run: "import", "rollout", "train", … */
  readonly kind?: string;
  readonly config?: JsonObject;
}

export interface RunSummary {
  readonly id: string;
  readonly kind: string;
  readonly createdAt: string;
  readonly config: JsonObject;
  readonly schemaVersion: number;
  readonly commits: number;
  readonly segments: number;
  readonly bytes: number;
  readonly trajectories: number;
  readonly steps: number;
  /** Rows of these tables, which only grow. */
  readonly metrics: number;
  readonly events: number;
  /** Why the run cannot be read, when it cannot; the other runs are unaffected. */
  readonly problem?: string;
}

/** Buffers rows and commits them together. Nothing is visible before `commit`, everything after it. */
export interface RunWriter {
  readonly run: string;
  /** Buffers; a large buffer goes to disk, and is seen from the commit on. Backpressure: await it. */
  append(trajectory: Trajectory): Promise<void>;
  /**
   * A reward that comes beside its trajectory, mostly later. One named "success" or "score" sets its outcome: every
   * reader then finds that in `success` and `reward`, and the last word counts.
   */
  addReward(trajectory: string, reward: Reward): Promise<void>;
  addSkill(skill: SkillRecord): Promise<void>;
  addMetrics(step: number, values: Readonly<Record<string, number>>): Promise<void>;
  addEvent(kind: string, data?: JsonObject): Promise<void>;
  /**
   * What the writer keeps for the next time, in the place of what was kept before: it holds from the next
   * commit on, together with the rows of that commit or not at all. No table shows it; `Store.stateOf` reads it.
   */
  setState(state: JsonObject): void;
  /** Makes everything buffered visible, atomically. Resolves when it is on disk. */
  commit(options?: CommitOptions): Promise<void>;
  /** Commits what is left, and lets go of the run. */
  close(): Promise<void>;
}

export interface CommitOptions {
  /**
   * Names the work whose result is committed. Of all commits of a run with the same key, by any writer, the first one
   * counts and the others are never seen: work that was done twice is stored once.
   */
  readonly key?: string;
}

/** A skill as it is stored; the skill module gives it meaning. */
export interface SkillRecord {
  readonly id: string;
  readonly level: string;
  readonly text: string;
  readonly trajectory?: string;
  readonly step?: number;
  readonly data?: JsonObject;
}

export interface TrajectoryQuery {
  readonly run?: string;
  readonly ids?: readonly string[];
  /** A condition on the columns of the view `trajectories`, in SQL, from a trusted caller. */
  readonly where?: string;
  readonly limit?: number;
  /** Leaves out runs that cannot be read; otherwise they are an error. */
  readonly skipBroken?: boolean;
}

export interface QueryOptions {
  /** Only this run. Default: every run. */
  readonly run?: string;
  /** Leaves out runs that cannot be read; otherwise they are an error. */
  readonly skipBroken?: boolean;
  readonly signal?: AbortSignal;
  /** Reads no more rows than this; what is left unread costs nothing where the query can stop early. */
  readonly limit?: number;
  /**
   * SQL of the program itself, which DuckDB and SQLite both understand: it needs no DuckDB, and a store with `keepOpen`
   * takes a quicker way, on which other files are not closed.
   */
  readonly trusted?: boolean;
  /** Only the stretches of the runs in which these trajectories were committed, with all that was committed there. */
  readonly around?: readonly string[];
  /** Leaves out so many rows at the beginning of a table; of one run, whose order never changes. */
  readonly after?: Readonly<Partial<Record<"trajectories" | "metrics" | "events", number>>>;
}

/** Rows in order; 64-bit integers that fit are numbers, the rest bigint; lists are arrays. */
export interface QueryResult {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
}

export interface CompactOptions {
  readonly run?: string;
  /** Replaced files are deleted by the first compaction that finds them older than this. Default: 1 hour. */
  readonly graceMs?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
  /** Gets each run that could not be compacted, and why. Without it the first of them is the error, after all others are done. */
  readonly onBroken?: (run: string, error: unknown) => void;
}

export interface CompactReport {
  readonly run: string;
  readonly segmentsBefore: number;
  readonly segmentsAfter: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  readonly filesDeleted: number;
}
