/**
 * Every type of GGUF's tensors that can be read, by the number that files have. The layouts are facts of ggml's
 * `ggml-common.h`; values are equal to the last bit to those of the Python package `gguf`: products are rounded to float32 one by
 * one, in the order in which it makes them.
 */
import { decodeElements, ELEMENT_BYTES, halves, type ElementType } from "../element-type.ts";

export interface Block {
  readonly name: string;
  /** Values of one block. */
  readonly values: 32 | 256;
  /** Bytes of one block. */
  readonly bytes: number;
  /** The values of the block that begins at byte `from`, into `out` from place `to` on. */
  readonly read: Read;
}

type Read = (bytes: Uint8Array, from: number, out: Float32Array, to: number) => void;

export interface PlainType {
  readonly name: ElementType;
  readonly values: 1;
  readonly bytes: number;
}

/** The float16 at a byte. */
export function halfAt(bytes: Uint8Array, at: number): number {
  return halves()[(bytes[at] as number) | ((bytes[at + 1] as number) << 8)] as number;
}

/** The unsigned 32 bits at a byte. */
function wordAt(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24)) >>>
    0
  );
}

/** A byte as a number from -128 to 127. */
function signedAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 24) >> 24;
}

/** A half of a byte: the low ones come first. */
function halfByte(bytes: Uint8Array, from: number, at: number): number {
  return ((bytes[from + (at >> 1)] as number) >> ((at & 1) * 4)) & 15;
}

/** Numbers that stand for themselves. */
const plain = (name: ElementType): PlainType => ({ name, values: 1, bytes: ELEMENT_BYTES[name] });
/** Blocks of 32 values, and of 256. */
const short = (name: string, bytes: number, read: Read): Block => ({ name, values: 32, bytes, read });
const long = (name: string, bytes: number, read: Read): Block => ({ name, values: 256, bytes, read });

/** Codes of four bits with one scale; some have a minimum, where zero is the middle of others; some have a fifth bit. */
function fourBits(name: string, hasLeast: boolean, hasFifth: boolean): Block {
  const fifths = hasLeast ? 4 : 2;
  const codes = fifths + (hasFifth ? 4 : 0);
  const middle = hasFifth ? 16 : 8;
  return short(name, codes + 16, (bytes, from, out, to) => {
    const scale = halfAt(bytes, from);
    const least = hasLeast ? halfAt(bytes, from + 2) : 0;
    const high = hasFifth ? wordAt(bytes, from + fifths) : 0;
    for (let at = 0; at < 16; at += 1) {
      const pair = bytes[from + codes + at] as number;
      const first = (pair & 15) | (((high >>> at) & 1) << 4);
      const second = (pair >> 4) | (((high >>> (at + 16)) & 1) << 4);
      out[to + at] = hasLeast ? Math.fround(scale * first) + least : scale * (first - middle);
      out[to + 16 + at] = hasLeast ? Math.fround(scale * second) + least : scale * (second - middle);
    }
  });
}

const Q8_0 = short("Q8_0", 34, (bytes, from, out, to) => {
  const scale = halfAt(bytes, from);
  for (let at = 0; at < 32; at += 1) out[to + at] = scale * signedAt(bytes, from + 2 + at);
});

const Q2_K = long("Q2_K", 84, (bytes, from, out, to) => {
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
});

const Q3_K = long("Q3_K", 110, (bytes, from, out, to) => {
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
});

/** Where sixteen values of two bits lie: the same 32 bytes are looked at from four shifts, then the next 32. */
function quarterOf(part: number): { readonly first: number; readonly shift: number } {
  return { first: (part >> 3) * 32 + (part & 1) * 16, shift: ((part >> 1) & 3) * 2 };
}

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

const Q6_K = long("Q6_K", 210, (bytes, from, out, to) => {
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
});

/** Seven bits tell the signs of eight values; the eighth makes the number of minuses even. */
const SIGNS = Uint8Array.from({ length: 128 }, (_, seven) => {
  let odd = 0;
  for (let bit = 0; bit < 7; bit += 1) odd ^= (seven >> bit) & 1;
  return seven | (odd << 7);
});

function signsOf(bits: number): number {
  return SIGNS[bits & 127] as number;
}

function stepOf(scale: number, code: number, unit: number): number {
  return Math.fround(Math.fround(scale * (0.5 + code)) * unit);
}

