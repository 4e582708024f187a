/**
 * The K types: 256 values in parts of sixteen or 32, each with a scale (and, some, a minimum) of a few bits. Products are
 * rounded to float32 one by one, in the order in which the Python package `gguf` makes them.
 */
import { halfAt, signedAt, type Block } from "./block.ts";

export const Q2_K: Block = {
  name: "Q2_K",
  values: 256,
  bytes: 84,
  read: (bytes, from, out, to) => {
    const scale = halfAt(bytes, from + 80);
    const least = halfAt(bytes, from + 82);
    for (let part = 0; part < 16; part += 1) {
      const both = bytes[from + part] as number;
      const step = Math.fround(scale * (both & 15));
      const floor = Math.fround(least * (both >> 4));
      const { first, shift } = quarterOf(part);
      for (let at = 0; at < 16; at += 1) {
        const code = ((bytes[from + 16 + first + at] as number) >> shift) & 3;
        out[to + part * 16 + at] = Math.fround(step * code) - floor;
      }
    }
  },
};

export const Q3_K: Block = {
  name: "Q3_K",
  values: 256,
  bytes: 110,
  read: (bytes, from, out, to) => {
    const scale = halfAt(bytes, from + 108);
    for (let part = 0; part < 16; part += 1) {
      // Four bits of the scale are a half of one of eight bytes, two more a quarter of one of four bytes.
      const low = ((bytes[from + 96 + (part & 7)] as number) >> (part < 8 ? 0 : 4)) & 15;
      const high = ((bytes[from + 104 + (part & 3)] as number) >> (2 * (part >> 2))) & 3;
      const step = Math.fround(scale * ((low | (high << 4)) - 32));
      const { first, shift } = quarterOf(part);
      for (let at = 0; at < 16; at += 1) {
        const third = ((bytes[from + (part & 1) * 16 + at] as number) >> (part >> 1)) & 1;
        const code = ((bytes[from + 32 + first + at] as number) >> shift) & 3;
        out[to + part * 16 + at] = step * (code - 4 * (1 - third));
      }
    }
  },
};

/** Where sixteen values of two bits lie: the same 32 bytes are looked at from four shifts, then the next 32. */
function quarterOf(part: number): { readonly first: number; readonly shift: number } {
  return { first: (part >> 3) * 32 + (part & 1) * 16, shift: ((part >> 1) & 3) * 2 };
}

export const Q4_K: Block = {
  name: "Q4_K",
  values: 256,
  bytes: 144,
  read: (bytes, from, out, to) => readEight(bytes, from, out, to, undefined, from + 16),
};

export const Q5_K: Block = {
  name: "Q5_K",
  values: 256,
  bytes: 176,
  read: (bytes, from, out, to) => readEight(bytes, from, out, to, from + 16, from + 48),
};

/** Eight parts of 32 values: scales and minima of six bits in twelve bytes, four bits a value, and perhaps a fifth. */
function readEight(
  bytes: Uint8Array,
  from: number,
  out: Float32Array,
  to: number,
  fifths: number | undefined,
  codes: number,
): void {
  const scale = halfAt(bytes, from);
  const least = halfAt(bytes, from + 2);
  for (let part = 0; part < 8; part += 1) {
    const place = from + 4 + (part & 3);
    const [first, second, third] = [bytes[place], bytes[place + 4], bytes[place + 8]] as [number, number, number];
    const step = Math.fround(scale * (part < 4 ? first & 63 : (third & 15) | ((first >> 6) << 4)));
    const floor = Math.fround(least * (part < 4 ? second & 63 : (third >> 4) | ((second >> 6) << 4)));
    const shift = (part & 1) * 4;
    for (let at = 0; at < 32; at += 1) {
      let code = ((bytes[codes + (part >> 1) * 32 + at] as number) >> shift) & 15;
      if (fifths !== undefined) code |= (((bytes[fifths + at] as number) >> part) & 1) << 4;
      out[to + part * 32 + at] = Math.fround(step * code) - floor;
    }
  }
}

export const Q6_K: Block = {
  name: "Q6_K",
  values: 256,
  bytes: 210,
  read: (bytes, from, out, to) => {
    const scale = halfAt(bytes, from + 208);
    for (let part = 0; part < 16; part += 1) {
      const step = Math.fround(scale * signedAt(bytes, from + 192 + part));
      const { first, shift } = quarterOf(part);
      const low = from + (part >> 3) * 64 + (part & 3) * 16;
      const lowShift = (part & 4) === 0 ? 0 : 4;
      for (let at = 0; at < 16; at += 1) {
        const code =
          (((bytes[low + at] as number) >> lowShift) & 15) |
          ((((bytes[from + 128 + first + at] as number) >> shift) & 3) << 4);
        out[to + part * 16 + at] = step * (code - 32);
      }
    }
  },
};
