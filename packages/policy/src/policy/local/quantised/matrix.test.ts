import { expect, test } from "vitest";
import { createMatrix, dequantiseRows, quantiseRows, reorderRows, type Bits } from "./matrix.ts";

function roundTrip(first: readonly number[], bits: Bits) {
  const values = new Float32Array(32);
  values.set(first);
  const matrix = createMatrix("m", [1, 32], bits, 32);
  quantiseRows(matrix, 0, values);
  const back = new Float32Array(32);
  dequantiseRows(matrix, 0, back);
  return { codes: [...matrix.codes], scales: [...matrix.scales], back: [...back] };
}

test("eight bits: the largest size is 127 steps", () => {
  // 63.5 / 127 = 0.5 a step: -127, 2, 0.6 and -0.4 steps, the last two rounded to 1 and 0; codes are 128 more.
  const { codes, scales, back } = roundTrip([-63.5, 1, 0.3, -0.2], 8);
  expect(scales).toEqual([0.5]);
  expect(codes).toEqual([1, 130, 129, 128, ...Array.from({ length: 28 }, () => 128)]);
  expect(back.slice(0, 5)).toEqual([-63.5, 1, 0.5, 0, 0]);
});

test("four bits: the value of the largest size is code 0", () => {
  // -4 / -8 = 0.5 a step: -8, 2, 1.2 and 7.8 steps are -8, 2, 1 and 8, of which 7 is the most; codes 0, 10, 9, 15.
  const { codes, scales, back } = roundTrip([-4, 1, 0.6, 3.9], 4);
  expect(scales).toEqual([0.5]);
  expect(codes).toEqual([0xa0, 0xf9, ...Array.from({ length: 14 }, () => 0x88)]);
  expect(back.slice(0, 5)).toEqual([-4, 1, 0.5, 3.5, 0]);
});

test("four bits: a largest value above zero makes the scale negative", () => {
  // 4 / -8 = -0.5: 4 is code 0, and -2 is 4 steps, code 12.
  const { codes, scales, back } = roundTrip([4, -2], 4);
  expect(scales).toEqual([-0.5]);
  expect(codes[0]).toBe(0xc0);
  expect(back.slice(0, 2)).toEqual([4, -2]);
});

test.each([4, 8] as const)("%i bits: zeros stay zeros, and rows are written one by one", (bits) => {
  const matrix = createMatrix("m", [2, 32], bits, 32);
  quantiseRows(
    matrix,
    1,
    Float32Array.from({ length: 32 }, () => -1),
  );
  const back = new Float32Array(64);
  dequantiseRows(matrix, 0, back);
  expect(back.subarray(0, 32).every((value) => value === 0)).toBe(true);
  expect(back[32]).toBeCloseTo(-1, 6);
  expect(back[63]).toBeCloseTo(-1, 6);
});

test("rows change places with their scales", () => {
  const matrix = createMatrix("m", [3, 32], 8, 32);
  for (const row of [0, 1, 2]) quantiseRows(matrix, row, new Float32Array(32).fill(127 * (row + 1)));
  reorderRows(matrix, (row) => [2, 0, 1][row] as number);
  const back = new Float32Array(96);
  dequantiseRows(matrix, 0, back);
  expect([back[0], back[32], back[64]]).toEqual([381, 127, 254]);
});

test("blocks follow from the row's length, and a length without one is refused", () => {
  expect(createMatrix("m", [1, 5632], 8).block).toBe(128);
  expect(createMatrix("m", [1, 576], 8).block).toBe(64);
  expect(createMatrix("m", [1, 5632], 4).block).toBe(32);
  expect(() => createMatrix("model.embed_tokens.weight", [1, 40], 4)).toThrow(
    '"model.embed_tokens.weight" has rows of 40 values; int4 weights need a multiple of 32. Open the model with weights "float32".',
  );
});
