/**
 * Whole trajectories where DuckDB is not installed, as after a first installation: each segment is read whole, one part after
 * another. It knows no conditions in SQL and no older versions of a table; both need DuckDB.
 */
import type { Vector } from "apache-arrow";
import { EngineError, errorData } from "limbeck-base/base/errors";
import { groupedBy } from "limbeck-base/base/grouped-by";
import { plainBytes } from "limbeck-base/base/plain-file";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { segmentPath, type Part } from "./commit-format.ts";
import { decodeTrajectory } from "./encode.ts";
import type { Files } from "./files.ts";
import { lastingFault, type RunSnapshot } from "./snapshot.ts";
import { TABLES, type Cell, type CellType, type Column, type Row, type TableName } from "./tables.ts";

/** In commit order, those of `ids` alone where it is given. */
export async function* readPlainly(
  files: Files,
  snapshot: RunSnapshot,
  ids?: readonly string[],
): AsyncGenerator<Trajectory, void, undefined> {
  const { fold } = snapshot;
  const read = async (part: Part, table: TableName): Promise<Row[]> =>
    await rowsOf(files, snapshot, part, table, TABLES[table].columns);
  const added: Row[] = [];
  for (const part of fold.parts) for (const row of await read(part, "later_rewards")) added.push(row);
  const later = groupedBy(added, (row) => row["trajectory"] as string);
  const wanted = ids === undefined ? undefined : new Set(ids);
  for (const part of fold.parts) {
    const [rows, steps, rewards] = [
      await read(part, "trajectories"),
      await read(part, "steps"),
      await read(part, "rewards"),
    ];
    let [step, reward] = [0, 0];
    for (const row of rows) {
      const own = steps.slice(step, (step += row["step_count"] as number));
      const judged = rewards.slice(reward, (reward += row["reward_count"] as number));
      const id = row["id"] as string;
      if (wanted?.has(id) !== false) yield decodeTrajectory(row, own, judged, later.get(id) ?? []);
    }
  }
}

/** The rows of one part with these columns, in stored order. */
export async function rowsOf(
  files: Files,
  snapshot: RunSnapshot,
  part: Part,
  table: TableName,
  columns: readonly Column[],
): Promise<Row[]> {
  const run = snapshot.file.id;
  const { version } = TABLES[table];
  const rows: Record<string, Cell>[] = [];
  for (const segment of part.segments.filter((one) => one.table === table)) {
    if (segment.schemaVersion !== version) {
      const message = `Table "${table}" of run "${run}" has version ${segment.schemaVersion}; without DuckDB only version ${version} is read.`;
      throw new EngineError("no-migration", message, { details: { run, table } });
    }
    const path = segmentPath(run, segment.file);
    await files.copies?.fetch(path);
    const found = await arrowTable(files.location(path), columns).catch(async (error: unknown) => {
      throw (await lastingFault(files, snapshot)) ?? damaged(files.address(path), run, error);
    });
    const start = rows.length;
    for (let at = 0; at < found.numRows; at += 1) rows.push({});
    for (const { name, type } of columns) {
      const vector = found.getChild(name);
      if (vector === null) continue;
      for (let at = 0; at < found.numRows; at += 1) {
        (rows[start + at] as Record<string, Cell>)[name] = cellAt(vector, at, type);
      }
    }
  }
  // As with DuckDB: rows are of the run in whose folder they lie.
  for (const row of rows) row["run"] = run;
  return rows;
}

async function arrowTable(location: string, wanted: readonly Column[]) {
  const [{ readParquet }, { tableFromIPC }] = await Promise.all([import("parquet-wasm"), import("apache-arrow")]);
  const columns = wanted.map(({ name }) => name);
  return tableFromIPC(readParquet(await plainBytes(location), { columns }).intoIPCStream());
}

function damaged(path: string, run: string, cause: unknown): EngineError {
  const message = `${path} is damaged: ${errorData(cause).message} Restore the file, or delete run "${run}".`;
  return new EngineError("segment-damaged", message, { details: { run, path }, cause });
}

const LISTS = { "int32[]": Int32Array, "uint8[]": Uint8Array, "float32[]": Float32Array } as const;

function cellAt(vector: Vector, at: number, type: CellType): Cell {
  const value: unknown = vector.get(at);
  if (value === null || value === undefined) return null;
  if (type === "int64") return Number(value);
  if (type !== "int32[]" && type !== "uint8[]" && type !== "float32[]") return value as Cell;
  return LISTS[type].from((value as Vector<never>).toArray());
}
