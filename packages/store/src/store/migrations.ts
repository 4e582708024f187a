/**
 * How segments of older versions are read: for each table, one SQL select for each step from version n to n + 1, over
 * a source named `older`. Compaction writes what these selects give, so that old versions die out.
 */
import { EngineError } from "limbeck-base/base/errors";
import { SQL_TYPES, TABLES, type Table, type TableName } from "./tables.ts";

/** The entry at index n - 1 turns version n into version n + 1. */
export type Migrations = Readonly<Partial<Record<TableName, readonly string[]>>>;

/** No table has a second version yet. An entry looks like "select *, NULL::VARCHAR as reviewer from older". */
export const MIGRATIONS: Migrations = {};

/** Tables as they are now and the way to them; tests have their own. */
export interface Schema {
  readonly tables: Readonly<Record<TableName, Table>>;
  readonly migrations: Migrations;
}

export const SCHEMA: Schema = { tables: TABLES, migrations: MIGRATIONS };

/** A segment as DuckDB reads it, and the version of its columns. */
export interface Located {
  readonly location: string;
  readonly version: number;
  /** The run in whose folder it lies: its rows are of that run, whatever they say. Undefined for a file of no run. */
  readonly run?: string;
}

/** A select with the columns of the current version over segments of any version, in their order. */
export function orderedSelect(schema: Schema, table: TableName, segments: readonly Located[]): string {
  const groups: Located[][] = [];
  for (const segment of segments) {
    const last = groups.at(-1);
    if (last?.[0]?.version === segment.version) last.push(segment);
    else groups.push([segment]);
  }
  if (groups.length === 0) return selectNothing(schema, table);
  return groups.map((group) => selectFrom(schema, table, group)).join(" union all ");
}

/** Segments of one version. */
function selectFrom(schema: Schema, table: TableName, segments: readonly Located[]): string {
  const { columns, version: current } = schema.tables[table];
  const [first = { location: "", version: current }] = segments;
  const { version, run } = first;
  const names = segments.map(({ location }) => quote(location)).join(", ");
  const isOne = segments.every((segment) => segment.run === run);
  // Of several runs, by the name of the file: STORE/RUN/segments/FILE.
  const own = isOne ? quote(run ?? "") : "parse_path(_segment)[-3]";
  const source = `read_parquet([${names}]${isOne ? "" : ", filename = '_segment'"})`;
  let select = run === undefined ? `select * from ${source}` : `select * replace (${own} as run) from ${source}`;
  for (let from = version; from < current; from += 1) {
    const step = schema.migrations[table]?.[from - 1];
    if (step === undefined) {
      throw new EngineError(
        "no-migration",
        `Table "${table}" cannot be read from version ${from}; use an older release.`,
      );
    }
    select = `with older as (${select}) ${step}`;
  }
  return `select ${columns.map(({ name }) => name).join(", ")} from (${select})`;
}

/** A select with the same columns and no rows. */
function selectNothing(schema: Schema, table: TableName): string {
  const columns = schema.tables[table].columns.map(({ name, type }) => `NULL::${SQL_TYPES[type]} as ${name}`);
  return `select ${columns.join(", ")} where false`;
}

/** A text as a literal of SQL. The parser ends a statement at a NUL, so that letter is written as a call. */
export function quote(text: string): string {
  const parts = text.split("\0").map((part) => `'${part.replaceAll("'", "''")}'`);
  return parts.length === 1 ? (parts[0] ?? "''") : `(${parts.join(" || chr(0) || ")})`;
}
