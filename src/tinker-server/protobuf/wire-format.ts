/**
 * The wire format of protocol buffers, as far as the protocol uses it: a message is a row of fields, each a key (number
 * and kind) and a value. Kinds: 0 a varint, 1 eight bytes, 2 a length and so many bytes, 5 four bytes.
 * https://protobuf.dev/programming-guides/encoding/
 */
import { HttpFailure } from "../http-failure.ts";

/** The values of a field in the order in which they came: numbers as bytes or as they are. */
export type Fields = ReadonlyMap<number, readonly (number | Uint8Array)[]>;

export function readMessage(bytes: Uint8Array): Fields {
  const fields = new Map<number, (number | Uint8Array)[]>();
  let at = 0;
  const varint = (): number => {
    let [value, scale] = [0n, 0n];
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined || scale > 63n) throw damaged();
      at += 1;
      value |= BigInt(byte & 0x7f) << scale;
      if (byte < 0x80) return Number(BigInt.asIntN(64, value));
      scale += 7n;
    }
  };
  const take = (count: number): Uint8Array => {
    if (count < 0 || at + count > bytes.length) throw damaged();
    at += count;
    return bytes.subarray(at - count, at);
  };
  while (at < bytes.length) {
    const key = varint();
    const [field, kind] = [Math.floor(key / 8), key % 8];
    const value =
      kind === 0 ? varint() : kind === 1 ? take(8) : kind === 2 ? take(varint()) : kind === 5 ? take(4) : undefined;
    if (value === undefined || field < 1) throw damaged();
    const values = fields.get(field);
    if (values === undefined) fields.set(field, [value]);
    else values.push(value);
  }
  return fields;
}

function damaged(): HttpFailure {
  return new HttpFailure(422, "The protobuf body is damaged.");
}

export function bytesOf(fields: Fields, field: number): Uint8Array[] {
  return (fields.get(field) ?? []).map((value) => {
    if (typeof value === "number") throw damaged();
    return value;
  });
}

export function textOf(fields: Fields, field: number): string {
  return new TextDecoder().decode(bytesOf(fields, field).at(-1) ?? new Uint8Array());
}

export function numberOf(fields: Fields, field: number): number {
  const value = fields.get(field)?.at(-1) ?? 0;
  if (typeof value !== "number") throw damaged();
  return value;
}

/** Numbers of a packed field, or single ones. */
export function numbersOf(fields: Fields, field: number): number[] {
  return (fields.get(field) ?? []).flatMap((value) => {
    if (typeof value === "number") return [value];
    // A packed field is varints one after the other: with a key before each it is a message.
    const numbers: number[] = [];
    let [number, scale] = [0, 1];
    for (const byte of value) {
      number += (byte & 0x7f) * scale;
      scale *= 128;
      if (byte >= 0x80) continue;
      numbers.push(number);
      [number, scale] = [0, 1];
    }
    return numbers;
  });
}

/** The entries of a map, which is a repeated message of key 1 and value 2. */
export function entriesOf(fields: Fields, field: number): [string, Fields][] {
  return bytesOf(fields, field).map((entry) => {
    const parts = readMessage(entry);
    return [textOf(parts, 1), parts];
  });
}

export function doubleOf(fields: Fields, field: number): number {
  const [bytes] = bytesOf(fields, field);
  if (bytes?.length !== 8) return 0;
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true);
}

/** A message, as its fields in their order. */
export function message(...parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}

export function whole(field: number, value: number): Uint8Array {
  return Buffer.concat([varintOf(field * 8), varintOf(value)]);
}

export function bytes(field: number, value: Uint8Array | string): Uint8Array {
  const content = typeof value === "string" ? Buffer.from(value) : value;
  return Buffer.concat([varintOf(field * 8 + 2), varintOf(content.length), content]);
}

export function double(field: number, value: number): Uint8Array {
  const content = Buffer.alloc(8);
  content.writeDoubleLE(value);
  return Buffer.concat([varintOf(field * 8 + 1), content]);
}

function varintOf(value: number): Uint8Array {
  const out: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    out.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Uint8Array.from([...out, rest]);
}
