/** Views over a part of what a database shows, for one connection: much less is read when it is known where to look. */
import type { DuckDBConnection } from "@duckdb/node-api";
import { segmentPath, type Part } from "./commit-format.ts";
import { DERIVED_VIEWS, VIEWS } from "./database.ts";
import type { Files } from "./files.ts";
import { orderedSelect, quote, type Schema } from "./migrations.ts";
import { segmentLocations, type RunSnapshot } from "./snapshot.ts";
import type { QueryOptions } from "./store.ts";
import { TABLE_NAMES, type TableName } from "./tables.ts";

/** Temporary views stand before the others of the same name, and go with their connection. */
export async function narrowViews(
  connection: DuckDBConnection,
  files: Files,
  schema: Schema,
  runs: readonly RunSnapshot[],
  { around, after }: Pick<QueryOptions, "around" | "after">,
): Promise<void> {
  const parts = around === undefined ? undefined : await partsAround(connection, files, runs, around);
  const views = TABLE_NAMES.map((table) => {
    const chosen = runs.map(({ file, fold }) => ({
      run: file.id,
      ...later(
        fold.parts.filter((part) => parts?.has(part) ?? true),
        table,
        after?.[table as "events"] ?? 0,
      ),
    }));
    const segments = chosen.flatMap(({ run, left }) => segmentLocations(files, run, left, table));
    const skip = chosen.reduce((sum, one) => sum + one.skip, 0);
    const select = orderedSelect(schema, table, segments);
    return `create temp view ${VIEWS[table]} as ${skip === 0 ? select : `select * from (${select}) offset ${skip}`};`;
  });
  const derived = DERIVED_VIEWS.filter((view) => view.startsWith("create view"));
  const named = derived.map((view) => view.replace("create view", "create temp view"));
  await connection.run([...views, ...named].join("\n"));
}

/** The parts that hold some of these trajectories. */
export async function partsAround(
  connection: DuckDBConnection,
  files: Files,
  runs: readonly RunSnapshot[],
  ids: readonly string[],
): Promise<Set<Part>> {
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

/** Parts behind the first `rows` rows of a table, and how many rows of the first of them are still before. */
function later(parts: readonly Part[], table: TableName, rows: number): { left: readonly Part[]; skip: number } {
  let skip = rows;
  for (const [at, part] of parts.entries()) {
    const count = part.segments.reduce((sum, one) => (one.table === table ? sum + one.rows : sum), 0);
    if (skip < count) return { left: parts.slice(at), skip };
    skip -= count;
  }
  return { left: [], skip: 0 };
}
