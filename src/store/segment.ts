/** Rows to the bytes of one Parquet segment. */
import { RecordBatch, Schema, Field, Struct, Table as ArrowTable, makeData, tableToIPC } from "apache-arrow";
import { Compression, Table as WasmTable, WriterPropertiesBuilder, writeParquet } from "parquet-wasm";
import { arrowColumn, arrowType } from "./arrow-columns.ts";
import type { Row, Table } from "./tables.ts";

/** DuckDB reads row groups in parallel, and holds one at a time for each thread. */
const ROW_GROUP_ROWS = 8192;

/** LZ4: the fastest to write in the trial of `docs/store.md`; compaction rewrites with ZSTD. */
export function segmentBytes(table: Table, rows: readonly Row[]): Uint8Array {
  const fields = table.columns.map((column) => new Field(column.name, arrowType(column.type), true));
  const schema = new Schema(fields);
  const children = table.columns.map((column) => arrowColumn(column, rows));
  const data = makeData({ type: new Struct(fields), length: rows.length, nullCount: 0, children });
  const stream = tableToIPC(new ArrowTable(schema, [new RecordBatch(schema, data)]), "stream");
  const properties = new WriterPropertiesBuilder()
    .setCompression(Compression.LZ4_RAW)
    .setMaxRowGroupSize(ROW_GROUP_ROWS)
    .build();
  // Both objects live in WebAssembly memory, and writeParquet takes them over and frees them.
  return writeParquet(WasmTable.fromIPCStream(stream), properties);
}