/** How a point of a codebook is written: its number, the signs of its coordinates (bit n turns coordinate n), and its step. */
interface PointForm {
  /** Coordinates of a point. */
  readonly size: 4 | 8;
  readonly grid: () => Float32Array;
  readonly code: (bytes: Uint8Array, from: number, point: number) => number;
  readonly signs: (bytes: Uint8Array, from: number, point: number) => number;
  readonly step: (bytes: Uint8Array, from: number, point: number, scale: number) => number;
}

/** The IQ types: 256 values as points of a codebook, each with signs, in parts with a scale of four bits. */
function points(name: string, size: number, form: PointForm): Block {
  return long(name, size, (bytes, from, out, to) => {
    const scale = halfAt(bytes, from);
    const grid = form.grid();
    for (let point = 0; point < 256 / form.size; point += 1) {
      const place = form.code(bytes, from, point) * form.size;
      const signs = form.signs(bytes, from, point);
      const step = form.step(bytes, from, point, scale);
      for (let at = 0; at < form.size; at += 1) {
        const value = step * (grid[place + at] as number);
        out[to + point * form.size + at] = ((signs >> at) & 1) === 0 ? value : -value;
      }
    }
  });
}

/** The word of a part of four points, after their numbers. */
const word2xxs = (bytes: Uint8Array, from: number, point: number): number => wordAt(bytes, from + 6 + (point >> 2) * 8);
const word3xxs = (bytes: Uint8Array, from: number, point: number): number =>
  wordAt(bytes, from + 66 + (point >> 3) * 4);
const code2xs = (bytes: Uint8Array, from: number, point: number): number =>
  (bytes[from + 2 + point * 2] as number) | ((bytes[from + 3 + point * 2] as number) << 8);

const IQ2_XXS = points("IQ2_XXS", 66, {
  size: 8,
  grid: () => iq2xxsGrid(),
  code: (bytes, from, point) => bytes[from + 2 + (point >> 2) * 8 + (point & 3)] as number,
  signs: (bytes, from, point) => signsOf(word2xxs(bytes, from, point) >>> (7 * (point & 3))),
  step: (bytes, from, point, scale) => stepOf(scale, word2xxs(bytes, from, point) >>> 28, 0.25),
});

const IQ2_XS = points("IQ2_XS", 74, {
  size: 8,
  grid: () => iq2xsGrid(),
  code: (bytes, from, point) => code2xs(bytes, from, point) & 511,
  signs: (bytes, from, point) => signsOf(code2xs(bytes, from, point) >> 9),
  step: (bytes, from, point, scale) => stepOf(scale, halfByte(bytes, from + 66, point >> 1), 0.25),
});

const IQ2_S = points("IQ2_S", 82, {
  size: 8,
  grid: () => iq2sGrid(),
  code: (bytes, from, point) =>
    (bytes[from + 2 + point] as number) |
    ((((bytes[from + 66 + (point >> 2)] as number) >> (2 * (point & 3))) & 3) << 8),
  signs: (bytes, from, point) => bytes[from + 34 + point] as number,
  step: (bytes, from, point, scale) => stepOf(scale, halfByte(bytes, from + 74, point >> 1), 0.25),
});

const IQ3_XXS = points("IQ3_XXS", 98, {
  size: 4,
  grid: () => iq3xxsGrid(),
  code: (bytes, from, point) => bytes[from + 2 + point] as number,
  signs: (bytes, from, point) =>
    signsOf(word3xxs(bytes, from, point) >>> (7 * ((point & 7) >> 1))) >> ((point & 1) * 4),
  step: (bytes, from, point, scale) => stepOf(scale, word3xxs(bytes, from, point) >>> 28, 0.5),
});

const IQ3_S = points("IQ3_S", 110, {
  size: 4,
  grid: () => iq3sGrid(),
  code: (bytes, from, point) =>
    (bytes[from + 2 + point] as number) | ((((bytes[from + 66 + (point >> 3)] as number) >> (point & 7)) & 1) << 8),
  signs: (bytes, from, point) => (bytes[from + 74 + (point >> 1)] as number) >> ((point & 1) * 4),
  step: (bytes, from, point, scale) => Math.fround(scale * (1 + 2 * halfByte(bytes, from + 106, point >> 3))),
});

/** IQ4: a value is one of sixteen. */
const IQ4_NL = short("IQ4_NL", 18, (bytes, from, out, to) =>
  readSixteens(bytes, from + 2, halfAt(bytes, from), out, to),
);

