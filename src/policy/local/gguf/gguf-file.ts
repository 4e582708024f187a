/**
 * Opens GGUF files: magic, version, counts, metadata as typed pairs, then name, sizes, type and place of every tensor, then
 * the tensors' bytes from the next multiple of the alignment on; all of it little-endian. Tensors are read piece by piece
 * straight into the arrays that are to hold them.
 *
 * Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */
import { open, type FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import { EngineError } from "../../../base/errors.ts";
import { quoted } from "../quoted.ts";
import { readExactly } from "../read-exactly.ts";
import { BLOCKS, dequantise, typeName } from "./blocks.ts";
import type { Block, PlainType } from "./block.ts";
import { Cursor, ShortOfBytes, type GgufValue } from "./cursor.ts";

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
/** Bytes that are read at once. */
const CHUNK_BYTES = 2 ** 20;
const MOST_DIMENSIONS = 4;
const DEFAULT_ALIGNMENT = 32;
const LARGEST_ALIGNMENT = 2 ** 20;

/** One file; of a model in parts, one of them. */
export async function openPart(path: string): Promise<GgufFile> {
  const file = await open(path, "r");
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
  const told: Told[] = [];
  while (told.length < count) told.push(readPlace(cursor));
  const alignment = metadata.get("general.alignment") ?? DEFAULT_ALIGNMENT;
  if (!(Number.isInteger(alignment) && (alignment as number) >= 1 && (alignment as number) <= LARGEST_ALIGNMENT)) {
    throw cursor.fail(`its alignment is ${JSON.stringify(alignment)}; it must be from 1 to ${LARGEST_ALIGNMENT}`);
  }
  const data = Math.ceil(cursor.at / (alignment as number)) * (alignment as number);
  const tensors = new Map<string, GgufTensor>();
  for (const { name, shape, kind, offset } of told) {
    if (tensors.has(name)) throw cursor.fail(`it has two tensors ${quoted(name)}`);
    tensors.set(name, placeOf({ name, shape, kind, offset }, data, size, cursor));
  }
  refuseOverlaps(tensors, cursor);
  return { metadata, tensors };
}

interface Told {
  readonly name: string;
  readonly shape: readonly bigint[];
  readonly kind: number;
  readonly offset: bigint;
}

function readPlace(cursor: Cursor): Told {
  const name = cursor.text();
  const dimensions = cursor.u32();
  if (dimensions > MOST_DIMENSIONS) throw cursor.fail(`tensor ${quoted(name)} has ${dimensions} dimensions`);
  const shape = Array.from({ length: dimensions }, () => cursor.u64()).reverse();
  return { name, shape, kind: cursor.u32(), offset: cursor.u64() };
}

function placeOf({ name, shape, kind, offset }: Told, data: number, size: number, cursor: Cursor): GgufTensor {
  const block = BLOCKS.get(kind);
  if (block === undefined) {
    throw new EngineError(
      "bad-element-type",
      `Tensor ${quoted(name)} is quantised as ${typeName(kind)}, which is not read here; readable are ${[...BLOCKS.values()].map((known) => known.name).join(", ")}. Take another file of the same model, Q8_0 or Q4_K_M for example.`,
      { details: { tensor: name, type: typeName(kind) } },
    );
  }
  const row = shape.at(-1) ?? 1n;
  if (row % BigInt(block.values) !== 0n) {
    throw cursor.fail(`a row of ${quoted(name)} has ${row} values; ${block.name} needs a multiple of ${block.values}`);
  }
  const values = shape.reduce((product, side) => product * side, 1n);
  const start = BigInt(data) + offset;
  const end = start + (values / BigInt(block.values)) * BigInt(block.bytes);
  if (end > BigInt(size)) {
    throw cursor.fail(`tensor ${quoted(name)} ends at byte ${end}, the file at byte ${size}; it is cut off`);
  }
  return { shape: shape.map(Number), block, start: Number(start), end: Number(end) };
}

/** Many tensors in the same place would make a small file large in memory. */
function refuseOverlaps(tensors: ReadonlyMap<string, GgufTensor>, cursor: Cursor): void {
  let end = 0;
  for (const [name, place] of [...tensors].sort(([, one], [, other]) => one.start - other.start)) {
    if (place.start < end) throw cursor.fail(`tensor ${quoted(name)} overlaps another`);
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
  if (place === undefined) throw new EngineError("missing-tensor", `${fileName} has no tensor ${quoted(name)}.`);
  const { block, start, end } = place;
  const values = ((end - start) / block.bytes) * block.values;
  if (values !== target.length) {
    throw new EngineError(
      "bad-tensor-shape",
      `${fileName}: tensor ${quoted(name)} holds ${values} numbers; ${target.length} are wanted.`,
    );
  }
  const fail = (why: string): EngineError => broken(fileName, why);
  if (block.name === "F32") {
    await readExactly(file, new Uint8Array(target.buffer, target.byteOffset, target.byteLength), start, fail);
    return;
  }
  const perChunk = Math.floor(CHUNK_BYTES / block.bytes);
  const chunk = new Uint8Array(Math.min(perChunk * block.bytes, end - start));
  for (let at = 0; at < target.length; at += perChunk * block.values) {
    const part = target.subarray(at, at + perChunk * block.values);
    const room = chunk.subarray(0, (part.length / block.values) * block.bytes);
    await readExactly(file, room, start + (at / block.values) * block.bytes, fail);
    dequantise(block, room, part);
  }
}
