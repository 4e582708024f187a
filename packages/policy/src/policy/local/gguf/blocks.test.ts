/** Every type by blocks worked out by hand, and against the Python package `gguf` where it is at hand. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { temporaryFolders } from "../../../../../../test/support/temporary-folder.ts";
import { createRng } from "limbeck-base/base/rng";
import { BLOCKS, dequantise, typeName } from "./blocks.ts";
import type { Block, PlainType } from "./blocks.ts";

const folder = temporaryFolders();

/** float16 of 0.5, 1, 2 and 4, little-endian. */
const HALF = [0x00, 0x38];
const ONE = [0x00, 0x3c];
const TWO = [0x00, 0x40];
const FOUR = [0x00, 0x44];

interface Worked {
  /** Bytes from each place on; the others are 0. */
  readonly bytes: Readonly<Record<number, readonly number[]>>;
  /** Values from each place on. */
  readonly values: Readonly<Record<number, readonly number[]>>;
}

const WORKED: Readonly<Record<string, Worked>> = {
  F32: { bytes: { 0: [0x00, 0x00, 0xc0, 0x3f] }, values: { 0: [1.5] } },
  F16: { bytes: { 0: [0x00, 0xc0] }, values: { 0: [-2] } },
  BF16: { bytes: { 0: [0xc0, 0x3f] }, values: { 0: [1.5] } },
  // 0.5 x -1, 0.5 x 127.
  Q8_0: { bytes: { 0: HALF, 2: [255, 127] }, values: { 0: [-0.5, 63.5, 0] } },
  // 2 x (0 - 8); the high half, 1, is value 16: 2 x (1 - 8).
  Q4_0: { bytes: { 0: TWO, 2: [0x10] }, values: { 0: [-16, -16], 16: [-14, -16] } },
  // 2 x 1 + 0.5, 2 x 3 + 0.5.
  Q4_1: { bytes: { 0: TWO, 2: HALF, 4: [0x31] }, values: { 0: [2.5, 0.5], 16: [6.5, 0.5] } },
  // Fifth bits of values 0 and 16: 17 - 16 and 18 - 16.
  Q5_0: { bytes: { 0: ONE, 2: [1, 0, 1, 0], 6: [0x21] }, values: { 0: [1, -16], 16: [2, -16] } },
  // The same with a minimum of 0.5 in the place of -16.
  Q5_1: { bytes: { 0: ONE, 2: HALF, 4: [1, 0, 1, 0], 8: [0x21] }, values: { 0: [17.5, 0.5], 16: [18.5, 0.5] } },
  // Part 0: step 2 x 3, floor 0.5 x 2; codes 2 and 0. Part 2 shares its bytes, two bits higher: 2 x 1 x 3.
  // Part 15: 2 x 1 x 3 - 0.5 x 1.
  Q2_K: {
    bytes: { 0: [0x23, 0, 0x01], 15: [0x11], 16: [0x0e], 79: [0xc0], 80: TWO, 82: HALF },
    values: { 0: [11, -1], 16: [0], 32: [6, 0], 254: [-0.5, 5.5] },
  },
  // Part 0: step 5 + 32 - 32; code 2 with its third bit is 2, without any bit -4. Part 15: step 1 + 16 - 32 = -15;
  // code 3 with its third bit is 3.
  Q3_K: {
    bytes: { 0: [1], 31: [0x80], 32: [2], 95: [0xc0], 96: [5], 103: [0x10], 104: [2], 107: [0x40], 108: ONE },
    values: { 0: [10, -20], 254: [60, -45] },
  },
  // Part 0: step 2 x 5, floor 1 x 3. Part 7: step 2 x (1 + 16), floor 2 + 32; code 3.
  Q4_K: {
    bytes: { 0: TWO, 2: ONE, 4: [5], 7: [0x40], 8: [3], 11: [0x80], 15: [0x21], 16: [0x21], 143: [0x30] },
    values: { 0: [7, -3], 32: [0], 254: [-34, 68] },
  },
  // The same with fifth bits: 10 x 17 - 3 and 34 x 19 - 34.
  Q5_K: {
    bytes: {
      0: TWO,
      2: ONE,
      4: [5],
      7: [0x40],
      8: [3],
      11: [0x80],
      15: [0x21],
      16: [1],
      47: [0x80],
      48: [0x21],
      175: [0x30],
    },
    values: { 0: [167, -3], 254: [-34, 612] },
  },
  // Part 0: step 0.5 x -2; 5 + 48 - 32 = 21, and 0 - 32. Part 15: step 0.5 x 4; 7 + 32 - 32.
  Q6_K: {
    bytes: { 0: [5], 127: [0x70], 128: [3], 191: [0x80], 192: [254], 207: [4], 208: HALF },
    values: { 0: [-21, 32], 255: [14] },
  },
  // Point 1 is (43, 8, ...); signs 1 turn the first and, to be even, the last. 4 x (0.5 + 1) x 0.25 = 1.5.
  IQ2_XXS: {
    bytes: { 0: FOUR, 2: [1], 6: [1, 0, 0, 0x10] },
    values: { 0: [-64.5, 12, 12, 12, 12, 12, 12, -12, 12], 32: [4] },
  },
  // The same; signs stand above the nine bits of the point, scales at the end.
  IQ2_XS: {
    bytes: { 0: FOUR, 2: [1, 2], 66: [1] },
    values: { 0: [-64.5, 12, 12, 12, 12, 12, 12, -12, 12], 16: [4] },
  },
  // The same with all eight signs written. The last point is 0 + 3 x 256 = 768:
  // (8, 43, 8, 25, 8, 8, 43, 25).
  IQ2_S: {
    bytes: { 0: FOUR, 2: [1], 34: [0x81], 73: [0xc0], 74: [1] },
    values: { 0: [-64.5, 12, 12, 12, 12, 12, 12, -12, 12], 16: [4], 248: [4, 21.5, 4, 12.5, 4, 4, 21.5, 12.5] },
  },
  // Points of four: point 1 is (20, 4, 4, 4). 2 x (0.5 + 1) x 0.5 = 1.5.
  IQ3_XXS: {
    bytes: { 0: TWO, 2: [1], 66: [1, 0, 0, 0x10] },
    values: { 0: [-30, 6, 6, 6, 6, 6, 6, -6, 6], 32: [2] },
  },
  // 2 x (1 + 2 x 1) = 6 in part 0; its first point is 1, (3, 1, 1, 1), its second 0 + 256, (7, 5, 9, 5).
  IQ3_S: {
    bytes: { 0: TWO, 2: [1], 66: [2], 74: [0x81], 106: [1] },
    values: { 0: [-18, 6, 6, 6, 42, 30, 54, -30, 6], 32: [2] },
  },
  IQ4_NL: { bytes: { 0: TWO, 2: [0xf0] }, values: { 0: [-254, -254], 16: [226, -254] } },
  // Part 0: 3 + 32 - 32. Part 7: 1 + 48 - 32 = 17; code 8 is 1.
  IQ4_XS: {
    bytes: { 0: ONE, 2: [0x02, 0xc0], 4: [3], 7: [0x10], 8: [0xf0], 135: [0x08] },
    values: { 0: [-381], 16: [339], 239: [17], 255: [-2159] },
  },
};

