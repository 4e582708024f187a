/** What a store is asked: SQL over the views, read-only; the table of all trajectories; and whole trajectories. */
import type { DuckDBConnection, DuckDBPreparedStatement } from "@duckdb/node-api";
import { withoutUndefined } from "limbeck-base/base/fields";
import { checkOptions, may } from "limbeck-base/base/options";
import { EngineError, throwIfAborted, isAbort } from "limbeck-base/base/errors";
import { idleDatabase, interruptOn, DERIVED_VIEWS, VIEWS, type Database } from "./database.ts";
import { hasDuckDB, loadDuckDB } from "./duckdb.ts";
import { PlainTables } from "./plain-query.ts";
import { readPlainly } from "./plain-reading.ts";
import type { StoreCache } from "./memory.ts";
import { viewsOver, takeSnapshot, type Reading } from "./reading.ts";
import { readWithRetries, isStale, queryError } from "./retry.ts";
import { segmentLocations, rowsAfter, type RunSnapshot } from "./snapshot.ts";
import type { QueryOptions, QueryResult, TrajectoryQuery } from "./store.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { segmentPath, type Part } from "./commit-format.ts";
import type { Files } from "./files.ts";
import { mergeTrajectories, type Source } from "./merge.ts";
import { orderedSelect, quote, type Schema } from "./migrations.ts";
import { laterSelect, trajectoriesSelect, type Stretch } from "./outcomes.ts";
import { TABLE_NAMES, type TableName } from "./tables.ts";

export async function runQuery(reading: Reading, sql: string, options: QueryOptions): Promise<QueryResult> {
  checkOptions("query", options, { limit: may.whole });
  throwIfAborted(options.signal);
  if (options.trusted === true && !(await hasDuckDB())) return await queryPlainly(reading, sql, options);
  const work = async (runs: readonly RunSnapshot[]): Promise<QueryResult> => {
    const own = options.trusted === true ? await ownDatabase(reading, sql) : undefined;
    const database = own ?? (await viewsOver(reading, runs));
    return await queryOn(database, sql, options, async (connection) => {
      if (own === undefined && options.around === undefined && options.after === undefined) return;
      await narrowViews(connection, reading, runs, sql, options);
    });
  };
  return await readWithRetries(reading, options, work);
}

/** For SQL of our own: one that has no views yet. Undefined where it asks for the table of runs, which is in databases with views alone. */
async function ownDatabase({ memory }: Reading, sql: string): Promise<Database | undefined> {
  if (memory !== undefined) return await memory.listing.lend();
  return mentions(sql, "runs") ? undefined : await idleDatabase();
}

function mentions(sql: string, name: string): boolean {
  return new RegExp(`\\b${name}\\b`, "i").test(sql);
}

/** Prepares, asks and gives the database back. */
async function queryOn(
  database: Database,
  sql: string,
  options: QueryOptions,
  prepare?: (connection: DuckDBConnection) => Promise<void>,
): Promise<QueryResult> {
  const release = interruptOn(options.signal, database.connection);
  try {
    await prepare?.(database.connection);
    return await execute(database.connection, sql, options);
  } catch (error) {
    throwIfAborted(options.signal);
    throw error;
  } finally {
    release();
    database.close();
  }
}

export async function listQuery(
  reading: Reading & { readonly memory: StoreCache },
  sql: string,
  { run, signal }: Pick<QueryOptions, "run" | "signal">,
): Promise<QueryResult> {
  throwIfAborted(signal);
  const scope = run === undefined ? { skipBroken: true } : { run };
  if (!(await hasDuckDB())) return await queryPlainly(reading, sql, { ...scope, ...withoutUndefined({ signal }) });
  const work = async (runs: readonly RunSnapshot[]): Promise<QueryResult> => {
    const { listing } = reading.memory;
    await listing.update(runs, run !== undefined);
    return await queryOn(await listing.lend(), sql, signal === undefined ? {} : { signal });
  };
  return await readWithRetries(reading, scope, work);
}

async function queryPlainly(reading: Reading, sql: string, options: QueryOptions): Promise<QueryResult> {
  const { memory } = reading;
  const tables = memory?.plain ?? new PlainTables(reading.files);
  try {
    return await readWithRetries(reading, options, (runs) => tables.query(runs, sql, options));
  } finally {
    if (memory === undefined) await tables.close();
  }
}

async function execute(
  connection: DuckDBConnection,
  sql: string,
  { signal, limit }: QueryOptions,
): Promise<QueryResult> {
  const statement = await prepareReadOnly(connection, sql);
  throwIfAborted(signal);
  const reader = limit === undefined ? await statement.runAndReadAll() : await statement.streamAndReadUntil(limit);
  const types = reader.columnTypes();
  return {
    columns: reader.columnNames().map((name, index) => ({ name, type: String(types[index]) })),
    rows: reader
      .getRowsJS()
      .slice(0, limit)
      .map((row) => row.map(plain)),
  };
}

