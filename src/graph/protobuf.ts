/** The little of the protocol-buffer wire format that ONNX needs: varints, length-delimited fields and floats. */

export interface Message {
  /** Integer field (wire type 0). */
  integer(field: number, value: number | bigint): void;
  /** 32-bit float field (wire type 5). */
  float(field: number, value: number): void;
  /** Text, bytes or a nested message (wire type 2). */
  bytes(field: number, value: string | Uint8Array | Message): void;
  finish(): Uint8Array;
}

export function createMessage(): Message {
  const parts: Uint8Array[] = [];
  let size = 0;
  const push = (part: Uint8Array): void => {
    parts.push(part);
    size += part.length;
  };
  const varint = (value: number | bigint): void => {
    const bytes: number[] = [];
    // Negative numbers are sent as 64-bit two's complement, ten bytes long.
    let rest = BigInt.asUintN(64, BigInt(value));
    while (rest > 127n) {
      bytes.push(Number(rest & 127n) | 128);
      rest >>= 7n;
    }
    bytes.push(Number(rest));
    push(Uint8Array.from(bytes));
  };
  return {
    integer: (field, value) => {
      varint(field << 3);
      varint(value);
    },
    float: (field, value) => {
      varint((field << 3) | 5);
      push(new Uint8Array(Float32Array.of(value).buffer));
    },
    bytes: (field, value) => {
      const payload =
        typeof value === "string" ? Buffer.from(value) : value instanceof Uint8Array ? value : value.finish();
      varint((field << 3) | 2);
      varint(payload.length);
      push(payload);
    },
    finish: () => {
      const whole = new Uint8Array(size);
      let at = 0;
      for (const part of parts) {
        whole.set(part, at);
        at += part.length;
      }
      return whole;
    },
  };
}
