/** The little of the protocol-buffer wire format that ONNX needs: varints, length-delimited fields and floats. */

export interface Message {
  /** Integer field (wire type 0). */
  integer(field: number, value: number | bigint): void;
  /** 32-bit float field (wire type 5). */
  float(field: number, value: number): void;
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
