/**
 * SQL of the program itself where DuckDB is not installed: the rows of the tables that it mentions are read whole and put
 * into SQLite in memory. Such SQL keeps to what both understand, and asks for no tokens. A person's SQL needs DuckDB.
 */
import type { Database, SQLiteValue } from "node-sqlite3-wasm";
import { throwIfAborted } from "limbeck-base/base/errors";
import { groupedBy } from "limbeck-base/base/grouped-by";
import { RUNS_TABLE, runCells, storeClosed } from "./database.ts";
import { withLaterOutcome } from "./encode.ts";
import type { Files } from "./files.ts";
import { firstPlace, listedColumns } from "./listing.ts";
import { quote } from "./migrations.ts";
import { rowsOf } from "./plain-reading.ts";
import type { RunSnapshot } from "./snapshot.ts";
import type { QueryOptions, QueryResult } from "./store.ts";
import { isList, TABLE_NAMES, TABLES, type Cell, type Column, type Row, type TableName } from "./tables.ts";

type Scope = Pick<QueryOptions, "run" | "around" | "after" | "signal" | "limit">;

/** Of single cells; the tokens stay where they are. */
function columnsOf(table: TableName): readonly Column[] {
  return TABLES[table].columns.filter(({ type }) => !isList(type));
}

/** SQLite has no truth values, so results are known by the names of their columns. */
const TRUTHS = new Set(
  TABLE_NAMES.flatMap(columnsOf)
    .filter(({ type }) => type === "bool")
    .map(({ name }) => name),
);

