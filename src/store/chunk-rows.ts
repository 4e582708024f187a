/** DuckDB results as rows, a chunk at a time. Token lists become typed arrays without touching single values. */
import type { DuckDBConnection, DuckDBDataChunk, DuckDBListVector, DuckDBVector } from "@duckdb/node-api";
import type { Cell, CellType, Column, Row } from "./tables.ts";

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
