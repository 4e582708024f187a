/** Typed arrays, one after the other. */

type Joinable = Int32Array | Uint8Array | Float32Array;

/** All parts in one new array of the kind given: `concat(Int32Array, [prompt, answer])`. */
export function concat<T extends Joinable>(kind: new (length: number) => T, parts: readonly T[]): T {
  const all = new kind(parts.reduce((total, { length }) => total + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
