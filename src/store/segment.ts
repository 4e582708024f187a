/** Rows to the bytes of one Parquet segment. */
import { RecordBatch, Schema, Field, Struct, Table as ArrowTable, makeData, tableToIPC } from "apache-arrow";
import {
  Compression,
  EnabledStatistics,
  Table as WasmTable,
  WriterPropertiesBuilder,
  writeParquet,
  type WriterProperties,
} from "parquet-wasm";
import { arrowColumn, arrowType } from "./arrow-columns.ts";
import type { Row, Table } from "./tables.ts";

/** DuckDB reads row groups in parallel, and holds one at a time for each thread. */
const ROW_GROUP_ROWS = 8192;

/**
 * LZ4, and no dictionaries for numbers: the fastest to write in the trials of `docs/store.md`. Compaction rewrites with
 * ZSTD and dictionaries, when there is time.
 */
export function segmentBytes(table: Table, rows: readonly Row[]): Uint8Array {
  const fields = table.columns.map((column) => new Field(column.name, arrowType(column.type), true));
  const schema = new Schema(fields);
  const children = table.columns.map((column) => arrowColumn(column, rows));
  const data = makeData({ type: new Struct(fields), length: rows.length, nullCount: 0, children });
  const stream = tableToIPC(new ArrowTable(schema, [new RecordBatch(schema, data)]), "stream");
  // Both objects live in WebAssembly memory; writeParquet takes them over and frees them.
  return writeParquet(WasmTable.fromIPCStream(stream), writerProperties(table));
}

function writerProperties(table: Table): WriterProperties {
  let builder = new WriterPropertiesBuilder()
    .setCompression(Compression.LZ4_RAW)
    .setMaxRowGroupSize(ROW_GROUP_ROWS)
    .setDictionaryEnabled(false)
    .setStatisticsEnabled(EnabledStatistics.None);
  for (const { name, type } of table.columns) {
    // Texts repeat (runs, states, actions), and queries group by them.
    if (type === "text") builder = builder.setColumnDictionaryEnabled(name, true);
    // Smallest and largest values let a scan skip row groups. Nobody asks for the smallest token.
    if (!type.endsWith("[]")) builder = builder.setColumnStatisticsEnabled(name, EnabledStatistics.Chunk);
  }
  return builder.build();
}
