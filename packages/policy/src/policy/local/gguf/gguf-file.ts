/**
 * Opens GGUF files: magic, version, counts, metadata as typed pairs, then name, sizes, type and place of every tensor, then
 * the tensors' bytes from the next multiple of the alignment on; all of it little-endian. Tensors are read piece by piece
 * straight into the arrays that are to hold them.
 *
 * Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */
import { type FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { quote } from "../quote.ts";
import { readExactly, readNumbers } from "../element-type.ts";
import { type Block, BLOCKS, dequantise, type PlainType, typeName } from "./blocks.ts";
import { openPlain } from "limbeck-base/base/plain-file";

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

export interface GgufTensor {
  /** Rows first, as everywhere here; files have the reverse. */
  readonly shape: readonly number[];
  readonly block: Block | PlainType;
  /** First byte in the file, and the one after the last. */
  readonly start: number;
  readonly end: number;
}

export interface GgufFile {
  readonly path: string;
  readonly metadata: ReadonlyMap<string, GgufValue>;
  readonly tensors: ReadonlyMap<string, GgufTensor>;
  /** Reads a tensor's values into the given array, which must have its size. */
  readInto(name: string, target: Float32Array): Promise<void>;
  /** The bytes of a tensor from one block on, as many as there is room for. */
  readBlocks(name: string, block: number, into: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Metadata and tensor list. The largest known vocabularies with their merges take about a quarter of this. */
const LONGEST_HEADER = 64 * 2 ** 20;
const FIRST_BYTES = 2 ** 20;
const MOST_DIMENSIONS = 4;
const DEFAULT_ALIGNMENT = 32;
const LARGEST_ALIGNMENT = 2 ** 20;

/** One file; of a model in parts, one of them. */
export async function openPart(path: string): Promise<GgufFile> {
  const file = await openPlain(path);
  try {
    const name = basename(path);
    const header = await readHeader(file, name);
    return {
      path,
      ...header,
      readInto: (tensor, target) => readInto(file, name, header.tensors, tensor, target),
      readBlocks: (tensor, block, into) => {
        const place = header.tensors.get(tensor) as GgufTensor;
        return readExactly(file, into, place.start + block * place.block.bytes, (why) => broken(name, why));
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

type Header = Pick<GgufFile, "metadata" | "tensors">;

async function readHeader(file: FileHandle, name: string): Promise<Header> {
  const { size } = await file.stat();
  // How long the header is stands nowhere: a part is read, and more where that was too little.
  for (let length = Math.min(size, FIRST_BYTES); ; length = Math.min(size, length * 4, LONGEST_HEADER)) {
    const bytes = Buffer.alloc(length);
    await readExactly(file, bytes, 0, (why) => broken(name, why));
    const cursor = new Cursor(bytes, size, name);
    try {
      return parseHeader(cursor, size);
    } catch (error) {
      if (!(error instanceof ShortOfBytes)) throw error;
      if (length >= LONGEST_HEADER) throw cursor.fail(`its header has more than ${LONGEST_HEADER} bytes`);
    }
  }
}

function parseHeader(cursor: Cursor, size: number): Header {
  const magic = cursor.u32();
  if (magic !== 0x4655_4747) throw cursor.fail('it does not begin with "GGUF"');
  const version = cursor.u32();
  if (version !== 2 && version !== 3) {
    const why = version >= 2 ** 24 ? "it is big-endian" : `its version is ${version}`;
    throw cursor.fail(`${why}; versions 2 and 3, little-endian, are read`);
  }
  const tensorCount = cursor.u64();
  const pairCount = cursor.u64();
  const metadata = new Map<string, GgufValue>();
  const pairs = cursor.room(pairCount, 13, "pairs of metadata");
  for (let at = 0; at < pairs; at += 1) {
    const key = cursor.text();
    metadata.set(key, cursor.value(cursor.u32()));
  }
  const count = cursor.room(tensorCount, 24, "tensors");
  const headers: TensorHeader[] = [];
  while (headers.length < count) headers.push(readPlace(cursor));
  const alignment = metadata.get("general.alignment") ?? DEFAULT_ALIGNMENT;
  if (!(Number.isInteger(alignment) && (alignment as number) >= 1 && (alignment as number) <= LARGEST_ALIGNMENT)) {
    throw cursor.fail(`its alignment is ${JSON.stringify(alignment)}; it must be from 1 to ${LARGEST_ALIGNMENT}`);
  }
  const data = Math.ceil(cursor.at / (alignment as number)) * (alignment as number);
  const tensors = new Map<string, GgufTensor>();
  for (const { name, shape, kind, offset } of headers) {
    if (tensors.has(name)) throw cursor.fail(`it has two tensors ${quote(name)}`);
    tensors.set(name, placeOf({ name, shape, kind, offset }, data, size, cursor));
  }
  refuseOverlaps(tensors, cursor);
  return { metadata, tensors };
}

interface TensorHeader {
  readonly name: string;
  readonly shape: readonly bigint[];
  readonly kind: number;
  readonly offset: bigint;
}

function readPlace(cursor: Cursor): TensorHeader {
  const name = cursor.text();
  const dimensions = cursor.u32();
  if (dimensions > MOST_DIMENSIONS) throw cursor.fail(`tensor ${quote(name)} has ${dimensions} dimensions`);
  const shape = Array.from({ length: dimensions }, () => cursor.u64()).reverse();
  return { name, shape, kind: cursor.u32(), offset: cursor.u64() };
}

function placeOf({ name, shape, kind, offset }: TensorHeader, data: number, size: number, cursor: Cursor): GgufTensor {
  const block = BLOCKS.get(kind);
  if (block === undefined) {
    throw new EngineError(
      "bad-element-type",
      `Tensor ${quote(name)} is quantised as ${typeName(kind)}, which is not read here; readable are ${[...BLOCKS.values()].map((known) => known.name).join(", ")}. Take another file of the same model, Q8_0 or Q4_K_M for example.`,
      { details: { tensor: name, type: typeName(kind) } },
    );
  }
  const row = shape.at(-1) ?? 1n;
  if (row % BigInt(block.values) !== 0n) {
    throw cursor.fail(`a row of ${quote(name)} has ${row} values; ${block.name} needs a multiple of ${block.values}`);
  }
  const values = shape.reduce((product, side) => product * side, 1n);
  const start = BigInt(data) + offset;
  const end = start + (values / BigInt(block.values)) * BigInt(block.bytes);
  if (end > BigInt(size)) {
    throw cursor.fail(`tensor ${quote(name)} ends at byte ${end}, the file at byte ${size}; it is cut off`);
  }
  return { shape: shape.map(Number), block, start: Number(start), end: Number(end) };
}

/** Many tensors in the same place would make a small file large in memory. */
function refuseOverlaps(tensors: ReadonlyMap<string, GgufTensor>, cursor: Cursor): void {
  let end = 0;
  for (const [name, place] of [...tensors].sort(([, one], [, other]) => one.start - other.start)) {
    if (place.start < end) throw cursor.fail(`tensor ${quote(name)} overlaps another`);
    end = Math.max(end, place.end);
  }
}

function broken(fileName: string, why: string): EngineError {
  return new EngineError("bad-gguf", `${fileName}: ${why}. Fetch it again.`);
}

async function readInto(
  file: FileHandle,
  fileName: string,
  tensors: ReadonlyMap<string, GgufTensor>,
  name: string,
  target: Float32Array,
): Promise<void> {
  const place = tensors.get(name);
  if (place === undefined) throw new EngineError("missing-tensor", `${fileName} has no tensor ${quote(name)}.`);
  const { block, start, end } = place;
  const values = ((end - start) / block.bytes) * block.values;
  if (values !== target.length) {
    throw new EngineError(
      "bad-tensor-shape",
      `${fileName}: tensor ${quote(name)} holds ${values} numbers; ${target.length} are wanted.`,
    );
  }
  const unit = { ...block, decode: (from: Uint8Array, into: Float32Array) => dequantise(block, from, into) };
  await readNumbers(file, start, target, (why) => broken(fileName, why), block.name === "F32" ? undefined : unit);
}

/** The bytes at hand end before the header does: more of the file has to be read. */
class ShortOfBytes extends Error {}

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

/** Reads the header value by value. Nothing that it says is believed before it fits into the file. */
class Cursor {
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

// A model in one GGUF file, or in several that lie side by side: `NAME-00001-of-00003.gguf` and so on.

const PART = /-(\d{5})-of-(\d{5})\.gguf$/i;
/** Far more than any model has; a broken number must not open files without end. */
const MOST_PARTS = 1_000;

/** Of a model in parts, the first is to be given; the others are opened with it. */
export async function openGguf(path: string): Promise<GgufFile> {
  const first = await openPart(path);
  const count = first.metadata.get("split.count");
  if (typeof count !== "number" || count <= 1) return first;
  const opened = [first];
  try {
    for (const other of otherParts(path, count)) opened.push(await openOther(other, path, count));
    return joined(path, opened);
  } catch (error) {
    await Promise.all(opened.map((part) => part.close()));
    throw error;
  }
}

function otherParts(path: string, count: number): string[] {
  const fail = (why: string): EngineError =>
    new EngineError("bad-gguf", `${path} is one of ${count} parts of a model; ${why}.`);
  const [, number, of] = PART.exec(path) ?? [];
  if (number === undefined || Number(of) !== count || count > MOST_PARTS) {
    throw fail(
      `their names must end in -00001-of-${five(Math.min(count, MOST_PARTS))}.gguf and so on, all in one folder`,
    );
  }
  if (Number(number) !== 1) throw fail(`give the first, ${partPath(path, 1, count)}`);
  return Array.from({ length: count - 1 }, (_, at) => partPath(path, at + 2, count));
}

function five(number: number): string {
  return String(number).padStart(5, "0");
}

function partPath(path: string, number: number, count: number): string {
  return path.replace(PART, `-${five(number)}-of-${five(count)}.gguf`);
}

async function openOther(path: string, first: string, count: number): Promise<GgufFile> {
  try {
    return await openPart(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    throw new EngineError("missing-weights", `${first} has ${count} parts, and ${path} is not there. Fetch it too.`, {
      cause: error,
    });
  }
}

function joined(path: string, parts: readonly GgufFile[]): GgufFile {
  const [first] = parts as readonly [GgufFile];
  const tensors = new Map<string, GgufTensor>();
  const holders = new Map<string, GgufFile>();
  for (const [at, part] of parts.entries()) {
    const number = part.metadata.get("split.no");
    if (number !== at || part.metadata.get("split.count") !== parts.length) {
      throw new EngineError(
        "bad-gguf",
        `${part.path} says that it is part ${Number(number) + 1} of ${Number(part.metadata.get("split.count"))}; by its name it is part ${at + 1} of ${parts.length}. Fetch the parts again.`,
      );
    }
    for (const [name, tensor] of part.tensors) {
      if (tensors.has(name)) {
        throw new EngineError("bad-gguf", `${part.path}: the tensor ${quote(name)} is in an earlier part too.`);
      }
      tensors.set(name, tensor);
      holders.set(name, part);
    }
  }
  const promised = first.metadata.get("split.tensors.count");
  if (typeof promised === "number" && promised !== tensors.size) {
    throw new EngineError(
      "bad-gguf",
      `${path} promises ${promised} tensors in all its parts; they hold ${tensors.size}. Fetch the parts again.`,
    );
  }
  const holder = (name: string): GgufFile => holders.get(name) ?? first;
  return {
    path,
    metadata: first.metadata,
    tensors,
    readInto: (name, target) => holder(name).readInto(name, target),
    readBlocks: (name, block, into) => holder(name).readBlocks(name, block, into),
    close: async () => void (await Promise.all(parts.map((part) => part.close()))),
  };
}

/** A list of metadata, of numbers or of anything. */
export function isList(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || ArrayBuffer.isView(value);
}
