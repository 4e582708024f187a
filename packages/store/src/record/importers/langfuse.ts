/**
 * Langfuse: rows of the blob storage export and of the table export (observations with or without the trace's fields, traces,
 * scores), and a trace as the page downloads it. Read from the field reference of Langfuse 3 (langfuse.com, 2026).
 */
import { parseJson, type Json, type JsonObject } from "limbeck-base/base/json";
import { scored } from "limbeck-base/trajectory/score";
import type { Message, Reward } from "limbeck-base/trajectory/trajectory";
import { messagesOrText } from "./any-message.ts";
import { TraceReader, type CallSpan, type TraceFacts } from "./call-spans.ts";
import { sessionSource } from "./session-source.ts";
import { objectsOf } from "limbeck-recorder/lines";
import { numberField, objectField, restOf, resultText, textField, timeField, usageFrom } from "./fields.ts";

const FORMAT = "langfuse";

export const langfuse = sessionSource({
  id: FORMAT,
  title: "Langfuse",
  versions:
    "exports of Langfuse 3: observations, enriched observations, traces and scores as JSON or JSON lines, and downloaded traces, as documented in 2026; not tried with a file of the service",
  reads:
    "generations as steps, tools, tokens, costs, models, errors, scores as rewards; a folder's files are read together",
  leaves: "CSV files; media, which are kept as the addresses they have",
  files: /\.jsonl?$/,
  sign: /"(?:parentObservationId|parent_observation_id|usageDetails|usage_details|observations)"\s*:|"(?:traceId|trace_id)"\s*:.*"(?:dataType|data_type)"\s*:/,
  joinsFiles: true,
  open: () => new TraceReader(FORMAT, itemsOf),
});

/** A field under its name in the API, or in the tables. */
function field(record: JsonObject, name: string): Json | undefined {
  return record[name] ?? record[name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

function itemsOf(record: JsonObject): (CallSpan | TraceFacts)[] {
  const type = textField(record["type"]);
  const trace = textField(field(record, "traceId"));
  const id = textField(record["id"]);
  if (type !== undefined && trace !== undefined) return [spanOf(record, type, trace)];
  if (trace !== undefined && (record["value"] !== undefined || field(record, "stringValue") !== undefined))
    return [scoreOf(record, trace)];
  const inner = objectField(record["trace"]);
  if (inner !== undefined)
    return itemsOf({ ...inner, observations: record["observations"] ?? null, scores: record["scores"] ?? null });
  if (id === undefined) throw new TypeError("neither an observation, a trace nor a score");
  const below = [...objectsOf(record["observations"]), ...objectsOf(record["scores"])].map((item) => ({
    ...item,
    traceId: id,
  }));
  const about: TraceFacts = {
    trace: id,
    agent: textField(record["name"]),
    rest: restOf(record, "id", "name", "observations", "scores") ?? {},
  };
  return [about, ...below.flatMap(itemsOf)];
}

function scoreOf(record: JsonObject, trace: string): TraceFacts {
  const value =
    numberField(record["value"]) ?? (record["value"] === true ? 1 : record["value"] === false ? 0 : undefined);
  const comment = textField(record["comment"]) ?? textField(field(record, "stringValue"));
  const name = textField(record["name"]);
  if (value === undefined || name === undefined) return { trace, rest: record };
  const source = textField(record["source"])?.toLowerCase() ?? "langfuse";
  const reward: Reward = { name, source, score: scored(value), ...(comment === undefined ? {} : { comment }) };
  return { trace, rewards: [reward] };
}

/** Columns hold JSON as text. */
function opened(value: Json | undefined): Json | undefined {
  return typeof value === "string" ? (parseJson(value) ?? value) : value;
}

function spanOf(record: JsonObject, type: string, trace: string): CallSpan {
  const kind = type === "GENERATION" ? "model" : type === "TOOL" ? "tool" : "other";
  const [input, output] = [opened(record["input"]), opened(record["output"])];
  const usage = objectField(opened(field(record, "usageDetails"))) ?? objectField(record["usage"]);
  const cost = objectField(opened(field(record, "costDetails")));
  const failed = record["level"] === "ERROR";
  return {
    trace,
    kind,
    name: textField(record["name"]) ?? type,
    from: timeField(field(record, "startTime")),
    to: timeField(field(record, "endTime")),
    error: failed ? (textField(field(record, "statusMessage")) ?? "error") : undefined,
    input: kind === "model" ? messagesOf(input, "user") : [],
    output: kind === "model" ? messagesOf(output, "assistant").findLast(({ role }) => role === "assistant") : undefined,
    model: textField(record["model"]) ?? textField(field(record, "providedModelName")),
    usage: usageFrom(
      usage?.["input"],
      usage?.["output"],
      usage?.["input_cached_tokens"] ?? usage?.["cache_read_input_tokens"],
      numberField(cost?.["total"]) ?? field(record, "totalCost") ?? field(record, "calculatedTotalCost"),
    ),
    call: textField(objectField(opened(record["metadata"]))?.["tool_call_id"]),
    result: kind === "tool" ? resultText(output) : undefined,
    rest: restOf(record, "traceId", "trace_id", "type", "name", ...(kind === "model" ? ["input", "output"] : [])) ?? {},
  };
}

function messagesOf(value: Json | undefined, role: Message["role"]): Message[] {
  const object = objectField(value);
  const list = Array.isArray(value) ? value : (object?.["messages"] ?? (object === undefined ? undefined : [object]));
  return messagesOrText(list, value, role, FORMAT);
}