/** Tables that have been read stay for the next query; a run is read again when something was committed to it. */
export class PlainTables {
  readonly #files: Files;
  #opening: Promise<Database> | undefined;
  /** The commit up to which a table of a run is there. */
  readonly #held = new Map<string, string>();
  /** Queries follow each other. */
  #turn: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(files: Files) {
    this.#files = files;
  }

  query(runs: readonly RunSnapshot[], sql: string, scope: Scope): Promise<QueryResult> {
    const next = this.#turn.then(async () => {
      if (this.#isClosed) throw storeClosed();
      return await this.#query(runs, sql, scope);
    });
    // Its caller gets the error; here only the end matters.
    this.#turn = next.catch(() => undefined);
    return next;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#turn;
    const opening = this.#opening;
    this.#opening = undefined;
    (await opening)?.close();
  }

  async #query(runs: readonly RunSnapshot[], sql: string, scope: Scope): Promise<QueryResult> {
    this.#opening ??= openTables();
    const database = await this.#opening;
    const mentions = (name: string): boolean => new RegExp(`\\b${name}\\b`, "i").test(sql);
    const shown = TABLE_NAMES.filter(mentions);
    const isListed = mentions("listed");
    const needed = new Set<TableName>(isListed || scope.around !== undefined ? [...shown, "trajectories"] : shown);
    for (const table of needed) {
      for (const snapshot of runs) {
        throwIfAborted(scope.signal);
        await this.#bring(database, table, snapshot);
      }
    }
    const within = `run in (${["NULL", ...runs.map(({ file }) => quote(file.id))].join(", ")})`;
    database.exec(`begin; delete from runs`);
    try {
      insertRuns(database, runs);
      for (const table of shown) database.exec(viewOf(table, within, scope));
      if (isListed) database.exec(`create temp view listed as ${LISTED} where ${within}`);
      const rows = database.all(sql) as Readonly<Record<string, SQLiteValue>>[];
      const columns = Object.keys(rows[0] ?? {}).map((name) => ({ name, type: TRUTHS.has(name) ? "BOOLEAN" : "" }));
      return { columns, rows: rows.slice(0, scope.limit).map((row) => columns.map(({ name }) => cellOf(name, row))) };
    } finally {
      // With its views; the rows were there before.
      database.exec("rollback");
    }
  }

  async #bring(database: Database, table: TableName, snapshot: RunSnapshot): Promise<void> {
    const { file, fold } = snapshot;
    const [key, state] = [`${table} ${file.id}`, `${file.createdAt} ${fold.number}`];
    if (this.#held.get(key) === state) return;
    const names = columnsOf(table).map(({ name }) => name);
    const later =
      table === "trajectories"
        ? groupedBy((await this.#rows("later_rewards", snapshot)).flat(), trajectoryOf)
        : undefined;
    const parts = await this.#rows(table, snapshot);
    this.#held.delete(key);
    database.exec("begin");
    database.run(`delete from ${table}_rows where run = ?`, file.id);
    const insert = database.prepare(
      `insert into ${table}_rows values (${["?", "?", ...names.map(() => "?")].join(", ")})`,
    );
    let place = 0;
    for (const [part, rows] of parts.entries()) {
      for (const stored of rows) {
        const row = later === undefined ? stored : withLaterOutcome(stored, later.get(stored["id"] as string) ?? []);
        insert.run([part, place, ...names.map((name) => withoutEnd(row[name] as Cell))]);
        place += 1;
      }
    }
    insert.finalize();
    database.exec("commit");
    this.#held.set(key, state);
  }

  /** By part. */
  async #rows(table: TableName, snapshot: RunSnapshot): Promise<Row[][]> {
    const rows = [];
    for (const part of snapshot.fold.parts)
      rows.push(await rowsOf(this.#files, snapshot, part, table, columnsOf(table)));
    return rows;
  }
}

async function openTables(): Promise<Database> {
  const { default: sqlite } = await import("node-sqlite3-wasm");
  const database = new sqlite.Database();
  for (const table of TABLE_NAMES) {
    const columns = ["_part", "_place", ...columnsOf(table).map(({ name }) => `"${name}"`)];
    database.exec(
      `create table ${table}_rows (${columns.join(", ")}); create index ${table}_runs on ${table}_rows (run)`,
    );
  }
  database.exec(RUNS_TABLE);
  for (const [name, call] of Object.entries(FUNCTIONS)) database.function(name, call, { deterministic: true });
  return database;
}

/** SQLite's texts end at the character 0, also inside JSON, so another one stands for it that means nothing. */
const NO_END = "\uFDD0";

function withoutEnd(cell: Cell): SQLiteValue | boolean {
  if (typeof cell !== "string") return cell as SQLiteValue;
  return cell.replaceAll("\0", NO_END).replace(/(?<!\\)((?:\\\\)*)\\u0000/g, String.raw`$1\ufdd0`);
}

function withEnd(text: string): string {
  return text.replaceAll(NO_END, "\0").replace(/(?<!\\)((?:\\\\)*)\\ufdd0/g, String.raw`$1\u0000`);
}

/** What DuckDB has and SQLite has not. */
const FUNCTIONS: Readonly<Record<string, (...cells: SQLiteValue[]) => SQLiteValue | boolean>> = {
  starts_with: (text, start) => (text === null ? null : String(text).startsWith(String(start))),
  contains: (text, part) => (text === null ? null : String(text).includes(String(part))),
  left: (text, length) => (text === null ? null : Array.from(String(text)).slice(0, Number(length)).join("")),
  // SQLite's own knows ASCII alone.
  lower: (text) => (text === null ? null : String(text).toLowerCase()),
  // `quote` writes only this character so.
  chr: (_zero) => NO_END,
  isfinite: (number) => (number === null ? null : Number.isFinite(Number(number))),
  regexp_replace: (text, pattern, by) =>
    text === null ? null : String(text).replace(new RegExp(String(pattern)), String(by)),
  first_place: (createdAt) => firstPlace(String(createdAt)),
};

function insertRuns(database: Database, runs: readonly RunSnapshot[]): void {
  for (const snapshot of runs) {
    const cells = runCells(snapshot);
    database.run(`insert into runs values (${cells.map(() => "?").join(", ")})`, cells);
  }
}

function viewOf(table: TableName, within: string, { around, after }: Scope): string {
  const skipped = after?.[table as "events"] ?? 0;
  const conditions = [
    within,
    ...(skipped === 0 ? [] : [`_place >= ${skipped}`]),
    ...(around === undefined
      ? []
      : [
          `_part in (select _part from trajectories_rows where ${within} and id in (${["NULL", ...around.map(quote)].join(", ")}))`,
        ]),
  ];
  const columns = columnsOf(table)
    .map(({ name }) => `"${name}"`)
    .join(", ");
  return `create temp view ${table} as select ${columns} from ${table}_rows where ${conditions.join(" and ")}`;
}

const LISTED = `select run, _place as place, ${listedColumns("cast")},
  (select first_place(created_at) from runs where runs.id = run) + _place as stored, rowid as rowid
  from trajectories_rows`;

function cellOf(name: string, row: Readonly<Record<string, SQLiteValue>>): unknown {
  const value = row[name] as SQLiteValue;
  if (TRUTHS.has(name)) return value === null ? null : value === 1;
  if (typeof value === "string") return withEnd(value);
  if (typeof value !== "bigint") return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

function trajectoryOf(row: Row): string {
  return row["trajectory"] as string;
}
