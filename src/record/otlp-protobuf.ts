/**
 * OTLP trace requests from their protocol-buffer form into the JSON form that the OpenTelemetry importer reads.
 *
 * By hand, like the writer in `graph`: five small messages of a format whose field numbers never change do not need a
 * compiler and its runtime. Field numbers: opentelemetry-proto, trace/v1 and common/v1.
 */
import { EngineError } from "../base/index.ts";
import type { Json, JsonObject } from "../trajectory/index.ts";

const DEEPEST = 64;

type Field = readonly [number: number, value: bigint | Uint8Array];

export function readTraceRequest(bytes: Uint8Array): JsonObject {
  return { resourceSpans: each(bytes, 1).map((resource) => ({ scopeSpans: each(resource, 2).map(readScope) })) };
}

function readScope(bytes: Uint8Array): JsonObject {
  return { spans: each(bytes, 2).map(readSpan) };
}

function readSpan(bytes: Uint8Array): JsonObject {
  const fields = [...readFields(bytes)];
  const status = bytesOf(fields, 15);
  const parent = hex(bytesOf(fields, 4));
  return {
    traceId: hex(bytesOf(fields, 1)),
    spanId: hex(bytesOf(fields, 2)),
    ...(parent === "" ? {} : { parentSpanId: parent }),
    name: text(bytesOf(fields, 5)),
    startTimeUnixNano: String(numberOf(fields, 7)),
    endTimeUnixNano: String(numberOf(fields, 8)),
    attributes: all(fields, 9).map((pair) => readPair(pair, 0)),
    events: all(fields, 11).map((event) => ({
      name: text(bytesOf([...readFields(event)], 2)),
      attributes: each(event, 3).map((pair) => readPair(pair, 0)),
    })),
    ...(status === undefined ? {} : { status: readStatus([...readFields(status)]) }),
  };
}

function readStatus(fields: readonly Field[]): JsonObject {
  return { message: text(bytesOf(fields, 2)), code: Number(numberOf(fields, 3)) };
}

function readPair(bytes: Uint8Array, depth: number): JsonObject {
  const fields = [...readFields(bytes)];
  return { key: text(bytesOf(fields, 1)), value: readValue(bytesOf(fields, 2) ?? new Uint8Array(), depth + 1) };
}

function readValue(bytes: Uint8Array, depth: number): Json {
  if (depth > DEEPEST) throw malformed("a value is nested too deeply");
  const [field] = [...readFields(bytes)];
  if (field === undefined) return {};
  const [number, value] = field;
  if (typeof value === "bigint") {
    if (number === 2) return { boolValue: value !== 0n };
    if (number === 3) return { intValue: String(BigInt.asIntN(64, value)) };
    return number === 4 ? { doubleValue: doubleOf(value) } : {};
  }
  if (number === 1) return { stringValue: text(value) };
  if (number === 5) return { arrayValue: { values: each(value, 1).map((item) => readValue(item, depth + 1)) } };
  if (number === 6) return { kvlistValue: { values: each(value, 1).map((pair) => readPair(pair, depth + 1)) } };
  return number === 7 ? { bytesValue: Buffer.from(value).toString("base64") } : {};
}

function doubleOf(bits: bigint): number | string {
  const value = new Float64Array(BigUint64Array.of(bits).buffer)[0] ?? 0;
  return Number.isFinite(value) ? value : String(value);
}

function* readFields(bytes: Uint8Array): Generator<Field, void, undefined> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined) throw malformed("it ends inside a number");
      at += 1;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asUintN(64, value);
    }
    throw malformed("a number has more than ten bytes");
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const [number, wire] = [Math.floor(tag / 8), tag % 8];
    if (wire === 0) yield [number, varint()];
    else if (wire === 1 || wire === 5) {
      const size = wire === 1 ? 8 : 4;
      if (at + size > bytes.length) throw malformed("it ends inside a number");
      yield [number, wire === 1 ? view.getBigUint64(at, true) : BigInt(view.getUint32(at, true))];
      at += size;
    } else if (wire === 2) {
      const length = Number(varint());
      if (at + length > bytes.length) throw malformed(`a field of ${length} bytes goes beyond the end`);
      yield [number, bytes.subarray(at, at + length)];
      at += length;
    } else throw malformed(`wire type ${wire} is not used in it`);
  }
}

function each(bytes: Uint8Array, number: number): Uint8Array[] {
  return all([...readFields(bytes)], number);
}

function all(fields: readonly Field[], number: number): Uint8Array[] {
  return fields.flatMap(([own, value]) => (own === number && value instanceof Uint8Array ? [value] : []));
}

function bytesOf(fields: readonly Field[], number: number): Uint8Array | undefined {
  return all(fields, number).at(-1);
}

function numberOf(fields: readonly Field[], number: number): bigint {
  const found = fields.findLast(([own, value]) => own === number && typeof value === "bigint");
  return typeof found?.[1] === "bigint" ? found[1] : 0n;
}

function text(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? "" : Buffer.from(bytes).toString("utf8");
}

function hex(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? "" : Buffer.from(bytes).toString("hex");
}

function malformed(why: string): EngineError {
  return new EngineError("bad-otlp", `The body is not an OTLP trace request in protocol-buffer form: ${why}.`);
}
