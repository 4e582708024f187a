/**
 * What a list shows of every trajectory, in one table of a database in memory. Commits only append and compaction keeps
 * the order, so the table is brought up to date by reading what was committed since, trajectories and later rewards of
 * earlier ones; JSON is taken apart once.
 */
import { EngineError } from "limbeck-base/base/errors";
import type { Part } from "./commit-format.ts";
import { lendDatabase, openDatabase, storeClosed, type Database } from "./database.ts";
import type { Files } from "./files.ts";
import { orderedSelect, quote, type Schema } from "./migrations.ts";
import { outcomesUpdate, trajectoriesSelect } from "./outcomes.ts";
import { rowsAfter, segmentLocations, type RunSnapshot } from "./snapshot.ts";

const GOAL_LETTERS = 300;
/** Places of a run before its order runs into that of runs that were made a millisecond later. */
const PLACES = 4_000_000n;

/**
 * `place` counts the trajectories of a run from 0, in stored order; `stored` orders those of all runs by the creation of
 * the run and their place in it, and is one number because sorting by several takes several times as long.
 */
const TABLE = `create table listed (
  run VARCHAR, place BIGINT, id VARCHAR, env VARCHAR, task_id VARCHAR, goal VARCHAR, family VARCHAR, split VARCHAR,
  group_id VARCHAR, success BOOLEAN, ending VARCHAR, reward DOUBLE, unscored VARCHAR, step_count INTEGER,
  token_count BIGINT, policy VARCHAR, policy_version INTEGER, phase VARCHAR, update_number INTEGER, parent VARCHAR,
  parent_step BIGINT, parent_token BIGINT, completion_tokens BIGINT, duration_ms DOUBLE, cost_usd DOUBLE,
  stored BIGINT
)`;

interface Covered {
  readonly createdAt: string;
  readonly rows: number;
  /** Of rewards that were added later. */
  readonly laterRows: number;
}

export class TrajectoryList {
  readonly #files: Files;
  readonly #schema: Schema;
  readonly #covered = new Map<string, Covered>();
  #opening: Promise<Database> | undefined;
  /** Updates follow each other. */
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(files: Files, schema: Schema) {
    this.#files = files;
    this.#schema = schema;
  }

  /** Brings the table up to date with these runs. Unless they are asked for `only`, others are forgotten. */
  update(runs: readonly RunSnapshot[], only: boolean): Promise<void> {
    const next = this.#turn.then(() => this.#update(runs, only));
    // Its caller gets the failure; the next one's turn comes all the same.
    this.#turn = next.catch(() => undefined);
    return next;
  }

  /** The database with the table `listed`. It may read any file, so only SQL of our own is run on it. */
  async lend(): Promise<Database> {
    return await lendDatabase(await this.#open());
  }

  /** Parts of a run that hold these trajectories; undefined when the table does not know all of them. */
  async partsOf({ file, fold }: RunSnapshot, ids: readonly string[]): Promise<Set<Part> | undefined> {
    const known = this.#covered.get(file.id);
    if (known === undefined || known.createdAt !== file.createdAt) return undefined;
    const database = await this.lend();
    const select = `select id, place from listed where run = ${quote(file.id)} and id in (${ids.map(quote).join(", ")})`;
    const rows = await database.connection
      .runAndReadAll(select)
      .then((found) => found.getRows())
      .finally(() => database.close());
    if (new Set(rows.map(([id]) => id)).size < new Set(ids).size) return undefined;
    return holding(
      fold.parts,
      rows.map(([, place]) => Number(place)),
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#turn;
    // What did not open needs no closing.
    const database = await this.#opening?.catch(() => undefined);
    database?.close();
  }

  async #open(): Promise<Database> {
    if (this.#isClosed) throw storeClosed();
    this.#opening ??= openDatabase().then(async (database) => {
      // Segments never change, so what was read of their footers stays true. Of their pages nothing is kept: a cached file
      // takes at least 256 KiB, and trainings leave thousands of small ones.
      await database.connection.run(
        `set parquet_metadata_cache = true; set enable_external_file_cache = false; ${TABLE}`,
      );
      return database;
    });
    return await this.#opening;
  }

