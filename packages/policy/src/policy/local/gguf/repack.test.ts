/** Codes of GGUF's blocks are taken over as they are: the values are those that the file's own type has. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeGguf } from "../../../../../../test/support/gguf.ts";
import { temporaryFolders } from "../../../../../../test/support/temporary-folder.ts";
import { dequantiseRows } from "../quantised/matrix.ts";
import { openGguf } from "./gguf-file.ts";
import { repackMatrix } from "./model.ts";

const folder = temporaryFolders();
const HALF = [0x00, 0x38]; // 0.5 as float16

async function written(kind: number, block: readonly number[]) {
  const path = join(await folder(), "one.gguf");
  await writeGguf(path, {}, [{ name: "m", shape: [1, 32], kind, bytes: Uint8Array.from(block) }]);
  return await openGguf(path);
}

test("Q8_0: a signed byte is its code less 128", async () => {
  // -128, 127 and 3 of 0.5: -64, 63.5 and 1.5.
  const file = await written(8, [...HALF, 0x80, 0x7f, 3, ...Array.from({ length: 29 }, () => 0)]);
  const matrix = await repackMatrix(file, "m", [1, 32], 8);
  await file.close();
  expect([...(matrix?.codes ?? [])].slice(0, 4)).toEqual([0, 255, 131, 128]);
  const values = new Float32Array(32);
  if (matrix !== undefined) dequantiseRows(matrix, 0, values);
  expect([...values].slice(0, 4)).toEqual([-64, 63.5, 1.5, 0]);
});

test("Q4_0: codes of the two halves stand side by side", async () => {
  // Byte 0 is 0x9f: 15 in the first half, 9 in the second; byte 1 is 0x80: 0 and 8. Less 8, of 0.5: 3.5, -4 | 0.5, 0.
  const file = await written(2, [...HALF, 0x9f, 0x80, ...Array.from({ length: 14 }, () => 0x88)]);
  const matrix = await repackMatrix(file, "m", [1, 32], 4);
  const values = new Float32Array(32);
  if (matrix !== undefined) dequantiseRows(matrix, 0, values);
  expect([values[0], values[1], values[2], values[16], values[17]]).toEqual([3.5, -4, 0, 0.5, 0]);
  const plain = new Float32Array(32);
  await file.readInto("m", plain);
  await file.close();
  expect(values).toEqual(plain);
});

test("other bits than the file's are not taken over, and a scale that is not finite is refused", async () => {
  const other = await written(8, [...HALF, ...Array.from({ length: 32 }, () => 0)]);
  expect(await repackMatrix(other, "m", [1, 32], 4)).toBeUndefined();
  await other.close();
  const odd = await written(8, [0x00, 0x7c, ...Array.from({ length: 32 }, () => 1)]);
  await expect(repackMatrix(odd, "m", [1, 32], 8)).rejects.toThrow('"m" has the scale Infinity at place 0');
  await odd.close();
});