const IQ4_XS = long("IQ4_XS", 136, (bytes, from, out, to) => {
  const scale = halfAt(bytes, from);
  const high = (bytes[from + 2] as number) | ((bytes[from + 3] as number) << 8);
  for (let part = 0; part < 8; part += 1) {
    const code = halfByte(bytes, from + 4, part) | (((high >> (2 * part)) & 3) << 4);
    readSixteens(bytes, from + 8 + part * 16, Math.fround(scale * (code - 32)), out, to + part * 32);
  }
});

function readSixteens(bytes: Uint8Array, from: number, scale: number, out: Float32Array, to: number): void {
  for (let at = 0; at < 16; at += 1) {
    const pair = bytes[from + at] as number;
    out[to + at] = scale * (IQ4_VALUES[pair & 15] as number);
    out[to + 16 + at] = scale * (IQ4_VALUES[pair >> 4] as number);
  }
}

export const BLOCKS: ReadonlyMap<number, Block | PlainType> = new Map<number, Block | PlainType>([
  [0, plain("F32")],
  [1, plain("F16")],
  [2, fourBits("Q4_0", false, false)],
  [3, fourBits("Q4_1", true, false)],
  [6, fourBits("Q5_0", false, true)],
  [7, fourBits("Q5_1", true, true)],
  [8, Q8_0],
  [10, Q2_K],
  [11, Q3_K],
  [12, long("Q4_K", 144, (bytes, from, out, to) => readEight(bytes, from, out, to, undefined, from + 16))],
  [13, long("Q5_K", 176, (bytes, from, out, to) => readEight(bytes, from, out, to, from + 16, from + 48))],
  [14, Q6_K],
  [16, IQ2_XXS],
  [17, IQ2_XS],
  [18, IQ3_XXS],
  [20, IQ4_NL],
  [21, IQ3_S],
  [22, IQ2_S],
  [23, IQ4_XS],
  [30, plain("BF16")],
]);

/** What ggml has besides, so that an error can name it. */
const OTHERS: ReadonlyMap<number, string> = new Map([
  [9, "Q8_1"],
  [15, "Q8_K"],
  [19, "IQ1_S"],
  [24, "I8"],
  [25, "I16"],
  [26, "I32"],
  [27, "I64"],
  [28, "F64"],
  [29, "IQ1_M"],
  [34, "TQ1_0"],
  [35, "TQ2_0"],
  [39, "MXFP4"],
  [40, "NVFP4"],
]);

export function typeName(kind: number): string {
  return BLOCKS.get(kind)?.name ?? OTHERS.get(kind) ?? `number ${kind}`;
}

/** The values of whole blocks in a row. `out` decides how many. */
export function dequantise(block: Block | PlainType, bytes: Uint8Array, out: Float32Array): void {
  if (block.values === 1) {
    decodeElements(block.name, bytes, out);
    return;
  }
  const { values, bytes: size, read } = block;
  for (let from = 0, to = 0; to < out.length; from += size, to += values) read(bytes, from, out, to);
}

// Codebooks of the IQ types: points of eight or four coordinates that blocks name by number. They are facts of ggml's
// `ggml-common.h`, here in bits: two a coordinate where it is one of three values, four where it is one of eight.

/** IQ2_XXS. */
const POINTS_256 =
  "AAACAAUACAAKABEAFAAgACIAKAAqAEEARABQAFgAYQBkAIAAggCKAKIAAQEEARABFQFAAYQBmAEAAgICIgKCAgEEBAQQBCEEJARABEIESARg" +
  "BIEEhASQBKQEAAUCBQgFIAVGBWkFgAWRBQkGEAZABoQGpAYACAUICAgUCCgIQQhECFAIUgiICAQJQAkCChQKARAEEBAQIRBAEGAQhBCQEJUQ" +
  "ABEIESARUBFaEYARJBJFEgAUCBQgFCUUSRSAFBgVYhUAFhYWARgEGBAYQBiBGAAZBRmgGVEaACACIAogRCBhIIAggiApIUghACICIgEkBCQQ" +
  "JEAkViQAJUElZCWQJggoICiUKEQqAUAEQBBAGEAhQCRAQEBIQFZAYECBQIRAkEAAQSBBYUGAQYVBAUIQQkhCVkJoQgBECEQgRIBEmUQSRSRF" +
  "AEYBSARIEEhASEVIAElYSWFJgklFSpBKAFAIUBFQGVAgUIBQiFAEUUJRpFGRUpBUklQKVQFWVFYAWBFYGVhkWEBZCFoEYBBgQGBoYABhVWEY" +
  "YmBiAGQFZBBlEmWEZUJoAIACgAqAQYCCgASBGIFAgRGCAYQEhBCEFYRAhGCEAIVGhZSFCYZAhmCGAogEiRGKBJAQkCSQQJChkBaRgJFFkgCU" +
  "IpRElFGVgZggmQKgUKCFoAmhAKIYpFCoBKk=";

