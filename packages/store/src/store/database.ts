/** An in-memory DuckDB that sees the given segments through views and nothing else of this machine. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { EngineError } from "limbeck-base/base/errors";
import { loadDuckDB } from "./duckdb.ts";
import type { Files } from "./files.ts";
import { orderedSelect, quote, type Schema } from "./migrations.ts";
import { trajectoriesSelect } from "./outcomes.ts";
import { countRows, segmentLocations, type RunSnapshot } from "./snapshot.ts";
import { TABLE_NAMES } from "./tables.ts";

const INTERRUPT_EVERY_MS = 20;

export interface Database {
  readonly connection: DuckDBConnection;
  /** One more connection, for a second result that is read at the same time. */
  connect(): Promise<DuckDBConnection>;
  /** Closes such a connection before the rest. */
  disconnect(connection: DuckDBConnection): void;
  /** Keeps it open until the returned function is called; refused once it is to be closed. */
  hold(): () => void;
  /** At once, or when its last user closes it: a query on a closed connection would end the process. */
  close(): void;
}

export function storeClosed(): EngineError {
  return new EngineError("store-closed", "The store was closed while it was asked; open it again.");
}

/** Without views; for compaction and for the Parquet format. */
export async function openDatabase(): Promise<Database> {
  const { DuckDBInstance } = await loadDuckDB();
  const instance = await DuckDBInstance.create(":memory:", {
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    temp_directory: join(tmpdir(), "limbeck-duckdb"),
  });
  const first = await instance.connect();
  const connections = new Set([first]);
  let [holders, isClosing] = [0, false];
  const closeIfFree = (): void => {
    if (!isClosing || holders > 0) return;
    for (const connection of connections) connection.closeSync();
    connections.clear();
    instance.closeSync();
  };
  return {
    connection: first,
    connect: async () => {
      const connection = await instance.connect();
      connections.add(connection);
      return connection;
    },
    disconnect: (connection) => {
      if (connections.delete(connection)) connection.closeSync();
    },
    hold: () => {
      if (isClosing) throw storeClosed();
      holders += 1;
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        holders -= 1;
        closeIfFree();
      };
    },
    close: () => {
      if (isClosing) return;
      isClosing = true;
      closeIfFree();
    },
  };
}

/** The same database with connections of its own; to close it closes those. */
export async function lendDatabase(database: Database, giveBack: () => void = () => undefined): Promise<Database> {
  const connections: DuckDBConnection[] = [];
  const letGo = database.hold();
  let open = true;
  const connect = async (): Promise<DuckDBConnection> => {
    const connection = await database.connect();
    connections.push(connection);
    return connection;
  };
  const connection = await connect().catch((error: unknown) => {
    letGo();
    throw error;
  });
  return {
    connection,
    connect,
    disconnect: (own) => database.disconnect(own),
    hold: () => database.hold(),
    close: () => {
      if (!open) return;
      open = false;
      for (const own of connections) database.disconnect(own);
      letGo();
      giveBack();
    },
  };
}

const MOST_IDLE = 2;
const idle: Database[] = [];

/**
 * For SQL of our own alone, since it may read any file: without views, and what is made on its connections must be temporary. To open a
 * database takes 40 ms of processor time, so two that are not in use stay open for the next.
 */
export async function idleDatabase(): Promise<Database> {
  for (let database = idle.pop(); database !== undefined; database = idle.pop()) {
    if (await isUsable(database)) return await lendIdle(database);
    database.close();
  }
  const database = await openDatabase();
  // Of pages nothing is kept: a cached file takes at least 256 KiB.
  await database.connection.run("set enable_external_file_cache = false");
  return await lendIdle(database);
}

/** After a fault of DuckDB's own a database refuses everything. */
async function isUsable({ connection }: Database): Promise<boolean> {
  return await connection.run("select 1").then(
    () => true,
    () => false,
  );
}

async function lendIdle(database: Database): Promise<Database> {
  return await lendDatabase(database, () => {
    if (idle.length < MOST_IDLE) idle.push(database);
    else database.close();
  });
}