  async #update(runs: readonly RunSnapshot[], only: boolean): Promise<void> {
    await this.#open();
    if (!only) {
      const present = new Set(runs.map(({ file }) => file.id));
      for (const run of this.#covered.keys()) if (!present.has(run)) await this.#forget(run);
    }
    for (const snapshot of runs) {
      try {
        await this.#cover(snapshot);
      } catch (error) {
        // One damaged run does not take the others with it; a query for it alone fails.
        if (only) throw error;
        await this.#forget(snapshot.file.id);
      }
    }
  }

  async #forget(run: string): Promise<void> {
    if (!this.#covered.delete(run)) return;
    await (await this.#open()).connection.run(`delete from listed where run = ${quote(run)}`);
  }

  async #cover(snapshot: RunSnapshot): Promise<void> {
    const { file, fold } = snapshot;
    const known = this.#covered.get(file.id);
    if (known !== undefined && known.createdAt !== file.createdAt) await this.#forget(file.id);
    const { rows = 0, laterRows = 0 } = this.#covered.get(file.id) ?? {};
    const fresh = rowsAfter(fold.parts, "trajectories", rows);
    const later = rowsAfter(fold.parts, "later_rewards", laterRows);
    if (fresh.total < rows || later.total < laterRows) {
      await this.#forget(file.id);
      return await this.#cover(snapshot);
    }
    const { connection } = await this.#open();
    // First the later rewards of the rows that are there: to apply them again does no harm, to insert again would.
    if (rows > 0 && later.total > laterRows) {
      const segments = segmentLocations(this.#files, file.id, later.left, "later_rewards");
      const select = `select * from (${orderedSelect(this.#schema, "later_rewards", segments)}) offset ${later.skip}`;
      await connection.run(outcomesUpdate("listed", file.id, select));
    }
    if (fresh.total > rows) {
      const stretch = { snapshot, parts: fresh.left, skip: fresh.skip };
      await connection.run(insertion(trajectoriesSelect(this.#files, this.#schema, [stretch]), rows, file.createdAt));
    }
    this.#covered.set(file.id, { createdAt: file.createdAt, rows: fresh.total, laterRows: later.total });
  }
}

function insertion(select: string, from: number, createdAt: string): string {
  return `insert into listed
    select run, ${from} + row_number() over () - 1, ${listedColumns("try_cast")},
      ${firstPlace(createdAt)} + ${from} + row_number() over () - 1
    from (${select})`;
}

/** `stored` of the first trajectory of a run. */
export function firstPlace(createdAt: string): bigint {
  const created = Date.parse(createdAt);
  return BigInt(Number.isNaN(created) ? 0 : created) * PLACES;
}

/** What the list takes from a row of trajectories; `cast` gives NULL, or a number, for what is no number. */
export function listedColumns(cast: "cast" | "try_cast"): string {
  return `id, env, task_id, left(goal, ${GOAL_LETTERS}) as goal, task_data ->> 'family' as family, split, group_id,
    success, ending, reward, unscored, step_count, token_count, policy, policy_version, info ->> 'phase' as phase,
    ${cast}(info ->> 'update' as integer) as update_number, parent, parent_step, parent_token, completion_tokens,
    duration_ms, cost_usd`;
}

/** The parts in which rows of these places stand. */
function holding(parts: readonly Part[], places: readonly number[]): Set<Part> {
  const sorted = [...places].sort((left, right) => left - right);
  const found = new Set<Part>();
  let [before, at] = [0, 0];
  for (const part of parts) {
    const count = part.segments.reduce((sum, one) => (one.table === "trajectories" ? sum + one.rows : sum), 0);
    const end = before + count;
    if ((sorted[at] ?? Number.POSITIVE_INFINITY) < end) found.add(part);
    while ((sorted[at] ?? Number.POSITIVE_INFINITY) < end) at += 1;
    before = end;
  }
  return found;
}

export function notKept(): EngineError {
  return new EngineError(
    "not-kept-open",
    "Only a store that was opened with `keepOpen` has a list of its trajectories.",
  );
}
