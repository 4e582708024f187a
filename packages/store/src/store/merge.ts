/** Merges the rows of trajectories, steps and rewards, which stand in the same order, to whole trajectories. */
import type { DuckDBConnection, DuckDBDataChunk, DuckDBListVector, DuckDBVector } from "@duckdb/node-api";
import { EngineError } from "limbeck-base/base/errors";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Database } from "./database.ts";
import { decodeTrajectory } from "./encode.ts";
import { quote, type Schema } from "./migrations.ts";
import { withOutcomes } from "./outcomes.ts";
import type { TrajectoryQuery } from "./store.ts";
import type { Column, Row, Cell, CellType } from "./tables.ts";

/** Selects over the segments of one stretch of one run, each in stored order. */
export interface Source {
  readonly schema: Schema;
  readonly trajectories: string;
  readonly steps: string;
  readonly rewards: string;
  /** Rewards that were added later, of the whole run; undefined when there are none. */
  readonly later: string | undefined;
}

export interface Merged {
  readonly trajectory: Trajectory;
  /** Position in the stretch, counting also what the query leaves out. */
  readonly ordinal: number;
}

/** Up to this many wanted trajectories the scan itself filters by id; beyond, every row is read and dropped here. */
const FILTER_IDS = 200;

const ORDINAL: Column = { name: "_ordinal", type: "int64" };

export async function* mergeTrajectories(
  database: Database,
  source: Source,
  query: Pick<TrajectoryQuery, "ids" | "where">,
  from: number,
): AsyncGenerator<Merged, void, undefined> {
  const { tables } = source.schema;
  const wanted = await wantedTrajectories(database, source, query, from);
  if (wanted?.size === 0) return;
  const few = wanted !== undefined && wanted.size <= FILTER_IDS;
  const idList = few ? [...wanted.values()].map(quote).join(", ") : "";
  // Not "in": DuckDB makes a join of a longer list, and the rows of a join come in any order.
  // The bounds let the scan skip row groups, which a list does not.
  const [least, most] = few ? bounds([...wanted.values()]) : ["", ""];
  const only = (select: string): string =>
    few
      ? `select * from (${select}) where trajectory >= ${quote(least)} and trajectory <= ${quote(most)}
           and list_contains([${idList}], trajectory)`
      : select;
  const later = await laterRewards(database, source);
  const steps = new Taker(streamRows(await database.connect(), tables.steps.columns, only(source.steps)), "step");
  const rewards = new Taker(
    streamRows(await database.connect(), tables.rewards.columns, only(source.rewards)),
    "reward",
  );
  // Where nothing but ids was asked for, the rows with these ids are the wanted ones, in the order of their ordinals;
  // to number all rows would mean to read all their columns.
  const direct = few && query.where === undefined && from <= 0;
  const numbered = direct
    ? `select *, 0::BIGINT as _ordinal from (${source.trajectories})
         where id >= ${quote(least)} and id <= ${quote(most)} and list_contains([${idList}], id)`
    : few
      ? `select * from (${withOrdinal(source)}) where list_contains([${[...wanted.keys()].join(", ")}], _ordinal)`
      : withOrdinal(source);
  const columns = [...tables.trajectories.columns, ORDINAL];
  const ordinals = [...(wanted?.keys() ?? [])];
  let met = 0;
  for await (const row of streamRows(await database.connect(), columns, numbered)) {
    const ordinal = direct ? (ordinals[met] as number) : (row["_ordinal"] as number);
    met += 1;
    if (ordinal < from || wanted?.has(ordinal) === false) continue;
    const id = row["id"] as string;
    const ownSteps = await steps.take(id, row["step_count"] as number);
    const ownRewards = await rewards.take(id, row["reward_count"] as number);
    yield { trajectory: decodeTrajectory(row, ownSteps, ownRewards, later.get(id) ?? []), ordinal };
  }
}

/** Ordinals and ids of what the query asks for; undefined when it asks for everything. */
async function wantedTrajectories(
  database: Database,
  source: Source,
  query: Pick<TrajectoryQuery, "ids" | "where">,
  from: number,
): Promise<Map<number, string> | undefined> {
  if (query.ids === undefined && query.where === undefined) return undefined;
  const conditions = [`_ordinal >= ${from}`];
  // An empty list of ids asks for nothing.
  if (query.ids !== undefined) conditions.push(`id in (${["NULL", ...query.ids.map(quote)].join(", ")})`);
  if (query.where !== undefined) conditions.push(`(${query.where}\n)`);
  const numbered = withOrdinal(source);
  const { later } = source;
  const told = later === undefined || query.where === undefined ? numbered : withOutcomes(numbered, later);
  const select = `select _ordinal, id from (${told}) as trajectories where ${conditions.join(" and ")}`;
  const found: [number, string][] = [];
  const columns: Column[] = [ORDINAL, { name: "id", type: "text" }];
  for await (const row of streamRows(await database.connect(), columns, select)) {
    found.push([row["_ordinal"] as number, row["id"] as string]);
  }
  return new Map(found.sort(([left], [right]) => left - right));
}

