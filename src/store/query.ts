/** One SQL query over the views, read-only; and over the table of all trajectories. */
import { checkOptions, may } from "../base/options.ts";
import type { DuckDBConnection, DuckDBPreparedStatement } from "@duckdb/node-api";
import { EngineError, throwIfAborted } from "../base/errors.ts";
import { interruptOn, type Database } from "./database.ts";
import { loadDuckDB } from "./duckdb.ts";
import type { Memory } from "./memory.ts";
import { narrowViews } from "./narrow.ts";
import { viewsOver, type Reading } from "./reading.ts";
import { readWithRetries } from "./retry.ts";
import type { RunSnapshot } from "./snapshot.ts";
import type { QueryOptions, QueryResult } from "./store.ts";

export async function runQuery(reading: Reading, sql: string, options: QueryOptions): Promise<QueryResult> {
  checkOptions("query", options, { limit: may.whole });
  throwIfAborted(options.signal);
  const work = async (runs: readonly RunSnapshot[]): Promise<QueryResult> => {
    const own = options.trusted === true ? await reading.memory?.listing.lend() : undefined;
    const database = own ?? (await viewsOver(reading, runs));
    return await queryOn(database, sql, options, async (connection) => {
      if (own === undefined && options.around === undefined && options.after === undefined) return;
      await narrowViews(connection, reading, runs, sql, options);
    });
  };
  return await readWithRetries(reading, options, work);
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
  reading: Reading & { readonly memory: Memory },
  sql: string,
  { run, signal }: Pick<QueryOptions, "run" | "signal">,
): Promise<QueryResult> {
  throwIfAborted(signal);
  const scope = run === undefined ? { skipBroken: true } : { run };
  const work = async (runs: readonly RunSnapshot[]): Promise<QueryResult> => {
    const { listing } = reading.memory;
    await listing.update(runs, run !== undefined);
    return await queryOn(await listing.lend(), sql, signal === undefined ? {} : { signal });
  };
  return await readWithRetries(reading, scope, work);
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
  // EXPLAIN ANALYZE runs what it explains, so what it explains must be a query too.
  const explains = statementType === StatementType.EXPLAIN && EXPLAINED_QUERY.test(sql);
  if (statementType === StatementType.SELECT || explains) return statement;
  throw new EngineError(
    "read-only",
    `The store is read-only in SQL; this is a ${StatementType[statementType] ?? "different"} statement. Use SELECT.`,
  );
}

const EXPLAINED_QUERY = /^\s*explain\s+(analyze\s+)?(select|with|from|values)\b/i;

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
