/**
 * The IQ types: 256 values as points of a codebook, each with signs, in parts with a scale of four bits; and IQ4, where a
 * value is one of sixteen.
 */
import { halfAt, wordAt, type Block } from "./block.ts";
import { iq2sGrid, iq2xsGrid, iq2xxsGrid, iq3sGrid, iq3xxsGrid, IQ4_VALUES } from "./grids.ts";

/** Seven bits tell the signs of eight values; the eighth makes the number of minuses even. */
const SIGNS = Uint8Array.from({ length: 128 }, (_, seven) => {
  let odd = 0;
  for (let bit = 0; bit < 7; bit += 1) odd ^= (seven >> bit) & 1;
  return seven | (odd << 7);
});

/** One point: `count` coordinates from `place` on, times the scale; bit n of `signs` turns coordinate n. */
function put(
  out: Float32Array,
  to: number,
  scale: number,
  grid: Float32Array,
  place: number,
  count: number,
  signs: number,
): void {
  for (let at = 0; at < count; at += 1) {
    const value = scale * (grid[place + at] as number);
    out[to + at] = ((signs >> at) & 1) === 0 ? value : -value;
  }
}

/** A half of a byte: the low ones come first. */
function halfByte(bytes: Uint8Array, from: number, at: number): number {
  return ((bytes[from + (at >> 1)] as number) >> ((at & 1) * 4)) & 15;
}

function scaleOf(scale: number, code: number, unit: number): number {
  return Math.fround(Math.fround(scale * (0.5 + code)) * unit);
}

export const IQ2_XXS: Block = {
  name: "IQ2_XXS",
  values: 256,
  bytes: 66,
  read: (bytes, from, out, to) => {
    const scale = halfAt(bytes, from);
    const grid = iq2xxsGrid();
    for (let part = 0; part < 8; part += 1) {
      const place = from + 2 + part * 8;
      const word = wordAt(bytes, place + 4);
      const step = scaleOf(scale, word >>> 28, 0.25);
      for (let at = 0; at < 4; at += 1) {
        const signs = SIGNS[(word >>> (7 * at)) & 127] as number;
        put(out, to + part * 32 + at * 8, step, grid, (bytes[place + at] as number) * 8, 8, signs);
      }
    }
  },
};

export const IQ2_XS: Block = {
  name: "IQ2_XS",
  values: 256,
  bytes: 74,
  read: (bytes, from, out, to) => {
    const scale = halfAt(bytes, from);
    const grid = iq2xsGrid();
    for (let point = 0; point < 32; point += 1) {
      const place = from + 2 + point * 2;
      const code = (bytes[place] as number) | ((bytes[place + 1] as number) << 8);
      const step = scaleOf(scale, halfByte(bytes, from + 66, point >> 1), 0.25);
      put(out, to + point * 8, step, grid, (code & 511) * 8, 8, SIGNS[code >> 9] as number);
    }
  },
};

export const IQ2_S: Block = {
  name: "IQ2_S",
  values: 256,
  bytes: 82,
  read: (bytes, from, out, to) => {
    const scale = halfAt(bytes, from);
    const grid = iq2sGrid();
    for (let point = 0; point < 32; point += 1) {
      const high = ((bytes[from + 66 + (point >> 2)] as number) >> (2 * (point & 3))) & 3;
      const code = (bytes[from + 2 + point] as number) | (high << 8);
      const step = scaleOf(scale, halfByte(bytes, from + 74, point >> 1), 0.25);
      put(out, to + point * 8, step, grid, code * 8, 8, bytes[from + 34 + point] as number);
    }
  },
};

export const IQ3_XXS: Block = {
  name: "IQ3_XXS",
  values: 256,
  bytes: 98,
  read: (bytes, from, out, to) => {
    const scale = halfAt(bytes, from);
    const grid = iq3xxsGrid();
    for (let part = 0; part < 8; part += 1) {
      const word = wordAt(bytes, from + 66 + part * 4);
      const step = scaleOf(scale, word >>> 28, 0.5);
      for (let at = 0; at < 8; at += 1) {
        const signs = (SIGNS[(word >>> (7 * (at >> 1))) & 127] as number) >> ((at & 1) * 4);
        const point = bytes[from + 2 + part * 8 + at] as number;
        put(out, to + part * 32 + at * 4, step, grid, point * 4, 4, signs);
      }
    }
  },
};

export const IQ3_S: Block = {
  name: "IQ3_S",
  values: 256,
  bytes: 110,
  read: (bytes, from, out, to) => {
    const scale = halfAt(bytes, from);
    const grid = iq3sGrid();
    for (let point = 0; point < 64; point += 1) {
      const high = ((bytes[from + 66 + (point >> 3)] as number) >> (point & 7)) & 1;
      const code = (bytes[from + 2 + point] as number) | (high << 8);
      const signs = (bytes[from + 74 + (point >> 1)] as number) >> ((point & 1) * 4);
      const step = Math.fround(scale * (1 + 2 * halfByte(bytes, from + 106, point >> 3)));
      put(out, to + point * 4, step, grid, code * 4, 4, signs);
    }
  },
};

export const IQ4_NL: Block = {
  name: "IQ4_NL",
  values: 32,
  bytes: 18,
  read: (bytes, from, out, to) => readSixteens(bytes, from + 2, halfAt(bytes, from), out, to),
};

export const IQ4_XS: Block = {
  name: "IQ4_XS",
  values: 256,
  bytes: 136,
  read: (bytes, from, out, to) => {
    const scale = halfAt(bytes, from);
    const high = (bytes[from + 2] as number) | ((bytes[from + 3] as number) << 8);
    for (let part = 0; part < 8; part += 1) {
      const code = halfByte(bytes, from + 4, part) | (((high >> (2 * part)) & 3) << 4);
      readSixteens(bytes, from + 8 + part * 16, Math.fround(scale * (code - 32)), out, to + part * 32);
    }
  },
};

function readSixteens(bytes: Uint8Array, from: number, scale: number, out: Float32Array, to: number): void {
  for (let at = 0; at < 16; at += 1) {
    const pair = bytes[from + at] as number;
    out[to + at] = scale * (IQ4_VALUES[pair & 15] as number);
    out[to + 16 + at] = scale * (IQ4_VALUES[pair >> 4] as number);
  }
}
