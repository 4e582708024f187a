/** Blocks of 32 values with one scale and, some, one minimum. */
import { halfAt, signedAt, wordAt, type Block } from "./block.ts";

export const Q8_0: Block = {
  name: "Q8_0",
  values: 32,
  bytes: 34,
  read: (bytes, from, out, to) => {
    const scale = halfAt(bytes, from);
    for (let at = 0; at < 32; at += 1) out[to + at] = scale * signedAt(bytes, from + 2 + at);
  },
};

export const Q4_0: Block = {
  name: "Q4_0",
  values: 32,
  bytes: 18,
  read: (bytes, from, out, to) => {
    const scale = halfAt(bytes, from);
    for (let at = 0; at < 16; at += 1) {
      const pair = bytes[from + 2 + at] as number;
      out[to + at] = scale * ((pair & 15) - 8);
      out[to + 16 + at] = scale * ((pair >> 4) - 8);
    }
  },
};

export const Q4_1: Block = {
  name: "Q4_1",
  values: 32,
  bytes: 20,
  read: (bytes, from, out, to) => {
    const scale = halfAt(bytes, from);
    const least = halfAt(bytes, from + 2);
    for (let at = 0; at < 16; at += 1) {
      const pair = bytes[from + 4 + at] as number;
      out[to + at] = Math.fround(scale * (pair & 15)) + least;
      out[to + 16 + at] = Math.fround(scale * (pair >> 4)) + least;
    }
  },
};

export const Q5_0: Block = {
  name: "Q5_0",
  values: 32,
  bytes: 22,
  read: (bytes, from, out, to) => {
    const scale = halfAt(bytes, from);
    const high = wordAt(bytes, from + 2);
    for (let at = 0; at < 16; at += 1) {
      const pair = bytes[from + 6 + at] as number;
      out[to + at] = scale * (((pair & 15) | (((high >>> at) & 1) << 4)) - 16);
      out[to + 16 + at] = scale * (((pair >> 4) | (((high >>> (at + 16)) & 1) << 4)) - 16);
    }
  },
};

export const Q5_1: Block = {
  name: "Q5_1",
  values: 32,
  bytes: 24,
  read: (bytes, from, out, to) => {
    const scale = halfAt(bytes, from);
    const least = halfAt(bytes, from + 2);
    const high = wordAt(bytes, from + 4);
    for (let at = 0; at < 16; at += 1) {
      const pair = bytes[from + 8 + at] as number;
      out[to + at] = Math.fround(scale * ((pair & 15) | (((high >>> at) & 1) << 4))) + least;
      out[to + 16 + at] = Math.fround(scale * ((pair >> 4) | (((high >>> (at + 16)) & 1) << 4))) + least;
    }
  },
};