/** IQ2_XS. */
const POINTS_512 =
  "AAACAAUACAAKABEAFAAWABkAIAAiACUAKABBAEQARgBJAFAAUgBVAFgAYQBkAIAAggCFAIgAkQCUAJkAoAABAQQBBgEJARABEgEVARgBGgEh" +
  "ASQBQAFCAUUBSAFRAVQBYAFoAYEBhAGQAQACAgIFAggCEQIUAiACQQJEAlACVQKAAooCAQQEBAYECQQQBBIEFQQYBCEEJARABEIERQRIBFEE" +
  "VARWBGAEgQSEBJAEAAUCBQUFCAURBRQFIAVBBUQFUAVhBYAFAQYEBhAGJgZABkIGhAYACAIIBQgICAoIEQgUCCAIJQhBCEQIUAhYCIAIoAiq" +
  "CAEJBAkQCUAJgQmJCQAKIAooCpYKoAoBEAQQBhAJEBAQEhAVEBgQIRAkEEAQQhBFEEgQURBUEGAQahCBEIQQkBAAEQIRBREIERERFBEgEUER" +
  "RBFQEYARlBGWEQESBBIGEhASQBJgEgAUAhQFFAgUERQUFCAUQRREFEkUUBRkFIAUARUEFRAVQBUAFhQWSRYBGAQYEBgSGEAYVBiGGAAZBRlm" +
  "GVEaqRoAIAIgBSAIIAogESAUICAgQSBEIFAggCCgIAEhBCEQIUAhSCFlIQAiIiKAIqgiASQEJBAkKSRAJAAlQSVSJZklASYaJqYmACgIKAoo" +
  "IChVKIgooihoKZApCCogKoIqiCqKKgFABEAGQAlAEEASQBVAGEAhQCRAQEBCQEVASEBKQFFAVEBgQGVAgUCEQJBAAEECQQVBCEERQRRBIEFB" +
  "QURBUEGAQYVBokEBQgRCEEISQilCQEIARAJEBUQIRBFEFEQZRCBEQURERFBEgESURAFFBEUQRSRFQEWaRQBGCkZERlBGAUgESBBIQEhFSFRI" +
  "YkgASRFJRElQSWlJBEoAUAJQBVAIUBFQFFAgUChQQVBEUFBQgFABUQRREFEVUUBRQlEAUkRSqlIBVARUEFQhVEBUYFSBVKFUAFUIVYBViFUh" +
  "VmhWoVYAWBRYQVhQWJlYGllAWUJZhVoBYARgEGBAYFRgYmCGYKlgAGEkYkpikmIAZBZkEGVAZUVlpGUBaGpoJWkGalRqYmoAgAKABYAIgBGA" +
  "FIAggCqAQYBEgFCAgICCgKiAqoABgQSBBoEQgUCBUYFZgQCCIIKAgoKCoIKoggGEBIQQhBKEFYRAhGCEiYQAhUSFpYUYhmqGAIgIiCWIWoiA" +
  "iIKIqIgGiSKKgIqIipaKqIoBkASQEJBAkFaQhJAAkSKRZJFWkomSAJQFlESUUJRYlCmVkJWSlUGWUZimmEmZFZpgmgCgAqAIoAqgIKAqoKCg" +
  "UaFZoaahAKICogiiKqKAoqCiQKSVpGWmmKYKqCCoIqgoqKCoqKgEqYSphqkoqiqqkaqqqg==";

