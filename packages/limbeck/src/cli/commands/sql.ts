/** `limbeck sql`: questions to the store. */
import { EngineError, isAbort } from "limbeck-base/base/errors";
import { input } from "limbeck-base/base/input";
import { readInputs } from "limbeck-store/store/read.inputs";
import type { QueryResult, Store } from "limbeck-store/store/store";
import { defineCommand, type Frame } from "../command-of.ts";
import { csvCell, tableCell } from "../look/cell.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { printTable, type Column } from "../look/table.ts";
import { formatCount, formatDuration, plural } from "limbeck-base/base/units";
import { readStore, withStore } from "../with-store.ts";

const NUMERIC = /^(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|UTINYINT|USMALLINT|UINTEGER|UBIGINT|FLOAT|DOUBLE|DECIMAL)/;

export const sql = defineCommand({
  group: "data",
  summary: "Ask the store in SQL",
  usage: '"select …" [--run ID] [--format table|csv|json]',
  description:
    "Views: runs, tasks, trajectories, steps, tokens, rewards, skills, metrics, events; --tables lists their columns. The language is DuckDB's.\n" +
    "A statement of - is read from standard input.",
  input: {
    statement: input.text("STATEMENT", "What is asked", { at: 0 }),
    ...readInputs,
    format: input.choice("F", "table, csv or json", ["table", "csv", "json"], { default: "table" }),
    limit: input.count("N", "Rows of a table to print, 0 for all", { least: 0, default: 100 }),
    tables: input.flag("List views and columns"),
  },
  rules: [
    { never: ["tables", "statement"], say: "--tables takes no statement." },
    {
      oneOf: ["tables", "statement"],
      say: '"limbeck sql" needs a statement: limbeck sql "select …". See also limbeck sql --tables.',
    },
  ],
  examples: [
    'limbeck sql "select env, count(*) n, avg(success::int) success from trajectories group by env"',
    "limbeck sql --tables",
    'limbeck sql --format csv "select * from rewards" > rewards.csv',
    "limbeck sql - < question.sql",
  ],
  line: {
    "*": "one object per row; fields are the columns of the answer",
    view: "--tables: name of the view",
    column: "--tables: name of the column",
    type: "--tables: its SQL type",
  },
  natives: () => ["duckdb"],
  run: async ({ statement: words, format, limit, tables, ...read }, frame) => {
    const { io, json, now } = frame;
    if (tables) return await withStore(frame.store, async (store) => await listTables(frame, store));
    const statement = words === "-" ? await io.readInput() : (words ?? "");
    await readStore(read, frame, async (store, scope) => {
      const started = now();
      const result = await store.query(statement, scope).catch((error: unknown) => {
        throw isAbort(error) || error instanceof EngineError
          ? error
          : new EngineError("bad-sql", error instanceof Error ? error.message : String(error), { cause: error });
      });
      if (json || format === "json") namedRows(result).forEach(frame.printJson);
      else if (format === "csv") printCsv(frame, result);
      else printRows(frame, result, limit === 0 ? result.rows.length : limit, now() - started);
    });
  },
});

/** Two columns of one name would overwrite each other; the later ones get a number. */
function namedRows(result: QueryResult): object[] {
  const names: string[] = [];
  for (const { name } of result.columns) {
    let unique = name;
    for (let number = 2; names.includes(unique); number += 1) unique = `${name}_${number}`;
    names.push(unique);
  }
  return result.rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? null])));
}

/** A file gets the exact text; a terminal gets it cleaned. */
function printCsv(frame: Frame, result: QueryResult): void {
  const { io } = frame;
  const line = (cells: readonly unknown[]): void => {
    const text = cells.map(csvCell).join(",");
    io.out(io.terminal.out ? `${cleanLine(text)}\n` : `${text}\r\n`);
  };
  line(result.columns.map((column) => column.name));
  for (const row of result.rows) line(row);
}

function printRows(frame: Frame, result: QueryResult, limit: number, tookMs: number): void {
  const { style } = frame;
  const columns = result.columns.map(({ name, type }): Column => {
    const paint = (padded: string, cell: string): string => (cell === "∅" ? style.dim(padded) : padded);
    return { title: name, align: NUMERIC.test(type) && !type.endsWith("]") ? "right" : "left", paint };
  });
  const rows = result.rows.slice(0, limit).map((row) => row.map(tableCell));
  printTable(frame, columns, rows);
  const more = result.rows.length - rows.length;
  frame.print();
  frame.print(style.dim(`${plural(result.rows.length, "row")} in ${formatDuration(tookMs)}`));
  if (more > 0) {
    frame.note(style.dim(`${formatCount(more)} more not shown; --limit 0 shows all, --format csv writes all.`));
  }
}

async function listTables({ emit, ...frame }: Frame<object>, store: Store): Promise<void> {
  const { signal, style } = frame;
  const { rows } = await store.query(
    "select table_name, column_name, data_type from information_schema.columns where table_schema = 'main' and not starts_with(table_name, '_') order by table_name, ordinal_position",
    { signal },
  );
  const cells = rows.map((row) => row.map(String));
  for (const [view, column, type] of cells) emit({ view, column, type });
  const shown = cells.map(([view = "", ...more], at) => [view === cells[at - 1]?.[0] ? "" : view, ...more]);
  printTable(frame, [{ title: "view", paint: style.cyan }, "column", { title: "type", paint: style.dim }], shown);
}
