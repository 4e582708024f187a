/** Writes GGUF files for tests: metadata and tensors of raw blocks. */
import { writeFile } from "node:fs/promises";

export type Metadata = Readonly<
  Record<string, string | number | boolean | Float | readonly string[] | Float32Array | Int32Array>
>;

/** A number that is written as float32; other numbers are written as 32 bits without sign. */
export interface Float {
  readonly float: number;
}

export interface RawTensor {
  readonly name: string;
  /** Rows first. */
  readonly shape: readonly number[];
  /** The number that files have for the type. Default: 0, float32. */
  readonly kind?: number;
  readonly bytes: Uint8Array;
}

export async function writeGguf(path: string, metadata: Metadata, tensors: readonly RawTensor[]): Promise<void> {
  await writeFile(path, ggufBytes(metadata, tensors));
}

export function ggufBytes(metadata: Metadata, tensors: readonly RawTensor[]): Buffer {
  const pairs = Object.entries(metadata);
  const head = [Buffer.from("GGUF"), u32(3), u64(tensors.length), u64(pairs.length)];
  for (const [key, value] of pairs) head.push(text(key), ...typed(value));
  const data: Buffer[] = [];
  let offset = 0;
  for (const { name, shape, kind = 0, bytes } of tensors) {
    head.push(text(name), u32(shape.length), ...[...shape].reverse().map(u64), u32(kind), u64(offset));
    const padded = Buffer.alloc(Math.ceil(bytes.length / 32) * 32);
    padded.set(bytes);
    data.push(padded);
    offset += padded.length;
  }
  const header = Buffer.concat(head);
  return Buffer.concat([header, Buffer.alloc((32 - (header.length % 32)) % 32), ...data]);
}

/** Float32 numbers as a tensor. */
export function floats(name: string, shape: readonly number[], values: Float32Array): RawTensor {
  return { name, shape, bytes: new Uint8Array(values.buffer, values.byteOffset, values.byteLength) };
}

function typed(value: Metadata[string]): Buffer[] {
  if (typeof value === "string") return [u32(8), text(value)];
  if (typeof value === "boolean") return [u32(7), Buffer.of(value ? 1 : 0)];
  if (typeof value === "number") return [u32(4), u32(value)];
  if (value instanceof Float32Array) return [u32(9), u32(6), u64(value.length), Buffer.from(value.buffer)];
  if (value instanceof Int32Array) return [u32(9), u32(5), u64(value.length), Buffer.from(value.buffer)];
  if ("float" in value) return [u32(6), Buffer.from(Float32Array.of(value.float).buffer)];
  return [u32(9), u32(8), u64(value.length), ...value.map(text)];
}

function u32(value: number): Buffer {
  return Buffer.from(Uint32Array.of(value).buffer);
}

function u64(value: number): Buffer {
  return Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
}
