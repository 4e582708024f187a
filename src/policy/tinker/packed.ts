/** Arrays of the `limbeck` extension: base64 of little-endian 32-bit numbers, which is a third of what JSON needs. */
import { EngineError } from "../../base/index.ts";

export function pack(values: Int32Array | Float32Array): string {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString("base64");
}

export function unpackInts(text: string): Int32Array {
  return new Int32Array(bytesOf(text));
}

export function unpackFloats(text: string): Float32Array {
  return new Float32Array(bytesOf(text));
}

/** How many numbers a packed array holds. */
export function packedCount(text: string): number {
  return Buffer.byteLength(text, "base64") / 4;
}

/** In memory of their own, because that of a Buffer need not begin at a multiple of four. */
function bytesOf(text: string): ArrayBuffer {
  const bytes = new Uint8Array(Buffer.byteLength(text, "base64"));
  const buffer = Buffer.from(bytes.buffer);
  const written = buffer.write(text, "base64");
  if (written === bytes.length && written % 4 === 0) return bytes.buffer;
  throw new EngineError(
    "trainer-bad-response",
    `The trainer packed ${bytes.length} bytes; numbers need a multiple of 4.`,
  );
}
