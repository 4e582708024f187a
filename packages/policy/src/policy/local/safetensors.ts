/**
 * Reads safetensors files: eight bytes that say how long the header is, a JSON header that says where each tensor lies,
 * then the numbers. The file is foreign, so everything the header claims is checked against the file's real size before
 * a single byte of a tensor is read or room for it is made.
 *
 * Format: https://github.com/huggingface/safetensors (README, "Format").
 */
import { open, type FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import { EngineError } from "limbeck-base/base/errors";
import { boundedJson, isObject } from "limbeck-base/base/json";
import {
  decodeElements,
  ELEMENT_BYTES,
  encodeElements,
  readExactly,
  readNumbers,
  type ElementType,
  type WritableType,
} from "./element-type.ts";
import { quote } from "./quote.ts";
import { openPlain } from "limbeck-base/base/plain-file";

export interface TensorPlace {
  readonly type: string;
  readonly shape: readonly number[];
  /** First byte in the file, and the one after the last. */
  readonly start: number;
  readonly end: number;
}

export interface SafetensorsFile {
  readonly path: string;
  readonly tensors: ReadonlyMap<string, TensorPlace>;
  readonly metadata: Readonly<Record<string, string>>;
  /** Reads a tensor of numbers straight into the given array, which must have its size. */
  readInto(name: string, target: Float32Array): Promise<void>;
  close(): Promise<void>;
}

/** The limit of the format itself. A header of this length describes millions of tensors. */
const LONGEST_HEADER = 100_000_000;
/** Bits per element of every type the format knows; only some of them can be read as numbers here. */
const TYPE_BYTES: Readonly<Record<string, number>> = {
  ...ELEMENT_BYTES,
  BOOL: 1,
  U8: 1,
  I8: 1,
  F8_E4M3: 1,
  F8_E5M2: 1,
  U16: 2,
  I16: 2,
  U32: 4,
  I32: 4,
  F64: 8,
  U64: 8,
  I64: 8,
};

export async function openSafetensors(path: string): Promise<SafetensorsFile> {
  const file = await openPlain(path);
  try {
    const header = await readHeader(file, basename(path));
    return {
      path,
      ...header,
      readInto: (name, target) => readInto(file, basename(path), header.tensors, name, target),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

type Header = Pick<SafetensorsFile, "tensors" | "metadata">;

async function readHeader(file: FileHandle, name: string): Promise<Header> {
  const { size } = await file.stat();
  if (size < 10) throw corrupt(name, `it has ${size} bytes; even an empty one has 10`);
  const prefix = Buffer.alloc(8);
  await readExactly(file, prefix, 0, (why) => corrupt(name, why));
  const length = prefix.readBigUInt64LE();
  if (length > BigInt(size - 8)) {
    throw corrupt(
      name,
      `its header claims ${length} bytes, but only ${size - 8} follow; it is cut off or not safetensors`,
    );
  }
  if (length > BigInt(LONGEST_HEADER)) throw corrupt(name, `its header has ${length} bytes; at most ${LONGEST_HEADER}`);
  const text = Buffer.alloc(Number(length));
  await readExactly(file, text, 8, (why) => corrupt(name, why));
  return parseHeader(parseJson(text, name), 8 + text.length, size, name);
}

function parseJson(text: Buffer, name: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = boundedJson(new TextDecoder("utf-8", { fatal: true }).decode(text));
  } catch (error) {
    throw corrupt(name, "its header is not JSON", error);
  }
  if (!isObject(value)) throw corrupt(name, "its header is not a JSON object");
  return value;
}

function parseHeader(json: Readonly<Record<string, unknown>>, dataStart: number, size: number, name: string): Header {
  const tensors = new Map<string, TensorPlace>();
  let metadata: Record<string, string> = {};
  for (const [key, value] of Object.entries(json)) {
    if (key === "__metadata__") metadata = parseMetadata(value, name);
    else tensors.set(key, parsePlace(key, value, dataStart, size, name));
  }
  let end = dataStart;
  for (const [key, place] of [...tensors].sort(
    ([, left], [, right]) => left.start - right.start || left.end - right.end,
  )) {
    if (place.start < end) throw corrupt(name, `tensor ${quote(key)} overlaps the one before it`);
    if (place.start > end) throw corrupt(name, `${place.start - end} bytes before tensor ${quote(key)} belong to none`);
    end = place.end;
  }
  if (end !== size) throw corrupt(name, `${size - end} bytes at its end belong to no tensor`);
  return { tensors, metadata };
}

function parseMetadata(value: unknown, name: string): Record<string, string> {
  if (!isObject(value) || Object.values(value).some((entry) => typeof entry !== "string")) {
    throw corrupt(name, "its metadata is not a table of texts");
  }
  return value as Record<string, string>;
}

function parsePlace(key: string, value: unknown, dataStart: number, size: number, name: string): TensorPlace {
  const fail = (why: string): EngineError => corrupt(name, `tensor ${quote(key)} ${why}`);
  if (!isObject(value)) throw fail("is not described by an object");
  const { dtype: type, shape, data_offsets: offsets } = value;
  const bytes = typeof type === "string" && Object.hasOwn(TYPE_BYTES, type) ? TYPE_BYTES[type] : undefined;
  if (typeof type !== "string" || bytes === undefined) {
    throw fail(
      `has the element type ${quote(typeof type === "string" ? type : JSON.stringify(type ?? null))}; known: ${Object.keys(TYPE_BYTES).join(", ")}`,
    );
  }
  if (!Array.isArray(shape) || !shape.every(isCount)) throw fail("has a shape that is not a list of whole numbers");
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isCount)) throw fail("has no two data offsets");
  const [from, to] = offsets as [number, number];
  if (from > to || dataStart + to > size) {
    throw fail(`lies at ${from} to ${to}, outside the ${size - dataStart} bytes of data`);
  }
  const wanted = shape.reduce((product: number, side: number) => product * side, bytes);
  if (wanted !== to - from) throw fail(`of shape [${shape.join(", ")}] needs ${wanted} bytes and has ${to - from}`);
  return { type, shape, start: dataStart + from, end: dataStart + to };
}

async function readInto(
  file: FileHandle,
  fileName: string,
  tensors: ReadonlyMap<string, TensorPlace>,
  name: string,
  target: Float32Array,
): Promise<void> {
  const place = tensors.get(name);
  if (place === undefined) throw new EngineError("missing-tensor", `${fileName} has no tensor ${quote(name)}.`);
  const { type, start, end } = place;
  if (!isElementType(type)) {
    throw new EngineError(
      "bad-element-type",
      `${fileName}: tensor ${quote(name)} holds ${type}; readable are ${Object.keys(ELEMENT_BYTES).join(", ")}.`,
    );
  }
  const bytes = ELEMENT_BYTES[type];
  if ((end - start) / bytes !== target.length) {
    throw new EngineError(
      "bad-tensor-shape",
      `${fileName}: tensor ${quote(name)} holds ${(end - start) / bytes} numbers; ${target.length} are wanted.`,
    );
  }
  const unit = { values: 1, bytes, decode: (from: Uint8Array, into: Float32Array) => decodeElements(type, from, into) };
  await readNumbers(file, start, target, (why) => corrupt(fileName, why), type === "F32" ? undefined : unit);
}

function isElementType(type: string): type is ElementType {
  return Object.hasOwn(ELEMENT_BYTES, type);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function corrupt(name: string, why: string, cause?: unknown): EngineError {
  return new EngineError(
    "bad-safetensors",
    `${name} is not a sound safetensors file: ${why}. Fetch or save it again.`,
    {
      cause,
    },
  );
}

// Writes safetensors files, one tensor after the other, without a second copy of all of them.

export interface TensorToWrite {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: Float32Array;
  readonly type: WritableType;
}

/** The file is complete and on the disk when this returns. `format: "pt"` is what transformers asks for. */
export async function writeSafetensors(
  path: string,
  tensors: readonly TensorToWrite[],
  metadata: Readonly<Record<string, string>> = {},
): Promise<void> {
  const header: Record<string, unknown> = { __metadata__: { format: "pt", ...metadata } };
  let end = 0;
  for (const { name, shape, data, type } of tensors) {
    const start = end;
    end += data.length * ELEMENT_BYTES[type];
    header[name] = { dtype: type, shape, data_offsets: [start, end] };
  }
  const json = Buffer.from(JSON.stringify(header));
  // Padded with spaces, so that the numbers start at a multiple of eight and can be mapped into memory as they are.
  const padded = Buffer.alloc(Math.ceil(json.length / 8) * 8, " ");
  json.copy(padded);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(padded.length));
  const file = await open(path, "w");
  try {
    await file.writeFile(Buffer.concat([length, padded]));
    for (const { data, type } of tensors) await file.writeFile(encodeElements(type, data));
    await file.sync();
  } finally {
    await file.close();
  }
}
