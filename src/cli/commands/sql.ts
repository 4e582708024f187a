/** `limbeck sql`: questions to the store. */
import { EngineError, isAbort } from "../../base/errors.ts";
import type { QueryResult, Store } from "../../store/store.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { csvCell, tableCell } from "../look/cell.ts";
import { cleanLine } from "../look/clean-text.ts";
import { printTable, type Column } from "../look/table.ts";
import { formatCount, formatDuration, plural } from "../look/units.ts";
import { parseCount, usageError } from "../parse.ts";
import { readOptions, readScope, withStore } from "../with-store.ts";
import { flag, text } from "../options.ts";

const SHOWN_ROWS = 100;
const NUMERIC = /^(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|UTINYINT|USMALLINT|UINTEGER|UBIGINT|FLOAT|DOUBLE|DECIMAL)/;

export const sql: Command = {
  group: "data",
  summary: "Ask the store in SQL",
  usage: '"select …" [--run ID] [--format table|csv|json]',
  description:
    "Views: runs, tasks, trajectories, steps, tokens, rewards, skills, metrics, events; --tables lists their columns. The language is DuckDB's.\n" +
    "A statement of - is read from standard input.",
  arity: [0, 1],
  options: {
    ...readOptions,
    format: text("F", "table, csv or json. Default: table", () => ["table", "csv", "json"]),
    limit: text("N", `Rows of a table to print, 0 for all. Default: ${SHOWN_ROWS}`),
    tables: flag("List views and columns"),
  },
  examples: [
    'limbeck sql "select env, count(*) n, avg(success::int) success from trajectories group by env"',
    "limbeck sql --tables",
    'limbeck sql --format csv "select * from rewards" > rewards.csv',
    "limbeck sql - < question.sql",
  ],
  jsonFields: {
    "*": "one object per row; fields are the columns of the answer",
    view: "--tables: name of the view",
    column: "--tables: name of the column",
    type: "--tables: its SQL type",
  },
  natives: ["duckdb"],
  run: async (invocation) => {
    if (invocation.flag("tables")) {
      if (invocation.positionals.length > 0) throw usageError("--tables takes no statement.");
      return withStore(invocation.storeRoot, (store) => listTables(invocation, store));
    }
    const [words] = invocation.positionals;
    if (words === undefined)
      throw usageError('"limbeck sql" needs a statement: limbeck sql "select …". See also limbeck sql --tables.');
    const statement = words === "-" ? await invocation.io.readInput() : words;
    return withStore(invocation.storeRoot, (store) => ask(invocation, store, statement));
  },
};

async function ask(invocation: Invocation, store: Store, statement: string): Promise<number> {
  const { io } = invocation;
  const scope = await readScope(invocation, store);
  const limit = parseCount(invocation.text("limit") ?? String(SHOWN_ROWS), "limit", 0);
  const started = io.now();
  const result = await store.query(statement, scope).catch((error: unknown) => {
    throw isAbort(error) || error instanceof EngineError
      ? error
      : new EngineError("bad-sql", error instanceof Error ? error.message : String(error), { cause: error });
  });
  const tookMs = io.now() - started;
  const format = invocation.text("format") ?? "table";
  if (invocation.json || format === "json") printObjects(invocation, result);
  else if (format === "csv") printCsv(invocation, result);
  else printRows(invocation, result, limit === 0 ? result.rows.length : limit, tookMs);
  return EXIT.done;
}

/** Two columns of one name would overwrite each other; the later ones get a number. */
function printObjects(invocation: Invocation, result: QueryResult): void {
  const names: string[] = [];
  for (const { name } of result.columns) {
    let unique = name;
    for (let number = 2; names.includes(unique); number += 1) unique = `${name}_${number}`;
    names.push(unique);
  }
  for (const row of result.rows) {
    invocation.printJson(Object.fromEntries(names.map((name, index) => [name, row[index] ?? null])));
  }
}

/** A file gets the exact text; a terminal gets it cleaned. */
function printCsv(invocation: Invocation, result: QueryResult): void {
  const { io } = invocation;
  const line = (cells: readonly unknown[]): void => {
    const text = cells.map(csvCell).join(",");
    io.out(io.terminal.out ? `${cleanLine(text)}\n` : `${text}\r\n`);
  };
  line(result.columns.map((column) => column.name));
  for (const row of result.rows) line(row);
}

function printRows(invocation: Invocation, result: QueryResult, limit: number, tookMs: number): void {
  const { style } = invocation;
  const columns = result.columns.map(({ name, type }): Column => {
    const paint = (padded: string, cell: string): string => (cell === "∅" ? style.dim(padded) : padded);
    return { title: name, align: NUMERIC.test(type) && !type.endsWith("]") ? "right" : "left", paint };
  });
  const rows = result.rows.slice(0, limit).map((row) => row.map(tableCell));
  printTable(invocation, columns, rows);
  const more = result.rows.length - rows.length;
  invocation.print();
  invocation.print(style.dim(`${plural(result.rows.length, "row")} in ${formatDuration(tookMs)}`));
  if (more > 0) {
    invocation.note(style.dim(`${formatCount(more)} more not shown; --limit 0 shows all, --format csv writes all.`));
  }
}

async function listTables(invocation: Invocation, store: Store): Promise<number> {
  const { io, style } = invocation;
  const { rows } = await store.query(
    "select table_name, column_name, data_type from information_schema.columns where table_schema = 'main' and not starts_with(table_name, '_') order by table_name, ordinal_position",
    { signal: io.signal },
  );
  const cells = rows.map((row) => row.map(String));
  if (invocation.json) {
    for (const [view, column, type] of cells) invocation.printJson({ view, column, type });
    return EXIT.done;
  }
  let last: string | undefined;
  const shown = cells.map(([view = "", column = "", type = ""]) => {
    const title = view === last ? "" : view;
    last = view;
    return [title, column, type];
  });
  printTable(invocation, [{ title: "view", paint: style.cyan }, "column", { title: "type", paint: style.dim }], shown);
  return EXIT.done;
}
