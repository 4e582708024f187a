/** Fields of foreign records: what they hold where it is of the right kind, undefined where it is not. */
import { isObject, type Json, type JsonObject } from "limbeck-base/base/json";
import { withoutUndefined } from "limbeck-base/base/fields";
import { callArguments, countOf } from "limbeck-recorder/lines";
import { replyOf } from "limbeck-recorder/wire/shape";
import type { Message, ToolCall, Usage } from "limbeck-base/trajectory/trajectory";

export function textField(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The name of a file, without its folder and ending. */
export function stemOf(file: string): string {
  return (file.split(/[/\\]/).at(-1) ?? file).replace(/\.jsonl?(\.gz)?$/, "");
}

export function objectField(value: unknown): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

export function numberField(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

/** The sum of the counts that are there; undefined where none is. */
export function countSum(...values: readonly unknown[]): number | undefined {
  const counts = values.flatMap((value) => countOf(value) ?? []);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return counts.length === 0 || !Number.isSafeInteger(total) ? undefined : total;
}

const LAST_MOMENT = 253_402_300_799_999;

/** A time in UTC, from ISO text, "YYYY-MM-DD HH:MM:SS" in UTC, or milliseconds (seconds where they are few) since 1970. */
export function timeField(value: unknown): string | undefined {
  if (typeof value === "number") {
    const moment = value < 1e11 ? value * 1000 : value;
    return moment >= 0 && moment <= LAST_MOMENT ? new Date(moment).toISOString() : undefined;
  }
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(value)) return undefined;
  const zoned = /(?:Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`;
  const moment = Date.parse(zoned.replace(" ", "T"));
  return moment >= 0 && moment <= LAST_MOMENT ? new Date(moment).toISOString() : undefined;
}

/** The record without these fields; undefined where nothing is left. */
export function restOf(record: JsonObject, ...names: readonly string[]): JsonObject | undefined {
  const left = Object.entries(record).filter(([name, value]) => !names.includes(name) && value !== null);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** Counts and a cost where they are there; undefined where none is. */
export function usageFrom(prompt: unknown, completion: unknown, cached?: unknown, cost?: unknown): Usage | undefined {
  const [promptTokens, completionTokens, cachedTokens] = [prompt, completion, cached].map(countOf);
  const usage = withoutUndefined({ promptTokens, completionTokens, cachedTokens, costUsd: numberField(cost) });
  return Object.keys(usage).length === 0 ? undefined : usage;
}

/** The prompt is what was read, anew and from the cache. */
export function anthropicUsage(usage: JsonObject, cost?: unknown): Usage | undefined {
  const { input_tokens: fresh, cache_creation_input_tokens: made, cache_read_input_tokens: read } = usage;
  return usageFrom(countSum(fresh, made, read), usage["output_tokens"], read, cost);
}

/** A call by its fields, whatever they are called. */
export function callOf(id: unknown, name: unknown, given: unknown): ToolCall {
  return { id: textField(id) ?? "", name: textField(name) ?? "", arguments: callArguments(given) };
}

/** A reply of the model. */
export function replyFrom(
  content: Message["content"],
  thoughts: readonly string[],
  calls: readonly ToolCall[],
  extra: JsonObject = {},
): Message {
  const reply = replyOf(content, thoughts.length === 0 ? undefined : thoughts.join("\n"), calls);
  return Object.keys(extra).length === 0 ? reply : { ...reply, extra };
}

/** What a tool gave back, as text where it is text. */
export function resultText(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Parts as content: one bare text is a text, none is an empty one. */
export function contentOf(parts: readonly JsonObject[]): Message["content"] {
  const [only] = parts;
  if (only === undefined) return "";
  const isText = parts.length === 1 && typeof only["text"] === "string" && Object.keys(only).length <= 2;
  return isText ? (only["text"] as string) : parts;
}

/** What a tool message says of how its call went, where summaries find it. */
export function toolOutcome(facts: { readonly error?: boolean; readonly refused?: boolean }): JsonObject {
  const said = {
    ...(facts.error === true ? { error: true } : {}),
    ...(facts.refused === true ? { refused: true } : {}),
  };
  return Object.keys(said).length === 0 ? {} : { result: said };
}

/** What a tool gave back; `kept` are the other fields of its record. */
export function toolMessage(
  content: Message["content"],
  call: { readonly id: string | undefined; readonly name?: string | undefined },
  outcome: { readonly error?: boolean; readonly refused?: boolean },
  kept: JsonObject = {},
): Message {
  const about = withoutUndefined({ toolCallId: call.id, name: call.name });
  return { role: "tool", content, ...about, extra: { ...toolOutcome(outcome), ...kept } };
}
