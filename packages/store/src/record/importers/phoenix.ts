/**
 * Phoenix: spans in OpenInference's words, as the client's data frame writes them (`attributes.llm.input_messages`), as the API and
 * the page give them (nested or flat attributes). Read from the OpenInference conventions and Phoenix's documentation (2026).
 */
import { isObject, parseJson, type Json, type JsonObject } from "limbeck-base/base/json";
import { scored } from "limbeck-base/trajectory/score";
import type { Message, Reward } from "limbeck-base/trajectory/trajectory";
import { anyMessages, messagesOrText } from "./any-message.ts";
import { TraceReader, type CallSpan, type TraceFacts } from "./call-spans.ts";
import { sessionSource } from "./session-source.ts";
import { objectsOf } from "limbeck-recorder/lines";
import { numberField, objectField, restOf, resultText, textField, timeField, usageFrom } from "./fields.ts";

const FORMAT = "phoenix";

export const phoenix = sessionSource({
  id: FORMAT,
  title: "Phoenix",
  versions:
    "OpenInference spans as the documentation of Phoenix shows them (2026); not tried with a file of the service",
  reads: "spans of models as steps, tools, tokens, costs, models, errors, annotations as rewards",
  leaves: "embeddings and retrieved documents as anything but kept fields; Parquet and CSV files",
  files: /\.jsonl?$/,
  sign: /"(?:span_kind|spanKind|context\.trace_id|context\.span_id|openinference\.span\.kind)"\s*:|"openinference"\s*:/,
  joinsFiles: true,
  open: () => new TraceReader(FORMAT, spansOf),
});

function spansOf(record: JsonObject): (CallSpan | TraceFacts)[] {
  const listed = objectsOf(record["data"] ?? record["spans"]);
  if (listed.length > 0) return listed.flatMap(spansOf);
  const context = objectField(record["context"]);
  const trace =
    textField(record["context.trace_id"]) ??
    textField(context?.["trace_id"] ?? context?.["traceId"]) ??
    textField(record["trace_id"]);
  if (trace === undefined) throw new TypeError("a span names its trace");
  return [spanOf(record, trace)];
}

/** Attributes as one tree, whichever way they were written: nested, with dots, or as columns of the span. */
function attributesOf(record: JsonObject): JsonObject {
  const own = opened(record["attributes"]);
  const columns = Object.entries(record).flatMap(([name, value]): [string, Json][] =>
    name.startsWith("attributes.") ? [[name.slice(11), value]] : [],
  );
  const tree: Tree = {};
  for (const [name, value] of [...Object.entries(isObject(own) ? own : {}), ...columns])
    put(tree, name.split("."), opened(value) ?? null);
  return tree;
}

interface Tree {
  [name: string]: Json | Tree;
}

function put(tree: Tree, path: readonly string[], value: Json): void {
  const [name = "", ...rest] = path;
  const inner = Object.hasOwn(tree, name) ? tree[name] : undefined;
  const next: Json | Tree = rest.length === 0 ? value : isObject(inner) ? { ...inner } : {};
  if (rest.length > 0) put(next as Tree, rest, value);
  const merged = rest.length === 0 && isObject(inner) && isObject(value) ? { ...inner, ...value } : next;
  Object.defineProperty(tree, name, { value: merged, writable: true, enumerable: true, configurable: true });
}

function opened(value: Json | undefined): Json | undefined {
  return typeof value === "string" && /^\s*[[{]/.test(value) ? (parseJson(value) ?? value) : value;
}

/** A list, or an object whose names are its places: `llm.input_messages.0.message.role`. */
function listOf(value: Json | undefined): readonly Json[] {
  if (Array.isArray(value)) return value;
  return isObject(value)
    ? Object.entries(value)
        .sort(([one], [other]) => Number(one) - Number(other))
        .map(([, item]) => item)
    : [];
}

function spanOf(record: JsonObject, trace: string): CallSpan {
  const attributes = attributesOf(record);
  const at = (...path: readonly string[]): Json | undefined =>
    path.reduce<Json | undefined>((value, name) => objectField(value)?.[name], attributes);
  const said =
    textField(record["span_kind"]) ?? textField(record["spanKind"]) ?? textField(at("openinference", "span", "kind"));
  const kind = said?.toUpperCase() === "LLM" ? "model" : said?.toUpperCase() === "TOOL" ? "tool" : "other";
  const status = textField(record["status_code"]) ?? textField(record["statusCode"]);
  const message = textField(record["status_message"]) ?? textField(record["statusMessage"]);
  const annotations = objectsOf(record["annotations"]).flatMap((one): Reward[] => {
    const result = objectField(one["result"]) ?? one;
    const [name, score] = [textField(one["name"]), numberField(result["score"])];
    return name === undefined || score === undefined
      ? []
      : [{ name, source: textField(one["annotator_kind"])?.toLowerCase() ?? "phoenix", score: scored(score) }];
  });
  return {
    trace,
    kind,
    name: textField(record["name"]) ?? "",
    from: timeField(record["start_time"] ?? record["startTime"]),
    to: timeField(record["end_time"] ?? record["endTime"]),
    error: status === "ERROR" ? (message ?? "error") : undefined,
    input: kind === "model" ? messagesOf(at("llm", "input_messages"), at("input", "value"), "user") : [],
    output:
      kind === "model"
        ? messagesOf(at("llm", "output_messages"), at("output", "value"), "assistant").find(
            ({ role }) => role === "assistant",
          )
        : undefined,
    model: textField(at("llm", "model_name")),
    usage: usageFrom(
      at("llm", "token_count", "prompt"),
      at("llm", "token_count", "completion"),
      at("llm", "token_count", "prompt_details", "cache_read"),
      at("llm", "cost", "total"),
    ),
    call: textField(at("tool_call", "id")) ?? textField(at("tool", "id")),
    result: kind === "tool" ? resultText(at("output", "value")) : undefined,
    rest: {
      ...restOf(record, "name", "attributes", ...Object.keys(record).filter((name) => name.startsWith("attributes."))),
      attributes,
    },
    rewards: annotations,
  };
}

function messagesOf(listed: Json | undefined, value: Json | undefined, role: Message["role"]): Message[] {
  const messages = anyMessages(listOf(listed).map(withLists), FORMAT);
  if (messages.length > 0) return messages;
  return messagesOrText(objectField(value)?.["messages"], value, role, FORMAT);
}

/** Calls of a flat message are an object of places too. */
function withLists(raw: Json): Json {
  const message = objectField(objectField(raw)?.["message"]);
  if (message === undefined) return raw;
  const calls = listOf(message["tool_calls"]);
  const parts = listOf(message["contents"]).map((part) => {
    const inner = objectField(objectField(part)?.["message_content"]);
    return inner ?? part;
  });
  return {
    ...restOf(message, "tool_calls", "contents"),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(message["content"] === undefined && parts.length > 0 ? { content: parts } : {}),
  };
}
