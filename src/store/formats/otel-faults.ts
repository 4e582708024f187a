/** Why a call of a model failed, as its span tells, in the words that a recording has for it. */
import type { JsonObject } from "../../trajectory/index.ts";
import { CLIENT_LEFT } from "./recorded-lines.ts";
import { numberAttribute, textAttribute, type Span } from "./otlp.ts";

export interface CallFault extends JsonObject {
  readonly call: string;
  /** The step that it failed before, or in. */
  readonly step: number;
  readonly code: string;
  readonly message: string;
}

/** Of a span that has an error. */
export function readFault({ spanId, attributes, events, error = "" }: Span, step: number): CallFault {
  const thrown = events.find(({ name }) => name === "exception")?.attributes ?? {};
  const type = textAttribute(attributes, "error.type") ?? textAttribute(thrown, "exception.type") ?? "";
  const status = /^[1-9]\d\d$/.test(type) ? Number(type) : numberAttribute(attributes, "http.response.status_code");
  const place = { call: spanId, step };
  if (/(?:^|\.)(?:AbortError|TimeoutError)$/.test(type)) return { ...place, ...CLIENT_LEFT };
  const message = error || (textAttribute(thrown, "exception.message") ?? "");
  if (status !== undefined && status >= 400) return { ...place, code: `http-${status}`, message };
  // Names of classes say who threw, not what happened.
  const named = textAttribute(attributes, "error.type");
  return { ...place, code: named === undefined || named === "" ? "provider-error" : named, message };
}