/** Rewards that were added later to trajectories of this stretch, in commit order. */
async function laterRewards(database: Database, source: Source): Promise<Map<string, Row[]>> {
  const byTrajectory = new Map<string, Row[]>();
  if (source.later === undefined) return byTrajectory;
  const numbered = `select *, row_number() over () as _ordinal from (${source.later})`;
  const select = `select * from (${numbered}) where trajectory in (select id from (${source.trajectories})) order by _ordinal`;
  const columns = [...source.schema.tables.later_rewards.columns, ORDINAL];
  for await (const row of streamRows(await database.connect(), columns, select)) {
    const id = row["trajectory"] as string;
    const known = byTrajectory.get(id);
    if (known === undefined) byTrajectory.set(id, [row]);
    else known.push(row);
  }
  return byTrajectory;
}

/** The first and the last in the order of their bytes, which is DuckDB's order of texts. */
function bounds(ids: readonly string[]): [string, string] {
  const sorted = [...ids].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
  return [sorted[0] ?? "", sorted.at(-1) ?? ""];
}

function withOrdinal(source: Source): string {
  return `select *, row_number() over () - 1 as _ordinal from (${source.trajectories})`;
}

/** Takes rows of one trajectory after the other from a stream that has them in the same order, and skips the rest. */
class Taker {
  readonly #rows: AsyncGenerator<Row, void, undefined>;
  readonly #kind: string;
  constructor(rows: AsyncGenerator<Row, void, undefined>, kind: string) {
    this.#rows = rows;
    this.#kind = kind;
  }

  async take(trajectory: string, count: number): Promise<Row[]> {
    const taken: Row[] = [];
    while (taken.length < count) {
      const next = await this.#rows.next();
      const row = next.done === true ? undefined : next.value;
      if (row === undefined || (taken.length > 0 && row["trajectory"] !== trajectory)) {
        throw new EngineError(
          "segment-damaged",
          `Trajectory "${trajectory}" has ${count} ${this.#kind} rows by its own account; ${taken.length} were found.`,
          { details: { trajectory } },
        );
      }
      if (row["trajectory"] === trajectory) taken.push(row);
    }
    return taken;
  }
}

// DuckDB results as rows, a chunk at a time. Token lists become typed arrays without touching single values.

/** Streams a select that gives exactly these columns, in this order. */
export async function* streamRows(
  connection: DuckDBConnection,
  columns: readonly Column[],
  select: string,
): AsyncGenerator<Row, void, undefined> {
  const result = await connection.stream(select);
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return;
    yield* chunkRows(chunk, columns);
  }
}

/** Column by column, into rows that have all their fields from the start, which keeps their shape the same. */
function chunkRows(chunk: DuckDBDataChunk, columns: readonly Column[]): Row[] {
  const empty = Object.fromEntries(columns.map(({ name }): [string, Cell] => [name, null]));
  const rows = Array.from({ length: chunk.rowCount }, (): Record<string, Cell> => ({ ...empty }));
  for (const [index, { name, type }] of columns.entries()) {
    const read = READERS[type](chunk.getColumnVector(index));
    for (let row = 0; row < rows.length; row += 1) {
      const cell = read(row);
      if (cell !== null) (rows[row] as Record<string, Cell>)[name] = cell;
    }
  }
  return rows;
}

type Reader = (vector: DuckDBVector) => (row: number) => Cell;

const plain: Reader = (vector) => (row) => vector.getItem(row) as Cell;

const READERS: Readonly<Record<CellType, Reader>> = {
  text: plain,
  int32: plain,
  int64: (vector) => (row) => {
    const value = vector.getItem(row);
    return value === null ? null : Number(value);
  },
  double: plain,
  bool: plain,
  "int32[]": listReader((length) => new Int32Array(length)),
  "uint8[]": listReader((length) => new Uint8Array(length)),
  "float32[]": listReader((length) => new Float32Array(length)),
};

function listReader(allocate: (length: number) => Int32Array | Uint8Array | Float32Array): Reader {
  return (vector) => {
    const list = vector as DuckDBListVector;
    const child = list.childVector;
    // The vectors' own arrays, where this version of the library has them under these names; its public face copies a
    // list to find out whether it is NULL, and gives one value at a time.
    const values = (child as unknown as { readonly items?: unknown }).items;
    const { validity } = list as unknown as { readonly validity?: { itemValid?(row: number): boolean } };
    return (row) => {
      const present = validity?.itemValid?.(row) ?? list.getItemVector(row) !== null;
      if (!present) return null;
      const [start, length] = [list.getEntryOffset(row), list.getEntryLength(row)];
      const copy = allocate(length);
      if (values instanceof copy.constructor) copy.set((values as typeof copy).subarray(start, start + length));
      else for (let at = 0; at < length; at += 1) copy[at] = Number(child.getItem(start + at));
      return copy;
    };
  };
}
