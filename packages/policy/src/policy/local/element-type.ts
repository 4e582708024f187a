/**
 * Numbers on disk to float32 and back: float32, bfloat16 (the upper half of a float32) and, for reading, float16.
 * Both directions work on little-endian bytes, as safetensors files hold them.
 */

export type ElementType = "F32" | "BF16" | "F16";
export type WritableType = Exclude<ElementType, "F16">;

export const ELEMENT_BYTES: Readonly<Record<ElementType, number>> = { F32: 4, BF16: 2, F16: 2 };

/** Fills `target` from the bytes of as many elements. */
export function decodeElements(type: ElementType, bytes: Uint8Array, target: Float32Array): void {
  if (type === "F32") {
    new Uint8Array(target.buffer, target.byteOffset, target.byteLength).set(bytes.subarray(0, target.byteLength));
    return;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (type === "F16") {
    const table = halves();
    for (let at = 0; at < target.length; at += 1) target[at] = table[view.getUint16(at * 2, true)] as number;
    return;
  }
  const bits = new Uint32Array(target.buffer, target.byteOffset, target.length);
  for (let at = 0; at < target.length; at += 1) bits[at] = view.getUint16(at * 2, true) << 16;
}

export function encodeElements(type: WritableType, source: Float32Array): Uint8Array {
  if (type === "F32") return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
  const bits = new Uint32Array(source.buffer, source.byteOffset, source.length);
  const upper = new Uint16Array(source.length);
  for (let at = 0; at < bits.length; at += 1) upper[at] = roundedUpperHalf(bits[at] as number);
  return new Uint8Array(upper.buffer);
}

/** To the nearest, ties to even, as PyTorch does. What is not a number stays one: rounding could turn it into infinity. */
function roundedUpperHalf(bits: number): number {
  const isNotANumber = (bits & 0x7f80_0000) === 0x7f80_0000 && (bits & 0x007f_ffff) !== 0;
  if (isNotANumber) return (bits >>> 16) | 0x40;
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

let halfTable: Float32Array | undefined;

/** The value of every float16 by its sixteen bits: looking one up is several times quicker than working it out. */
export function halves(): Float32Array {
  return (halfTable ??= Float32Array.from({ length: 2 ** 16 }, (_, bits) => fromHalf(bits)));
}

/** IEEE 754 binary16: 1 sign bit, 5 exponent bits with bias 15, 10 fraction bits. */
function fromHalf(bits: number): number {
  const sign = (bits & 0x8000) === 0 ? 1 : -1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

// Bytes of a file at a place, all of them or an error.

/** One call of the system reads no more than about 2 GiB. */
const MOST_AT_ONCE = 2 ** 30;

/** An open file. */
interface PlacedReader {
  read(target: Uint8Array, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
}

export async function readExactly(
  file: PlacedReader,
  target: Uint8Array,
  position: number,
  fail: (why: string) => Error,
): Promise<void> {
  for (let done = 0; done < target.length;) {
    const { bytesRead } = await file.read(target, done, Math.min(target.length - done, MOST_AT_ONCE), position + done);
    if (bytesRead === 0) throw fail(`it ended at byte ${position + done} while it was being read`);
    done += bytesRead;
  }
}

const CHUNK_BYTES = 2 ** 20;

/** Numbers of a file at a place: as they stand there, or decoded by units of so many bytes and values. */
export async function readNumbers(
  file: PlacedReader,
  start: number,
  target: Float32Array,
  fail: (why: string) => Error,
  unit?: {
    readonly values: number;
    readonly bytes: number;
    readonly decode: (bytes: Uint8Array, into: Float32Array) => void;
  },
): Promise<void> {
  if (unit === undefined) {
    await readExactly(file, new Uint8Array(target.buffer, target.byteOffset, target.byteLength), start, fail);
    return;
  }
  const units = Math.floor(CHUNK_BYTES / unit.bytes);
  const chunk = new Uint8Array(Math.min(units, target.length / unit.values) * unit.bytes);
  for (let at = 0; at < target.length; at += units * unit.values) {
    const part = target.subarray(at, at + units * unit.values);
    const room = chunk.subarray(0, (part.length / unit.values) * unit.bytes);
    await readExactly(file, room, start + (at / unit.values) * unit.bytes, fail);
    unit.decode(room, part);
  }
}