/** IQ2_S. */
const POINTS_1024 =
  "AAACAAUACAAKABEAFAAWABkAIAAiACUAKABBAEQARgBJAFAAUgBVAFgAYQBkAGYAaQCAAIIAhQCIAJEAlACgAKUAqgABAQQBBgEJARABEgEV" +
  "ARgBIQEkAUABQgFFAUgBUQFUAVYBWQFgAWUBaAGBAYQBkAGSAZUBoQGkAQACAgIFAggCEQIUAiACKgJBAkQCRgJJAlACVQKAAoUCigKUAqIC" +
  "AQQEBAYECQQQBBIEFQQYBCEEJAQmBCkEQARCBEUESARKBFEEVARWBFkEYARiBGUEgQSEBIYEiQSQBJUEmAShBKQEAAUCBQUFCAUKBREFFAUW" +
  "BRkFIAUlBSgFQQVEBUYFSQVQBVIFVQVYBWEFZAWABYIFhQWIBZEFlAWgBQEGBAYGBgkGEAYVBkAGRQZIBlEGVAZgBoEGhAaQBgAIAggFCAgI" +
  "EQgUCBYIGQggCCUIKghBCEQIRghJCFAIUghVCFgIYQhkCIAIhQiUCKoIAQkECRAJEgkVCRgJIQlACUUJSAlRCVQJYAmBCZAJAAoRChQKIgoo" +
  "CioKUAqZCgEQBBAGEAkQEBASEBUQGBAhECQQJhBAEEIQRRBIEFEQVBBWEFkQYBBiEGUQaBCBEIQQhhCQEJUQmBChEKQQABECEQURCBEKERER" +
  "FBEWERkRIBEiESURKBFBEUQRRhFJEVARUhFVEVgRYRFkEYARghGFEYgRkRGUEQESBBIJEhASFRIhEiQSQBJFElESVBKBEoQSkBIAFAIUBRQI" +
  "FBEUFBQWFBkUIBQlFCgUQRREFEYUSRRQFFIUVRRYFGEUZBSAFIIUhRSIFJEUlBSgFAEVBBUGFQkVEBUSFRUVGBUhFSQVQBVCFUUVSBVRFVQV" +
  "YBWBFYQVkBUAFgUWCBYRFhQWIBZBFkQWUBaAFqoWARgEGAYYCRgQGBUYGBghGEAYQhhFGEgYURhUGGAYgRiEGAAZAhkFGQgZERkUGSAZQRlE" +
  "GVAZaRmiGQQaEBpAGlYaACACIAUgCCARIBQgFiAZICAgJSAqIEEgRCBQIFIgVSBkIIAgiiCUIKogASEEIRAhEiEVISEhQCFCIUUhUSFUIWAh" +
  "gSGEIZAhACIKIiIiKCIqIkQiUCKIIooiqCIBJAQkBiQJJBAkFSQYJCEkJCRAJEIkRSRIJFEkVCRgJIEkhCSQJAAlBSUIJRElFCUgJUElRCVQ" +
  "JWYlgCUBJgQmECZAJlkmACgFKBEoFChBKEQoUCiKKKooASkEKRAplSkKKiIqZCqIKooqAUAEQAZACUAQQBJAFUAYQBpAIUAkQCZAQEBCQEVA" +
  "SEBKQFFAVEBWQFlAYEBiQGVAgUCEQJBAlUCYQKFApEAAQQJBBUEIQRFBFEEWQRlBIEEiQSVBQUFEQUZBSUFQQVJBVUFYQWFBZEGAQYJBhUGI" +
  "QZFBlEGgQQFCBEIQQhJCFUIYQiRCQEJFQkhCUUJUQmBCgUKEQgBEAkQFRAhECkQRRBREFkQZRCBEIkQlRChEQUREREZESURQRFJEVURYRGFE" +
  "ZESARIJEhUSIRJFElESgRAFFBEUGRQlFEEUSRRVFGEUhRSRFQEVCRUVFSEVRRVRFYEVqRYFFhEWQRQBGAkYFRghGEUYURiBGQUZERlBGgEal" +
  "RgFIBEgJSBBIEkgVSBhIIUgkSEBIQkhFSEhIUUhUSGBIhEiQSABJAkkFSQhJEUkUSSBJQUlESVBJgEmWSQFKBEoQSkBKAFACUAVQCFARUBRQ" +
  "FlAZUCBQIlAlUChQQVBEUEZQSVBQUFJQVVBYUGFQZFCAUIJQhVCIUJFQlFABUQRRBlEJURBRElEVURhRIVEkUUBRQlFFUUhRUVFUUWBRgVGE" +
  "UZBRAFIFUghSEVIUUiBSQVJEUlBSaVKAUgFUBFQGVAlUEFQSVBVUGFQhVCRUQFRCVEVUSFRRVFRUYFSBVIRUkFQAVQJVBVUIVRFVFFUgVUFV" +
  "RFVQVYBVAVYEVhBWJlZAVgBYAlgFWAhYEVgUWCBYQVhEWFBYWliAWAFZBFkQWUBZAFoZWoVaqFoBYARgBmAQYBJgFWAYYCFgJGBAYEVgSGBR" +
  "YFRgYGCEYJBgAGECYQVhCGERYRRhIGFBYURhUGGAYZlhBGIQYkBiVmKhYgBkBWQIZBFkFGQgZEFkRGRQZIBkAWUEZRBlQGVKZWhlkmUAZpRm" +
  "AWgEaBBoZWiYaABpKmlCaqFqAIACgAWACIARgBSAGYAggCWAQYBEgFCAUoBVgFiAYYCAgIWAkYCUgAGBBIEJgRCBEoEVgRiBIYEkgUCBQoFF" +
  "gUiBUYFUgYGBhIGQgamBAIIFggqCEYIUgkGCRIJQggGEBIQGhAmEEIQShBWEGIQhhECEQoRFhEiEUYRUhGCEgYSEhJCEAIUChQWFCIURhRSF" +
  "IIVBhUSFUIWAhYqFAYYEhhCGKYZAhgCIBYgRiBSIQYhEiFCIoogBiQSJQIlliSKKWIpaioKKoooBkASQCZAQkBKQFZAYkCSQQJBCkEWQSJBR" +
  "kFSQYJCBkISQkJAAkQWREZEUkUGRRJFQkVqRAZIEkhCSQJKmkgCUApQFlAiUEZQUlCCUQZRElFCUgJSWlAGVBJUQlUCVmJWhlQCWRpZklgGY" +
  "BJgQmCaYQJipmACZSZlSmZCaAKAFoAqgFKAioCqgQaBEoFCgoqCqoEChZaECogqiIqIooiqigqKIooqiqKIBpASkEKRApImkpKQApRmlUaYK" +
  "qCiooqhUqYapCKoKqiCqIqooqoiqqqo=";

