/** What every type of GGUF's tensors says of itself: plain numbers, or blocks of bytes that stand for 32 or 256 values. */
import { halves, type ElementType } from "../element-type.ts";

export interface Block {
  readonly name: string;
  /** Values of one block. */
  readonly values: 32 | 256;
  /** Bytes of one block. */
  readonly bytes: number;
  /** The values of the block that begins at byte `from`, into `out` from place `to` on. */
  readonly read: (bytes: Uint8Array, from: number, out: Float32Array, to: number) => void;
}

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
export function wordAt(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24)) >>>
    0
  );
}

/** A byte as a number from -128 to 127. */
export function signedAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 24) >> 24;
}