async function prepareReadOnly(connection: DuckDBConnection, sql: string): Promise<DuckDBPreparedStatement> {
  const { StatementType } = await loadDuckDB();
  const statements = await connection.extractStatements(sql);
  if (statements.count !== 1) {
    throw new EngineError("bad-sql", `Give one SQL statement; this text has ${statements.count}.`);
  }
  const statement = await statements.prepare(0);
  const { statementType } = statement;
  if (statementType === StatementType.SELECT) return statement;
  if (statementType === StatementType.EXPLAIN && (await explainsQuery(connection, sql))) return statement;
  throw new EngineError(
    "read-only",
    `The store is read-only in SQL; this is a ${StatementType[statementType] ?? "different"} statement. Use SELECT.`,
  );
}

const EXPLAINED = /^\s*explain\s+(?:analyze\s+)?(?=(?:select|with|from|values)\b)/i;

/** EXPLAIN ANALYZE runs what it explains, so what it explains must be a query too: by DuckDB's own reading of it, as "with" may lead to a change. */
async function explainsQuery(connection: DuckDBConnection, sql: string): Promise<boolean> {
  const { StatementType } = await loadDuckDB();
  const explained = EXPLAINED.exec(sql)?.[0];
  if (explained === undefined) return false;
  const statement = await (await connection.extractStatements(sql.slice(explained.length))).prepare(0);
  return statement.statementType === StatementType.SELECT;
}

/** 64-bit integers become numbers where they fit, also inside lists and structs. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}

// Whole trajectories back from the segments, in commit order and bounded memory.  Trajectories, steps and rewards stand in the same
// order in their segments, so three streams are merged: the next `step_count` step rows belong to the next trajectory. No join, no
// sort.

/** Small parts are read together, up to this many trajectories. */
const BATCH_TRAJECTORIES = 4096;
const TRIES = 100;

export async function* readTrajectories(
  reading: Reading,
  query: TrajectoryQuery,
): AsyncGenerator<Trajectory, void, undefined> {
  let left = query.limit ?? Number.POSITIVE_INFINITY;
  if (left <= 0) return;
  // Conditions are SQL; everything else can be read without it.
  const isPlain = query.where === undefined && !(await hasDuckDB());
  for (const snapshot of await takeSnapshot(reading, query)) {
    const found = isPlain
      ? readPlainly(reading.files, snapshot, query.ids)
      : readRunTrajectories(reading, query, snapshot.file.id);
    for await (const trajectory of found) {
      yield trajectory;
      left -= 1;
      if (left <= 0) return;
    }
  }
}

async function* readRunTrajectories(
  reading: Reading,
  query: TrajectoryQuery,
  run: string,
): AsyncGenerator<Trajectory, void, undefined> {
  const { files, schema, memory } = reading;
  // How many stored trajectories have been passed. Commits only append and compaction keeps the order, so this is a
  // place in the run that stays right when its files are replaced underneath.
  let passed = 0;
  for (let tries = 0; ;) {
    const runs = await takeSnapshot(reading, query);
    const snapshot = runs.find(({ file }) => file.id === run);
    if (snapshot === undefined) return;
    try {
      const database = (await memory?.listing.lend()) ?? (await databaseFor(query, reading, runs));
      try {
        const holding =
          query.ids === undefined ? undefined : await partsAround(database.connection, reading, [snapshot], query.ids);
        for (const batch of batches(snapshot.fold.parts, holding)) {
          if (batch.before + batch.count <= passed) continue;
          const source = sourceOf(files, schema, snapshot, batch.parts);
          for await (const { trajectory, ordinal } of mergeTrajectories(
            database,
            source,
            query,
            passed - batch.before,
          )) {
            yield trajectory;
            passed = batch.before + ordinal + 1;
            tries = 0;
          }
          passed = batch.before + batch.count;
        }
        return;
      } finally {
        database.close();
      }
    } catch (error) {
      tries += 1;
      memory?.forget(runs);
      if (isAbort(error) || tries === TRIES || !(await isStale(files, runs, error))) throw queryError(error);
    }
  }
}

/** A condition may ask the views, and is not ours. */
async function databaseFor(
  { where }: TrajectoryQuery,
  reading: Reading,
  runs: readonly RunSnapshot[],
): Promise<Database> {
  return where === undefined ? await idleDatabase() : await viewsOver(reading, runs);
}

interface Batch {
  readonly parts: readonly Part[];
  /** Trajectories in the parts before these, and in these. */
  readonly before: number;
  readonly count: number;
}

