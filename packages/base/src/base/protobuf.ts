/**
 * The wire format of protocol buffers, as far as ONNX, OpenTelemetry and Tinker use it: a message is a row of fields, each a key (number and
 * kind) and a value. Kinds: 0 a varint, 1 eight bytes, 2 a length and so many bytes, 5 four bytes.
 * https://protobuf.dev/programming-guides/encoding/
 */

export interface Message {
  /** Integer field (wire type 0). */
  integer(field: number, value: number | bigint): void;
  /** 32-bit float field (wire type 5), and one of 64 bits (wire type 1). */
  float(field: number, value: number): void;
  double(field: number, value: number): void;
  /** Text, bytes or a nested message (wire type 2). */
  bytes(field: number, value: string | Uint8Array | Message): void;
  /** What was written so far; it must not be kept beyond the next field. */
  finish(): Uint8Array;
}

/** Room for a tag or a number, at most ten bytes each, before it is known how long they are. */
const LONGEST = 20;

/** One array that grows: graphs have thousands of fields, and an array for each would take longer than all the rest. */
export function createMessage(): Message {
  let whole = Buffer.allocUnsafe(64);
  let size = 0;
  const room = (more: number): void => {
    if (size + more <= whole.length) return;
    const grown = Buffer.allocUnsafe(Math.max(2 * whole.length, size + more));
    whole.copy(grown, 0, 0, size);
    whole = grown;
  };
  const byte = (value: number): void => {
    whole[size] = value;
    size += 1;
  };
  const varint = (value: number | bigint): void => {
    if (typeof value === "number" && value >= 0) {
      let rest = value;
      for (; rest > 127; rest = Math.floor(rest / 128)) byte((rest % 128) | 128);
      return byte(rest);
    }
    // Negative numbers are sent as 64-bit two's complement, ten bytes long.
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 127n; rest >>= 7n) byte(Number(rest & 127n) | 128);
    byte(Number(rest));
  };
  return {
    integer: (field, value) => {
      room(LONGEST);
      varint(field << 3);
      varint(value);
    },
    float: (field, value) => {
      room(LONGEST);
      varint((field << 3) | 5);
      size = whole.writeFloatLE(value, size);
    },
    double: (field, value) => {
      room(LONGEST);
      varint((field << 3) | 1);
      size = whole.writeDoubleLE(value, size);
    },
    bytes: (field, value) => {
      const payload = typeof value === "string" || value instanceof Uint8Array ? value : value.finish();
      const length = typeof payload === "string" ? Buffer.byteLength(payload) : payload.length;
      room(LONGEST + length);
      varint((field << 3) | 2);
      varint(length);
      if (typeof payload === "string") whole.write(payload, size);
      else whole.set(payload, size);
      size += length;
    },
    finish: () => whole.subarray(0, size),
  };
}

/** A message, as its fields in their order. */
export function message(...fields: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(fields);
}

function fieldOf(write: (message: Message) => void): Uint8Array {
  const own = createMessage();
  write(own);
  return own.finish();
}

export function integer(field: number, value: number): Uint8Array {
  return fieldOf((own) => own.integer(field, value));
}

export function bytes(field: number, value: Uint8Array | string): Uint8Array {
  return fieldOf((own) => own.bytes(field, value));
}

export function double(field: number, value: number): Uint8Array {
  return fieldOf((own) => own.double(field, value));
}

/** The values of each field in the order in which they came; those of fixed length by their bits. */
export type Fields = ReadonlyMap<number, readonly (bigint | Uint8Array)[]>;

/** `damaged` makes the error for bytes that are no message. */
export function readMessage(
  from: Uint8Array,
  damaged: (why: string) => Error = (why) => new TypeError(`The message is damaged: ${why}.`),
): Fields {
  const view = new DataView(from.buffer, from.byteOffset, from.byteLength);
  const fields = new Map<number, (bigint | Uint8Array)[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = from[at];
      if (byte === undefined) throw damaged("it ends inside a number");
      at += 1;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asUintN(64, value);
    }
    throw damaged("a number has more than ten bytes");
  };
  const take = (length: number, why: string): number => {
    if (at + length > from.length) throw damaged(why);
    at += length;
    return at - length;
  };
  const read = (kind: number): bigint | Uint8Array => {
    if (kind === 0) return varint();
    if (kind === 1) return view.getBigUint64(take(8, "it ends inside a number"), true);
    if (kind === 5) return BigInt(view.getUint32(take(4, "it ends inside a number"), true));
    if (kind !== 2) throw damaged(`wire type ${kind} is not used in it`);
    const length = Number(varint());
    const start = take(length, `a field of ${length} bytes goes beyond the end`);
    return from.subarray(start, at);
  };
  while (at < from.length) {
    const key = Number(varint());
    const [field, value] = [Math.floor(key / 8), read(key % 8)];
    if (field < 1) throw damaged("a field has no number");
    const values = fields.get(field);
    if (values === undefined) fields.set(field, [value]);
    else values.push(value);
  }
  return fields;
}

/** What a field has of another kind than it should is left out, as unknown fields are. */
export function bytesOf(fields: Fields, field: number): Uint8Array[] {
  return (fields.get(field) ?? []).filter((value) => typeof value !== "bigint");
}

export function textOf(fields: Fields, field: number): string {
  return Buffer.from(bytesOf(fields, field).at(-1) ?? new Uint8Array()).toString("utf8");
}

/** The last number, unsigned; 0 where there is none. */
export function wholeOf(fields: Fields, field: number): bigint {
  return fields.get(field)?.findLast((value) => typeof value === "bigint") ?? 0n;
}

/** The same as a number with its sign. */
export function numberOf(fields: Fields, field: number): number {
  return Number(BigInt.asIntN(64, wholeOf(fields, field)));
}

/** Numbers of a packed field, or single ones. */
export function numbersOf(fields: Fields, field: number): number[] {
  return (fields.get(field) ?? []).flatMap((value) => {
    if (typeof value === "bigint") return [Number(BigInt.asIntN(64, value))];
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
export function entriesOf(
  fields: Fields,
  field: number,
  read: (entry: Uint8Array) => Fields = (entry) => readMessage(entry),
): [string, Fields][] {
  return bytesOf(fields, field).map((entry) => {
    const parts = read(entry);
    return [textOf(parts, 1), parts];
  });
}

/** A field of eight bytes as a number of 64 bits. */
export function doubleOf(fields: Fields, field: number): number {
  return new Float64Array(BigUint64Array.of(wholeOf(fields, field)).buffer)[0] ?? 0;
}
