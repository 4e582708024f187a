/** OTLP in its JSON form: typed attribute values, spans, and the walk down to them. */
import { z } from "zod";
import { isObject, parseJson, type Json, type JsonObject } from "limbeck-base/base/json";
import { asObjects } from "limbeck-recorder/wire/parts";
import { faultAt, type FileLine } from "./fault.ts";

export type Attributes = Readonly<Record<string, Json>>;

interface SpanEvent {
  readonly name: string;
  readonly attributes: Attributes;
}

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** Nanoseconds since 1970. */
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  readonly error?: string;
  /** Roughly how many bytes it holds. */
  readonly weight: number;
}

/** The path to the spans of an export document. */
export const SPAN_PATH = ["resourceSpans", "*", "scopeSpans", "*", "spans", "*"] as const;

const nanos = z.union([z.string().regex(/^\d{1,20}$/), z.number().int().nonnegative()]).nullish();
const pairs = z.array(z.looseObject({ key: z.string(), value: z.unknown() })).nullish();
const SpanJson = z.looseObject({
  traceId: z.string().min(1),
  spanId: z.string().min(1),
  parentSpanId: z.string().nullish(),
  name: z.string().nullish(),
  startTimeUnixNano: nanos,
  endTimeUnixNano: nanos,
  attributes: pairs,
  events: z.array(z.looseObject({ name: z.string(), attributes: pairs })).nullish(),
  status: z.looseObject({ code: z.unknown(), message: z.string().nullish() }).nullish(),
});

export function readSpan(value: unknown, place: FileLine): Span {
  const parsed = SpanJson.safeParse(value);
  if (!parsed.success) throw faultAt(place, "bad-otlp", `not an OTLP span: ${z.prettifyError(parsed.error)}.`);
  const { data } = parsed;
  const failed = data.status?.code === 2 || data.status?.code === "STATUS_CODE_ERROR";
  const attributes = readAttributes(data.attributes ?? []);
  const events = (data.events ?? []).map((event) => ({
    name: event.name,
    attributes: readAttributes(event.attributes ?? []),
  }));
  return {
    traceId: data.traceId,
    spanId: data.spanId,
    ...(data.parentSpanId ? { parentSpanId: data.parentSpanId } : {}),
    name: data.name ?? "",
    start: BigInt(data.startTimeUnixNano ?? 0),
    end: BigInt(data.endTimeUnixNano ?? 0),
    attributes,
    events,
    ...(failed ? { error: data.status?.message ?? "" } : {}),
    weight: 500 + weigh(attributes) + events.reduce((sum, event) => sum + weigh(event.attributes), 0),
  };
}

/** Spans of a document that stands on one line. */
export function spansOf(value: unknown, place: FileLine): JsonObject[] {
  const resources = isObject(value) ? asObjects(value["resourceSpans"]) : undefined;
  if (resources === undefined) {
    throw faultAt(place, "bad-otlp", 'a line must be an OTLP export with a list "resourceSpans".');
  }
  const below = (items: readonly JsonObject[], key: string): JsonObject[] =>
    items.flatMap((item) => asObjects(item[key]) ?? []);
  return below(below(resources, "scopeSpans"), "spans");
}

function readAttributes(list: readonly { readonly key: string; readonly value?: unknown }[]): Attributes {
  return Object.fromEntries(list.map(({ key, value }) => [key, readValue(value)]));
}

/** Integers beyond what a number holds stay text, as OTLP writes them. */
function readValue(value: unknown): Json {
  if (!isObject(value)) return null;
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = value;
  if (typeof stringValue === "string") return stringValue;
  if (typeof boolValue === "boolean") return boolValue;
  if (typeof intValue === "string" || typeof intValue === "number")
    return Number.isSafeInteger(Number(intValue)) ? Number(intValue) : intValue;
  if (doubleValue !== undefined) return doubleValue;
  if (isObject(arrayValue)) return (asObjects(arrayValue["values"]) ?? []).map(readValue);
  if (isObject(kvlistValue)) {
    const entries = (asObjects(kvlistValue["values"]) ?? []).flatMap(({ key, value: inner }): [string, Json][] =>
      typeof key === "string" ? [[key, readValue(inner)]] : [],
    );
    return Object.fromEntries(entries);
  }
  return bytesValue ?? null;
}

function weigh(attributes: Attributes): number {
  return Object.values(attributes).reduce<number>(
    (sum, value) => sum + (typeof value === "string" ? value.length : JSON.stringify(value).length),
    0,
  );
}

/** Attributes for writing: undefined is left out, objects and lists become JSON text. */
export function writeAttributes(fields: Readonly<Record<string, Json | undefined>>): JsonObject[] {
  return Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: writeValue(value) }],
  );
}

function writeValue(value: Json): JsonObject {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") {
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  }
  return { stringValue: JSON.stringify(value) };
}

/** An attribute that may be structured or JSON text. */
export function decode(value: Json | undefined): Json | undefined {
  return typeof value === "string" ? parseJson(value) : value;
}

export function textAttribute(attributes: Attributes, key: string): string | undefined {
  const value = attributes[key];
  return typeof value === "string" ? value : undefined;
}

export function numberAttribute(attributes: Attributes, key: string): number | undefined {
  const value = attributes[key];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
