/**
 * A frozen matrix in few bits. Each row is cut into blocks; a block has one scale, and a code of b bits stands for
 * (code - 2^(b-1)) scale. It is the layout of the operator `quantisedLinear`, and what GGUF's Q8_0 and Q4_0 say in other words.
 */
import { EngineError } from "limbeck-base/base/errors";
import type { WeightKind } from "./kinds.ts";

export type Bits = 4 | 8;

export interface QuantisedMatrix {
  /** [out, in] */
  readonly shape: readonly [number, number];
  readonly bits: Bits;
  /** Values that share a scale. */
  readonly block: number;
  /** Row by row; of two codes of four bits the first is the lower half of its byte. */
  readonly codes: Uint8Array;
  readonly scales: Float32Array;
}

export function bitsOf(kind: Exclude<WeightKind, "float32">): Bits {
  return kind === "int8" ? 8 : 4;
}

/** Blocks of 32 everywhere would be as exact as Q8_0 is; longer ones are faster where eight bits are plenty. */
const BLOCKS: Readonly<Record<Bits, readonly number[]>> = { 4: [32], 8: [128, 64, 32] };

/** Zeros of a shape. `block` is chosen by the row's length where it is not given. */
export function createMatrix(name: string, shape: readonly number[], bits: Bits, block?: number): QuantisedMatrix {
  const [out, into] = shape as readonly [number, number];
  const fitting = BLOCKS[bits].find((size) => into % size === 0);
  const chosen = block ?? fitting;
  if (chosen === undefined) {
    throw new EngineError(
      "bad-option",
      `"${name}" has rows of ${into} values; int${bits} weights need a multiple of 32. Open the model with weights "float32".`,
    );
  }
  const codes = new Uint8Array((out * into * bits) / 8).fill(bits === 8 ? 128 : 0x88);
  return { shape: [out, into], bits, block: chosen, codes, scales: new Float32Array((out * into) / chosen) };
}

/** Writes values from row `row` on; `values` holds whole rows. */
export function quantiseRows(matrix: QuantisedMatrix, row: number, values: Float32Array): void {
  const { shape, block, bits } = matrix;
  const first = row * shape[1];
  const write = bits === 8 ? eightBits : fourBits;
  for (let at = 0; at < values.length; at += block) write(matrix, first + at, values, at);
}

/** The largest size is 127 steps. */
function eightBits({ block, codes, scales }: QuantisedMatrix, place: number, values: Float32Array, at: number): void {
  let most = 0;
  for (let index = at; index < at + block; index += 1) most = Math.max(most, Math.abs(values[index] as number));
  const scale = Math.fround(most / 127);
  scales[place / block] = scale;
  const steps = scale === 0 ? 0 : 1 / scale;
  for (let index = 0; index < block; index += 1) {
    // To the nearest: what is cut off is above zero.
    codes[place + index] = ((values[at + index] as number) * steps + 128.5) | 0;
  }
}

/** The value of the largest size is 8 steps below zero, so that all sixteen codes are used; the scale may be negative. */
function fourBits({ block, codes, scales }: QuantisedMatrix, place: number, values: Float32Array, at: number): void {
  let most = 0;
  for (let index = at; index < at + block; index += 1) {
    const value = values[index] as number;
    if (Math.abs(value) > Math.abs(most)) most = value;
  }
  const scale = Math.fround(most / -8);
  scales[place / block] = scale;
  const steps = scale === 0 ? 0 : 1 / scale;
  for (let index = 0; index < block; index += 2) {
    const low = ((values[at + index] as number) * steps + 8.5) | 0;
    const high = ((values[at + index + 1] as number) * steps + 8.5) | 0;
    codes[(place + index) / 2] = (low > 15 ? 15 : low) | ((high > 15 ? 15 : high) << 4);
  }
}

/** The values of whole rows from `row` on, as many as `out` has room for. */
export function dequantiseRows(matrix: QuantisedMatrix, row: number, out: Float32Array): void {
  const { shape, block, bits, codes, scales } = matrix;
  const first = row * shape[1];
  for (let at = 0; at < out.length; at += block) {
    const scale = scales[(first + at) / block] as number;
    if (bits === 8) {
      const place = first + at;
      for (let index = 0; index < block; index += 1) out[at + index] = ((codes[place + index] as number) - 128) * scale;
    } else {
      const place = (first + at) / 2;
      for (let index = 0; index < block / 2; index += 1) {
        const pair = codes[place + index] as number;
        out[at + 2 * index] = ((pair & 15) - 8) * scale;
        out[at + 2 * index + 1] = ((pair >> 4) - 8) * scale;
      }
    }
  }
}

/** The same matrix with its rows in another order: row `at` is the one that was `from(at)`. */
export function reorderRows(matrix: QuantisedMatrix, from: (row: number) => number): void {
  const { shape, codes, scales } = matrix;
  for (const part of [codes, scales]) {
    const before = part.slice();
    const width = part.length / shape[0];
    for (let row = 0; row < shape[0]; row += 1) {
      const source = from(row) * width;
      part.set(before.subarray(source, source + width), row * width);
    }
  }
}

/** Bytes of codes and scales. */
export function bytesOf({ codes, scales }: QuantisedMatrix): number {
  return codes.byteLength + scales.byteLength;
}
