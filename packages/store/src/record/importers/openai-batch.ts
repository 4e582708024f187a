/**
 * OpenAI batch files: requests (`{custom_id, method, url, body}`) and results (`{custom_id, response, error}`) of chat completions
 * and responses. The form is that of the public API as it was known in 2026; no real file was at hand.
 */
import type { JsonObject } from "limbeck-base/base/json";
import type { Message, ToolCall } from "limbeck-base/trajectory/trajectory";
import { anyMessage, anyMessages } from "./any-message.ts";
import { BatchReader, type BatchRequest, type BatchResult } from "./batch-reader.ts";
import { sessionSource } from "./session-source.ts";
import { objectsOf } from "limbeck-recorder/lines";
import { callOf, contentOf, objectField, replyFrom, restOf, resultText, textField, usageFrom } from "./fields.ts";

const FORMAT = "openai-batch";

export const openaiBatch = sessionSource({
  id: FORMAT,
  title: "OpenAI batch",
  versions:
    "batch files of /v1/chat/completions and /v1/responses as they were known in 2026, not looked up again; not tried with a file of the service",
  reads: "requests and results paired by custom_id where both lie in one folder, calls, tokens, models, failures",
  leaves: "embeddings and other endpoints; further choices of one request are kept, not steps",
  files: /\.jsonl$/,
  sign: /"custom_id"\s*:[^]*?"(?:url"\s*:\s*"\/v1\/|response"\s*:\s*(?:\{\s*"status_code|null))/,
  joinsFiles: true,
  open: () => new BatchReader({ format: FORMAT, request, result }),
});

function request(line: JsonObject): BatchRequest | undefined {
  const body = objectField(line["body"]);
  if (body === undefined) return undefined;
  const input = body["input"];
  const asked =
    typeof input === "string" ? [{ role: "user" as const, content: input }] : itemMessages(objectsOf(input));
  const system = textField(body["instructions"]);
  const chat = anyMessages(body["messages"], FORMAT);
  const messages: Message[] = [
    ...(system === undefined ? [] : [{ role: "system" as const, content: system }]),
    ...chat,
    ...asked,
  ];
  const tools = objectsOf(body["tools"]);
  const rest = {
    ...restOf(line, "custom_id", "body"),
    ...restOf(body, "messages", "input", "instructions", "tools", "model"),
  };
  return { messages, model: textField(body["model"]), tools: tools.length === 0 ? undefined : tools, rest };
}

function result(line: JsonObject): BatchResult | undefined {
  const response = objectField(line["response"]);
  const failed = objectField(line["error"]);
  if (response === undefined && failed === undefined) return undefined;
  const body = objectField(response?.["body"]) ?? {};
  const [choice] = objectsOf(body["choices"]);
  const said = objectField(choice?.["message"]);
  const output = objectsOf(body["output"]);
  const reply = said === undefined ? (output.length === 0 ? undefined : outputReply(output)) : anyMessage(said, FORMAT);
  const error = failed ?? objectField(body["error"]);
  const usage = objectField(body["usage"]);
  const details = objectField(usage?.["prompt_tokens_details"] ?? usage?.["input_tokens_details"]);
  const more = objectsOf(body["choices"]).slice(1);
  return {
    reply: reply?.role === "assistant" ? reply : undefined,
    model: textField(body["model"]),
    usage: usageFrom(
      usage?.["prompt_tokens"] ?? usage?.["input_tokens"],
      usage?.["completion_tokens"] ?? usage?.["output_tokens"],
      details?.["cached_tokens"],
    ),
    failure:
      error === undefined
        ? undefined
        : { code: textField(error["code"]) ?? "error", message: textField(error["message"]) ?? "" },
    rest: {
      ...restOf(line, "custom_id", "response", "error"),
      ...restOf(response ?? {}, "body"),
      ...restOf(body, "choices", "output", "usage", "model", "error"),
      ...(choice === undefined ? {} : restOf(choice, "message")),
      ...(more.length === 0 ? {} : { choices: more }),
    },
  };
}

/** Items of the responses interface as messages. */
function itemMessages(items: readonly JsonObject[]): Message[] {
  return items.flatMap((item): Message[] => {
    if (item["type"] === "function_call_output") {
      return [{ role: "tool", content: resultText(item["output"]), toolCallId: textField(item["call_id"]) ?? "" }];
    }
    if (item["type"] === "function_call") return [{ role: "assistant", content: "", toolCalls: [functionCall(item)] }];
    const message = anyMessage(withTexts(item), FORMAT);
    return message === undefined ? [] : [message];
  });
}

function functionCall(item: JsonObject): ToolCall {
  return callOf(item["call_id"], item["name"], item["arguments"]);
}

function withTexts(item: JsonObject): JsonObject {
  const parts = objectsOf(item["content"]);
  return {
    ...restOf(item, "type", "content"),
    content: parts.length === 0 ? (item["content"] ?? "") : parts.map(textPart),
  };
}

function textPart(part: JsonObject): JsonObject {
  return typeof part["text"] === "string" ? { type: "text", text: part["text"] } : part;
}

function outputReply(output: readonly JsonObject[]): Message {
  const texts = output.flatMap((item) => (item["type"] === "message" ? objectsOf(item["content"]).map(textPart) : []));
  const thoughts = output.flatMap((item) =>
    item["type"] === "reasoning" ? objectsOf(item["summary"]).flatMap((part) => textField(part["text"]) ?? []) : [],
  );
  const calls = output.filter((item) => item["type"] === "function_call").map(functionCall);
  const known = new Set<unknown>(["message", "reasoning", "function_call"]);
  const others = output.filter((item) => !known.has(item["type"]));
  return replyFrom(contentOf(texts), thoughts, calls, others.length === 0 ? {} : { [FORMAT]: { output: others } });
}
