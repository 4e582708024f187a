/** Reads a GGUF header value by value. Nothing that it says is believed before it fits into the file. */
import { EngineError } from "../../../base/errors.ts";

/** Arrays of numbers keep the width that they have in the file, so that no header grows in memory. */
export type GgufValue = number | boolean | string | GgufNumbers | readonly GgufValue[];
export type GgufNumbers =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

/** The bytes at hand end before the header does: more of the file has to be read. */
export class ShortOfBytes extends Error {}

interface NumberKind {
  readonly bytes: number;
  read(view: DataView, at: number): number;
  make(length: number): GgufNumbers;
}

const NUMBERS: Readonly<Record<number, NumberKind>> = {
  0: { bytes: 1, read: (view, at) => view.getUint8(at), make: (length) => new Uint8Array(length) },
  1: { bytes: 1, read: (view, at) => view.getInt8(at), make: (length) => new Int8Array(length) },
  2: { bytes: 2, read: (view, at) => view.getUint16(at, true), make: (length) => new Uint16Array(length) },
  3: { bytes: 2, read: (view, at) => view.getInt16(at, true), make: (length) => new Int16Array(length) },
  4: { bytes: 4, read: (view, at) => view.getUint32(at, true), make: (length) => new Uint32Array(length) },
  5: { bytes: 4, read: (view, at) => view.getInt32(at, true), make: (length) => new Int32Array(length) },
  6: { bytes: 4, read: (view, at) => view.getFloat32(at, true), make: (length) => new Float32Array(length) },
  // Whole numbers of 64 bits become doubles: ids and sizes are far below what those hold exactly.
  10: { bytes: 8, read: (view, at) => Number(view.getBigUint64(at, true)), make: (length) => new Float64Array(length) },
  11: { bytes: 8, read: (view, at) => Number(view.getBigInt64(at, true)), make: (length) => new Float64Array(length) },
  12: { bytes: 8, read: (view, at) => view.getFloat64(at, true), make: (length) => new Float64Array(length) },
};
const BOOLEAN = 7;
const TEXT = 8;
const ARRAY = 9;
/** Arrays in arrays; no file is known that has more than one in another. */
const DEEPEST = 4;

export class Cursor {
  at = 0;
  readonly #bytes: Buffer;
  readonly #size: number;
  readonly #name: string;
  readonly #view: DataView;

  /** `bytes` are the first of a file of `size` bytes. */
  constructor(bytes: Buffer, size: number, name: string) {
    this.#bytes = bytes;
    this.#size = size;
    this.#name = name;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  fail(why: string): EngineError {
    return new EngineError("bad-gguf", `${this.#name} is not a sound GGUF file: ${why}. Fetch it again.`);
  }

  /** Makes sure that `count` things of at least `least` bytes each follow, and gives the count as a number. */
  room(count: bigint | number, least: number, what: string): number {
    const left = this.#size - this.at;
    if (count > Math.floor(left / least)) {
      throw this.fail(`at byte ${this.at} it promises ${count} ${what}, but only ${left} bytes follow; it is cut off`);
    }
    return Number(count);
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  u64(): bigint {
    return this.#view.getBigUint64(this.#take(8), true);
  }

  text(): string {
    const length = this.room(this.u64(), 1, "bytes of text");
    const start = this.#take(length);
    return this.#bytes.toString("utf8", start, start + length);
  }

  value(kind: number, depth = 0): GgufValue {
    const number = NUMBERS[kind];
    if (number !== undefined) return number.read(this.#view, this.#take(number.bytes));
    if (kind === BOOLEAN) return this.#view.getUint8(this.#take(1)) !== 0;
    if (kind === TEXT) return this.text();
    if (kind !== ARRAY) throw this.fail(`a value before byte ${this.at} has type ${kind}; types go from 0 to 12`);
    if (depth === DEEPEST) throw this.fail(`an array before byte ${this.at} lies in ${DEEPEST} others`);
    return this.#array(this.u32(), depth);
  }

  #array(inner: number, depth: number): GgufValue {
    const number = NUMBERS[inner];
    const length = this.room(this.u64(), number?.bytes ?? (inner === BOOLEAN ? 1 : 8), "entries of an array");
    if (number === undefined) {
      const entries: GgufValue[] = [];
      while (entries.length < length) entries.push(this.value(inner, depth + 1));
      return entries;
    }
    const start = this.#take(length * number.bytes);
    const made = number.make(length);
    for (let at = 0; at < length; at += 1) made[at] = number.read(this.#view, start + at * number.bytes);
    return made;
  }

  /** The place of the next `count` bytes, which are then behind the cursor. */
  #take(count: number): number {
    this.room(count, 1, "bytes");
    if (this.at + count > this.#bytes.length) throw new ShortOfBytes();
    const start = this.at;
    this.at += count;
    return start;
  }
}
