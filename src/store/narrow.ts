/** Views over a part of what a database shows, for one connection: much less is read when it is known where to look. */
import type { DuckDBConnection } from "@duckdb/node-api";
import { segmentPath, type Part } from "./commit-format.ts";
import { DERIVED_VIEWS, VIEWS } from "./database.ts";
import { orderedSelect, quote } from "./migrations.ts";
import { trajectoriesSelect, type Stretch } from "./outcomes.ts";
import type { Reading } from "./reading.ts";
import { rowsAfter, segmentLocations, type RunSnapshot } from "./snapshot.ts";
import type { QueryOptions } from "./store.ts";
import { TABLE_NAMES, type TableName } from "./tables.ts";

/** Views that are made of others. */
const BUILT_ON: Readonly<Partial<Record<TableName, readonly string[]>>> = {
  trajectories: ["tasks"],
  steps: ["tokens"],
  rewards: ["rewards"],
  later_rewards: ["rewards"],
};

/** Temporary views stand before the others of the same name, and go with their connection. */
export async function narrowViews(
  connection: DuckDBConnection,
  reading: Reading,
  runs: readonly RunSnapshot[],
  sql: string,
  { around, after }: Pick<QueryOptions, "around" | "after">,
): Promise<void> {
  const parts = around === undefined ? undefined : await partsAround(connection, reading, runs, around);
  // A view costs a millisecond to make, so only those are made that the query can mean.
  const mentions = (name: string): boolean => new RegExp(`\\b${name}\\b`, "i").test(sql);
  const wanted = TABLE_NAMES.filter((table) => [VIEWS[table], ...(BUILT_ON[table] ?? [])].some(mentions));
  const views = wanted.map((table) => {
    const chosen = runs.map((snapshot): Stretch => {
      const own = snapshot.fold.parts.filter((part) => parts?.has(part) ?? true);
      const { left, skip } = rowsAfter(own, table, after?.[table as "events"] ?? 0);
      return { snapshot, parts: left, skip };
    });
    return `create temp view ${VIEWS[table]} as ${narrowSelect(reading, table, chosen)};`;
  });
  const derived = Object.entries(DERIVED_VIEWS).filter(([name]) => mentions(name));
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
export async function partsAround(
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