/** IQ3_XXS. */
const QUADS_256 =
  "AAACAAQAEQATABcAIAAiADEAQgBzAHUAAQEDARABEgEhASUBMAEyAUEBVAFwAQACAgIEAhECIAIiAjECMwI3AlECVwJ1AgEDBwMQAxIDJQNw" +
  "AxMENwREBFcEcwR1BAEFBwUyBVIFNQZkBhAHFAcWB0MHYQcBEAMQEBASECEQIxAwEDIQNBBHEFAQABECERERIBEiEQESAxIQEhISIRIwEnIS" +
  "ABMCEyATMRNGE2YTARQFFFAUIBUkFUYVcRUFFiIXQBcAIAIgESATICAgIiAmIDEgQiABIQMhBSEQIRIhISEwIWMhZyFwIQAiAiIRIhciICIi" +
  "IjciQCJVIgEjECMUI3AjdCM1JFMkAyUnJUEldCUBJwMnFidFJwEwEDASMCEwIzBQMGUwcjAAMQIxIDExMUQxRjEBMgMyEDIlMlIycjIRMzMz" +
  "MDRHNHI0ADUGNSI1VTUUNjY2YzYzN2A3BEAXQDVAN0BTQFdAdEEgQjdCQEJgQmZCB0NFQwREUURkRCVFQ0VwRQVHEEcSRzBHElBBUHBQAFEG" +
  "USZRVVEUUjJSclICU1NTEFQjVCdUclQCVTFVUFYkV0JXJGBEYEZgZGAhYWFhF2JkYjBjNmNEZAVlUmUzZgNnIWcDcAVwB3AQcDJwUnAmcUBx" +
  "EnJFclJyAHMVczNzYHMhdEF0AHUCdSR1MHY=";