/** Interrupts what the connection does when the signal fires, until the returned function is called. */
export function interruptOn(signal: AbortSignal | undefined, connection: DuckDBConnection): () => void {
  let timer: NodeJS.Timeout | undefined;
  const interrupt = (): void => {
    connection.interrupt();
    // An interrupt that comes just before a query begins is forgotten, so it is repeated.
    timer ??= setInterval(() => connection.interrupt(), INTERRUPT_EVERY_MS);
  };
  signal?.addEventListener("abort", interrupt, { once: true });
  return () => {
    signal?.removeEventListener("abort", interrupt);
    clearInterval(timer);
  };
}

/**
 * The views of the store over a snapshot. Afterwards the file system is closed except for these segments, and the
 * configuration is locked, so that no query can open it again.
 */
export async function openViews(files: Files, schema: Schema, runs: readonly RunSnapshot[]): Promise<Database> {
  const database = await openDatabase();
  try {
    const { connection } = database;
    // Segments never change, so what was read of their footers stays true.
    await connection.run("set parquet_metadata_cache = true");
    const allowed: string[] = [];
    const views = TABLE_NAMES.map((table) => {
      const segments = runs.flatMap(({ file, fold }) => segmentLocations(files, file.id, fold.parts, table));
      for (const { location } of segments) allowed.push(location);
      const whole = runs.map((snapshot) => ({ snapshot, parts: snapshot.fold.parts, skip: 0 }));
      const select =
        table === "trajectories" ? trajectoriesSelect(files, schema, whole) : orderedSelect(schema, table, segments);
      return `create view ${VIEWS[table]} as ${select};`;
    });
    const derived = Object.entries(DERIVED_VIEWS).map(([name, select]) => `create view ${name} as ${select};`);
    await connection.run([...views, ...derived, RUNS_TABLE].join("\n"));
    await fillRuns(connection, runs);
    await connection.run(`set allowed_paths = [${allowed.map(quote).join(", ")}]`);
    await connection.run("set enable_external_access = false; set lock_configuration = true");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The names of the views over single tables; those that users do not see begin with an underscore. */
export const VIEWS = {
  trajectories: "trajectories",
  steps: "steps",
  rewards: "_rewards",
  later_rewards: "_later_rewards",
  skills: "skills",
  metrics: "metrics",
  events: "events",
} as const;

/** Views over other views. */
export const DERIVED_VIEWS: Readonly<Record<string, string>> = {
  rewards: `select *, 'trajectory' as origin from _rewards union all select *, 'later' as origin from _later_rewards`,
  tasks: `select distinct run, task_id as id, env, seed, goal, split, task_data as data from trajectories`,
  tokens: `select run, trajectory, step, position, token_id, mask, position >= response_start as is_response,
       logprob, sampled_logprob, version, temperature, weight
     from (
       select run, trajectory, step, response_start, generate_subscripts(token_ids, 1) - 1 as position,
         unnest(token_ids) as token_id, unnest(token_mask) as mask, unnest(token_logprobs) as logprob,
         unnest(token_sampled_logprobs) as sampled_logprob, unnest(token_versions) as version,
         unnest(token_temperatures) as temperature, unnest(token_weights) as weight
       from steps where token_ids is not null
     )`,
};

export const RUNS_TABLE = `create table runs (id VARCHAR, kind VARCHAR, created_at VARCHAR, config VARCHAR,
  schema_version BIGINT, commits BIGINT, segments BIGINT, bytes BIGINT, trajectories BIGINT, steps BIGINT);`;

async function fillRuns(connection: DuckDBConnection, runs: readonly RunSnapshot[]): Promise<void> {
  const appender = await connection.createAppender("runs");
  for (const snapshot of runs) {
    for (const cell of runCells(snapshot)) {
      if (typeof cell === "string") appender.appendVarchar(cell);
      else appender.appendBigInt(BigInt(cell));
    }
    appender.endRow();
  }
  appender.closeSync();
}

/** The row of a run in the table `runs`. */
export function runCells({ file, fold }: RunSnapshot): (string | number)[] {
  const segments = fold.parts.flatMap((part) => part.segments);
  const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
  return [
    file.id,
    file.kind,
    file.createdAt,
    JSON.stringify(file.config),
    file.schemaVersion,
    fold.number,
    segments.length,
    bytes,
    countRows(fold, "trajectories"),
    countRows(fold, "steps"),
  ];
}