/** Stretches of neighbouring parts; with `holding`, parts that are not in it are passed over. */
function* batches(parts: readonly Part[], holding?: ReadonlySet<Part>): Generator<Batch, void, undefined> {
  let batch: Batch = { parts: [], before: 0, count: 0 };
  for (const part of parts) {
    const count = part.segments.reduce((sum, { table, rows }) => (table === "trajectories" ? sum + rows : sum), 0);
    if (count === 0) continue;
    if (holding?.has(part) === false) {
      if (batch.count > 0) yield batch;
      batch = { parts: [], before: batch.before + batch.count + count, count: 0 };
      continue;
    }
    if (batch.count > 0 && batch.count + count > BATCH_TRAJECTORIES) {
      yield batch;
      batch = { parts: [], before: batch.before + batch.count, count: 0 };
    }
    batch = { ...batch, parts: [...batch.parts, part], count: batch.count + count };
  }
  if (batch.count > 0) yield batch;
}

function sourceOf(files: Files, schema: Schema, snapshot: RunSnapshot, parts: readonly Part[]): Source {
  const run = snapshot.file.id;
  const select = (table: TableName): string => orderedSelect(schema, table, segmentLocations(files, run, parts, table));
  return {
    schema,
    trajectories: select("trajectories"),
    steps: select("steps"),
    rewards: select("rewards"),
    later: laterSelect(files, schema, snapshot),
  };
}

// Views over a part of what a database shows, for one connection: much less is read when it is known where to look.

/** Views that are made of others. */
const BUILT_ON: Readonly<Partial<Record<TableName, readonly string[]>>> = {
  trajectories: ["tasks"],
  steps: ["tokens"],
  rewards: ["rewards"],
  later_rewards: ["rewards"],
};

/** Temporary views stand before the others of the same name, and go with their connection. */
async function narrowViews(
  connection: DuckDBConnection,
  reading: Reading,
  runs: readonly RunSnapshot[],
  sql: string,
  { around, after }: Pick<QueryOptions, "around" | "after">,
): Promise<void> {
  const parts = around === undefined ? undefined : await partsAround(connection, reading, runs, around);
  // A view costs a millisecond to make, so only those are made that the query can mean.
  const wanted = TABLE_NAMES.filter((table) =>
    [VIEWS[table], ...(BUILT_ON[table] ?? [])].some((name) => mentions(sql, name)),
  );
  const views = wanted.map((table) => {
    const chosen = runs.map((snapshot): Stretch => {
      const own = snapshot.fold.parts.filter((part) => parts?.has(part) ?? true);
      const { left, skip } = rowsAfter(own, table, after?.[table as "events"] ?? 0);
      return { snapshot, parts: left, skip };
    });
    return `create temp view ${VIEWS[table]} as ${narrowSelect(reading, table, chosen)};`;
  });
  const derived = Object.entries(DERIVED_VIEWS).filter(([name]) => mentions(sql, name));
  const named = derived.map(([name, select]) => `create temp view ${name} as ${select};`);
  if (views.length > 0) await connection.run([...views, ...named].join("\n"));
}

function narrowSelect({ files, schema }: Reading, table: TableName, chosen: readonly Stretch[]): string {
  if (table === "trajectories") return trajectoriesSelect(files, schema, chosen);
  const segments = chosen.flatMap(({ snapshot, parts }) => segmentLocations(files, snapshot.file.id, parts, table));
  const skip = chosen.reduce((sum, one) => sum + one.skip, 0);
  const select = orderedSelect(schema, table, segments);
  return skip === 0 ? select : `select * from (${select}) offset ${skip}`;
}

/** The parts that hold some of these trajectories. */
async function partsAround(
  connection: DuckDBConnection,
  { files, memory }: Reading,
  runs: readonly RunSnapshot[],
  ids: readonly string[],
): Promise<Set<Part>> {
  const [only, another] = runs;
  if (only !== undefined && another === undefined && ids.length > 0) {
    const known = await memory?.listing.partsOf(only, ids);
    if (known !== undefined) return known;
  }
  const parts = new Map<string, Part>();
  for (const { file, fold } of runs) {
    for (const part of fold.parts) {
      for (const segment of part.segments) {
        if (segment.table === "trajectories") parts.set(files.location(segmentPath(file.id, segment.file)), part);
      }
    }
  }
  if (parts.size === 0 || ids.length === 0) return new Set();
  const found = await connection.runAndReadAll(
    `select distinct filename from read_parquet([${[...parts.keys()].map(quote).join(", ")}], filename = true)
     where id in (${ids.map(quote).join(", ")})`,
  );
  return new Set(found.getRows().flatMap(([name]) => parts.get(String(name)) ?? []));
}