/** IQ3_S. */
const QUADS_512 =
  "AAABAAIABQAHABAAEQASABQAFgAgACEAJQAzAEAAQgBFAEcAUQBTAGAAYgBxAHQAdwAAAQEBAgEEARABEQEVASABIwEnATEBNQFEAWEBZQFy" +
  "AQACAQIFAgcCEAITAhYCIQIlAjACNAJCAkUCRwJRAlMCcAJzAgMDEQMVAyADIgMxAzMDNgNEA1ADUgNnA3EDdQMABBMEFwQhBCQEMgRABEME" +
  "UQRwBAIFBAUgBSIFJgUzBUEFRQVHBWYFcwUGBhEGEwYxBlIGcQYABwIHBAcgByIHJgczB1AHVAcAEAEQAhAEEBAQERATEBUQFxAgECIQMRA0" +
  "EDYQVBBWEGEQchAAEQERAxEGERARFBEhETARMxFBEVARUhFwEXYRABISEhUSFxIgEiQSMhJAEkMSVRJgEnISARMEEwcTEBMTEyETJxMwEzQT" +
  "QRNiE3ATAxQFFBIUFBQxFDMUQhRGFFAUVBQBFRAVExUhFTAVMhVRFSAWJBYnFkQWRhYBFwMXEBcSFyEXNRdBF2IXcBcAIAEgAyAFIAcgECAS" +
  "IBQgFiAhICMgJyAwIDIgQSBDIEUgUCBSIGcgcCBzIHUgACECIRAhEyEXISIhJSExITQhQiFRIQEiBCIHIiEiIyIwIjciQSJTIlcicSJ0IgAj" +
  "AiMFIxEjIiMkIzEjMyNCI1AjZiMBJAckICQjJDIkNSRBJHIkdSQEJRElIiU3JUAlUyVwJQAmAiYHJiEmVSZhJgUnEScmJzAnQydQJwIwETAT" +
  "MBUwFzAiMDEwMzA1MEIwRDBHMFEwYzBxMAExAzEFMRQxITEjMUAxYDFyMXYxADISMiAyMjI0MlAyATMQMxQzITMjMyczMDNBM0MzRzNVM3Mz" +
  "AzQRNBY0IjQxNFI0YDRkNAE1EDUSNSU1MjVENVY1czUWNkE2ATcDNyA3Ijc1NwBABEASQCBAJEAnQDJAQUBQQHBAAkEHQRFBE0EiQTBBNUFD" +
  "QVFBVUEBQgNCEEIVQiFCM0JAQldCYkJwQgRDEUMTQyBDIkMxQzVDAEQCRCREN0RARHFEBUUHRSFFYkUTRjRGYEYQRxVHMEdDR1FHAlAQUBRQ" +
  "IlBAUERQR1BSUGZQdFABUQNRBVESUSFRMlFyUQBSEVIjUjBSNlJTUgJTB1MQUydTRFNRU2VTc1MBVARUIFQyVEZUElUmVVFVU1VCVgJXBFci" +
  "VxFgE2AVYDFgM2BgYABhIGEnYWRhEmI0YkJiVWJiYnBiAGMUYyFjQGMlZENkYmQAZQNlNGVgZQVmQGYRZxNnAHAEcAdwIHAicDZwQHBUcGJw" +
  "AnERcSRxQ3FFcQFyBHIQchZyIXIwclFyAnMyczVzU3MBdAV0E3QgdFB0InVCdQJ2MXYAdw==";

/** Values of all points, one point after the other. Made when first asked for. */
function grid(packed: string, bits: 2 | 4, values: readonly number[]): () => Float32Array {
  let made: Float32Array | undefined;
  return () => {
    if (made !== undefined) return made;
    const bytes = Buffer.from(packed, "base64");
    const perByte = 8 / bits;
    made = new Float32Array(bytes.length * perByte);
    for (let at = 0; at < made.length; at += 1) {
      const byte = bytes[Math.floor(at / perByte)] as number;
      made[at] = values[(byte >> (bits * (at % perByte))) & (2 ** bits - 1)] as number;
    }
    return made;
  };
}

const THREE = [8, 25, 43];

const iq2xxsGrid = grid(POINTS_256, 2, THREE);
const iq2xsGrid = grid(POINTS_512, 2, THREE);
const iq2sGrid = grid(POINTS_1024, 2, THREE);
const iq3xxsGrid = grid(QUADS_256, 4, [4, 12, 20, 28, 36, 44, 52, 62]);
const iq3sGrid = grid(QUADS_512, 4, [1, 3, 5, 7, 9, 11, 13, 15]);

/** The sixteen values of IQ4_NL and IQ4_XS, closer together near zero. */
const IQ4_VALUES = Float32Array.of(-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113);