const kinds: readonly (readonly [string, number, Block | PlainType])[] = [...BLOCKS].map(([kind, block]) => [
  block.name,
  kind,
  block,
]);

describe("by hand", () => {
  test.each(kinds)("%s", (name, _kind, block) => {
    const worked = WORKED[name] as Worked;
    // Two blocks in a row: the second has to be found too.
    const bytes = new Uint8Array(block.bytes * 2);
    for (const [at, part] of Object.entries(worked.bytes)) bytes.set(part, block.bytes + Number(at));
    const out = new Float32Array(block.values * 2);
    dequantise(block, bytes, out);
    for (const [at, part] of Object.entries(worked.values)) {
      const start = block.values + Number(at);
      expect([at, ...out.subarray(start, start + part.length)]).toEqual([at, ...part]);
    }
  });
  test("types that cannot be read have names too", () => {
    expect([39, 19, 31].map((kind) => typeName(kind))).toEqual(["MXFP4", "IQ1_S", "number 31"]);
  });
});

const python = process.env["LIMBECK_PYTHON"];
const run = promisify(execFile);

const SCRIPT = `
import sys, numpy as np, gguf
kind = gguf.GGMLQuantizationType(int(sys.argv[1]))
assert gguf.GGML_QUANT_SIZES[kind] == (int(sys.argv[2]), int(sys.argv[3]))
raw = np.fromfile(sys.argv[4], dtype=np.uint8).reshape(-1, int(sys.argv[3]))
gguf.dequantize(raw, kind).astype(np.float32).tofile(sys.argv[5])
`;

describe.skipIf(python === undefined)("as the Python package gguf has it (needs LIMBECK_PYTHON with gguf)", () => {
  test.each(kinds)("%s: 256 random blocks, bit by bit", async (name, kind, block) => {
    const place = await folder();
    const rng = createRng(name);
    const raw = Uint8Array.from({ length: 256 * block.bytes }, () => rng.int(256));
    await writeFile(join(place, "raw"), raw);
    const sizes = [block.values, block.bytes].map(String);
    await run(python as string, ["-c", SCRIPT, String(kind), ...sizes, join(place, "raw"), join(place, "values")]);
    const theirs = new Uint32Array((await readFile(join(place, "values"))).slice().buffer);
    const ours = new Float32Array(256 * block.values);
    dequantise(block, raw, ours);
    const bits = new Uint32Array(ours.buffer);
    expect(theirs.length).toBe(bits.length);
    // Random bytes make scales that are no numbers; those may differ in their payload.
    const isNan = (word: number): boolean => (word & 0x7f80_0000) === 0x7f80_0000 && (word & 0x007f_ffff) !== 0;
    const differs = bits.findIndex((word, at) => {
      const other = theirs[at] as number;
      return word !== other && !(isNan(word) && isNan(other));
    });
    expect(differs).toBe(-1);
  });
});
