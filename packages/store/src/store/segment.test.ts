import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { wasmMemory } from "parquet-wasm";
import { expect, test } from "vitest";
import { collect, temporaryFolder } from "../../../../test/support/stores.ts";
import { streamRows } from "./merge.ts";
import { openDatabase } from "./database.ts";
import { segmentBytes } from "./segment.ts";
import { TABLES, type Column, type Row, type Table } from "./tables.ts";

const folder = temporaryFolder();

const TYPES = ["text", "int32", "int64", "double", "bool", "int32[]", "uint8[]", "float32[]"] as const;
const table: Table = { version: 1, columns: TYPES.map((type, index): Column => ({ name: `c${index}`, type })) };

async function roundTrip(rows: readonly Row[]): Promise<Row[]> {
  const file = join(folder(), "s.parquet");
  await writeFile(file, segmentBytes(table, rows));
  const database = await openDatabase();
  const read = await collect(streamRows(database.connection, table.columns, `select * from '${file}'`));
  database.close();
  return read;
}

const row = (...cells: Row[string][]): Row => Object.fromEntries(cells.map((cell, index) => [`c${index}`, cell]));

test("cells of every type survive, the awkward ones too", async () => {
  const rows = [
    row("", 0, 0, 0, false, Int32Array.of(), Uint8Array.of(), Float32Array.of()),
    row(null, null, null, null, null, null, null, null),
    row(
      "é😀\u0000\n",
      -2_147_483_648,
      Number.MIN_SAFE_INTEGER,
      Number.MIN_VALUE,
      true,
      Int32Array.of(-1, 2_147_483_647),
      Uint8Array.of(0, 255),
      Float32Array.of(-0, Number.NaN, Number.NEGATIVE_INFINITY, 1e-45),
    ),
    row("x".repeat(100_000), 1, Number.MAX_SAFE_INTEGER, -0, false, null, Uint8Array.of(1), null),
    row("plain", 1, 1, Number.POSITIVE_INFINITY, true, Int32Array.of(1), null, Float32Array.of(0.1)),
  ];
  expect(await roundTrip(rows)).toStrictEqual(rows);
});

test("half a surrogate pair is replaced and does not reach into its neighbour", async () => {
  const rest = [1, 1, 1, true, null, null, null] as const;
  const [first, second] = await roundTrip([row("a\ud83d", ...rest), row("\ude00b", ...rest)]);
  expect([first?.["c0"], second?.["c0"]]).toEqual(["a\ufffd", "\ufffdb"]);
});

test("a chunk boundary and a row group boundary lose nothing", async () => {
  // DuckDB hands out 2,048 rows at a time; a row group has 8,192.
  const rows = Array.from({ length: 10_000 }, (_, index) =>
    row(`t${index}`, index, index, index / 3, index % 2 === 0, Int32Array.of(index), Uint8Array.of(index % 256), null),
  );
  expect(await roundTrip(rows)).toStrictEqual(rows);
});

test("writing leaves nothing behind in WebAssembly memory", () => {
  const rows = Array.from({ length: 2000 }, (_, step) => ({
    run: "r",
    trajectory: "t",
    step,
    token_ids: new Int32Array(200),
  }));
  const size = (): number => (wasmMemory() as unknown as { buffer: ArrayBuffer }).buffer.byteLength;
  for (let round = 0; round < 3; round += 1) segmentBytes(TABLES.steps, rows);
  const before = size();
  // 20 rounds of 1.6 MB would be 32 MB if they were kept.
  for (let round = 0; round < 20; round += 1) segmentBytes(TABLES.steps, rows);
  expect(size() - before).toBeLessThan(8_000_000);
});
