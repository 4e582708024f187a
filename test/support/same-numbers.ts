/** Vitest compares arrays of numbers one by one, through iterators; weights are hundreds of thousands. Those of the same bits need not be. */

/** True where both are arrays of one kind with the same bits; anything else is for the usual comparison to decide. */
export function sameNumbers(one: unknown, other: unknown): true | undefined {
  if (!ArrayBuffer.isView(one) || !ArrayBuffer.isView(other)) return undefined;
  if (one.constructor !== other.constructor || one.byteLength !== other.byteLength) return undefined;
  return Buffer.compare(bytesOf(one), bytesOf(other)) === 0 ? true : undefined;
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
