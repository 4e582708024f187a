/** Rows to the bytes of one Parquet segment. */
import {
  RecordBatch,
  Schema,
  Field,
  Struct,
  Table as ArrowTable,
  makeData,
  tableToIPC,
  List,
  Utf8,
  Int32,
  Int64,
  Float64,
  Float32,
  Uint8,
  Bool,
  type Data,
  type DataType,
} from "apache-arrow";
import {
  Compression,
  EnabledStatistics,
  Table as WasmTable,
  WriterPropertiesBuilder,
  writeParquet,
  type WriterProperties,
} from "parquet-wasm";
import type { Row, Table, Cell, CellType, Column } from "./tables.ts";

// Rows to Arrow columns. Token arrays are copied straight from typed array to typed array: a value at a time through Arrow's
// builders was several times slower.

type TypedArray = Int32Array | Uint8Array | Float32Array;

interface Nulls {
  readonly nullCount: number;
  readonly nullBitmap: Uint8Array;
}

function arrowColumn(column: Column, rows: readonly Row[]): Data {
  const cells = rows.map((row) => row[column.name] ?? null);
  return BUILDERS[column.type](cells, nullsOf(cells));
}

function arrowType(type: CellType): DataType {
  return ARROW_TYPES[type];
}

const listOf = (type: DataType): DataType => new List(new Field("item", type, false));

const ARROW_TYPES: Readonly<Record<CellType, DataType>> = {
  text: new Utf8(),
  int32: new Int32(),
  int64: new Int64(),
  double: new Float64(),
  bool: new Bool(),
  "int32[]": listOf(new Int32()),
  "uint8[]": listOf(new Uint8()),
  "float32[]": listOf(new Float32()),
};

const BUILDERS: Readonly<Record<CellType, (cells: readonly Cell[], nulls: Nulls) => Data>> = {
  text: textColumn,
  int32: (cells, nulls) => flat(new Int32(), fill(new Int32Array(cells.length), cells), nulls),
  int64: (cells, nulls) => flat(new Int64(), wholeNumbers(cells), nulls),
  double: (cells, nulls) => flat(new Float64(), fill(new Float64Array(cells.length), cells), nulls),
  bool: (cells, nulls) => {
    const bits = bitmap(cells.length);
    cells.forEach((cell, index) => {
      if (cell === true) setBit(bits, index);
    });
    return makeData({ type: new Bool(), length: cells.length, data: bits, ...nulls });
  },
  "int32[]": (cells, nulls) => listColumn(cells, nulls, new Int32(), (length) => new Int32Array(length)),
  "uint8[]": (cells, nulls) => listColumn(cells, nulls, new Uint8(), (length) => new Uint8Array(length)),
  "float32[]": (cells, nulls) => listColumn(cells, nulls, new Float32(), (length) => new Float32Array(length)),
};

function flat(type: Int32 | Int64 | Float64, data: Int32Array | BigInt64Array | Float64Array, nulls: Nulls): Data {
  return makeData({ type, length: data.length, data, ...nulls } as Parameters<typeof makeData>[0]);
}

/** By index: `from` with a function goes through an iterator and is several times slower. */
function fill<T extends Int32Array | Float64Array>(data: T, cells: readonly Cell[]): T {
  for (let index = 0; index < cells.length; index += 1) {
    const cell = cells[index];
    if (typeof cell === "number") data[index] = cell;
  }
  return data;
}

function wholeNumbers(cells: readonly Cell[]): BigInt64Array {
  const data = new BigInt64Array(cells.length);
  for (let index = 0; index < cells.length; index += 1) {
    const cell = cells[index];
    if (typeof cell === "number") data[index] = BigInt(cell);
  }
  return data;
}

function textColumn(cells: readonly Cell[], nulls: Nulls): Data {
  const texts = cells as readonly (string | null)[];
  const offsets = new Int32Array(texts.length + 1);
  const joined = texts.join("");
  const ascii = Buffer.byteLength(joined) === joined.length;
  let end = 0;
  texts.forEach((text, index) => {
    if (text !== null) end += ascii ? text.length : Buffer.byteLength(text);
    offsets[index + 1] = end;
  });
  const data = ascii ? Buffer.from(joined, "latin1") : Buffer.allocUnsafe(end);
  if (!ascii) {
    // One by one: half a surrogate pair at the end of one text must not join with the start of the next.
    texts.forEach((text, index) => text !== null && data.write(text, offsets[index] as number));
  }
  return makeData({ type: new Utf8(), length: texts.length, valueOffsets: offsets, data, ...nulls });
}

function listColumn(
  cells: readonly Cell[],
  nulls: Nulls,
  type: Int32 | Uint8 | Float32,
  allocate: (length: number) => TypedArray,
): Data {
  const arrays = cells as readonly (TypedArray | null)[];
  const offsets = new Int32Array(arrays.length + 1);
  let end = 0;
  arrays.forEach((array, index) => {
    end += array?.length ?? 0;
    offsets[index + 1] = end;
  });
  const data = allocate(end);
  arrays.forEach((array, index) => {
    if (array !== null) data.set(array, offsets[index]);
  });
  const child = makeData({ type, length: end, nullCount: 0, data } as Parameters<typeof makeData>[0]);
  return makeData({
    type: new List(new Field("item", type, false)),
    length: arrays.length,
    valueOffsets: offsets,
    child,
    ...nulls,
  } as Parameters<typeof makeData>[0]);
}

function nullsOf(cells: readonly Cell[]): Nulls {
  const bits = bitmap(cells.length);
  let present = 0;
  for (let index = 0; index < cells.length; index += 1) {
    if (cells[index] === null) continue;
    setBit(bits, index);
    present += 1;
  }
  return { nullCount: cells.length - present, nullBitmap: bits };
}

/** Arrow pads its buffers to 8 bytes. */
function bitmap(length: number): Uint8Array {
  return new Uint8Array(Math.ceil(length / 64) * 8);
}

function setBit(bits: Uint8Array, index: number): void {
  bits[index >> 3] = (bits[index >> 3] as number) | (1 << (index & 7));
}

/** DuckDB reads row groups in parallel, and holds one at a time for each thread. */
const ROW_GROUP_ROWS = 8192;

/**
 * LZ4, and no dictionaries for numbers: the fastest to write in the trials of `docs/lookup/store.md`. Compaction rewrites with
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
    // Smallest and largest values let a scan skip row groups. No query needs the smallest token.
    if (!type.endsWith("[]")) builder = builder.setColumnStatisticsEnabled(name, EnabledStatistics.Chunk);
  }
  return builder.build();
}
