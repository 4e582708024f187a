/** Messages in the shape of the OpenTelemetry GenAI conventions: a role and parts. */
import { isObject, type Json, type JsonObject } from "limbeck-base/base/json";
import { callArguments } from "limbeck-recorder/lines";
import type { Message, ToolCall } from "limbeck-base/trajectory/trajectory";
import { asObjects } from "limbeck-recorder/wire/parts";

export function writeOtelMessage(message: Message): JsonObject {
  const { content, name, reasoning, toolCalls } = message;
  const parts: JsonObject[] = [];
  if (reasoning !== undefined) parts.push({ type: "reasoning", content: reasoning });
  if (message.role === "tool") {
    parts.push({ type: "tool_call_response", id: message.toolCallId ?? null, response: content });
  } else if (typeof content !== "string") parts.push(...content.map(writePart));
  else if (content !== "") parts.push({ type: "text", content });
  for (const call of toolCalls ?? []) {
    parts.push({ type: "tool_call", id: call.id, name: call.name, arguments: call.arguments });
  }
  return { role: message.role, parts, ...(name === undefined ? {} : { name }) };
}

/** The model's own message; the conventions want to know why it stopped. */
export function writeOtelReply(message: Message): JsonObject {
  const kept = message.extra?.["otel"];
  const reason = isObject(kept) ? kept["finish_reason"] : undefined;
  return { ...writeOtelMessage(message), finish_reason: reason ?? usualReason(message) };
}

/** One message may hold several tool results; each becomes a message of its own. What is not a message is left out. */
export function readOtelMessages(value: Json | undefined): Message[] {
  return (asObjects(value) ?? []).flatMap((raw) => {
    const parts = asObjects(raw["parts"]) ?? [];
    const responses = parts.filter((part) => part["type"] === "tool_call_response");
    const rest = parts.filter((part) => part["type"] !== "tool_call_response");
    const results = responses.map(readResponse);
    return results.length > 0 && rest.length === 0 ? results : [readMessage(raw, rest), ...results];
  });
}

function readMessage(raw: JsonObject, parts: readonly JsonObject[]): Message {
  const reasoning = parts.flatMap((part) =>
    part["type"] === "reasoning" && typeof part["content"] === "string" ? [part["content"]] : [],
  );
  const calls = parts.filter((part) => part["type"] === "tool_call").map(readCall);
  const rest = parts.filter((part) => part["type"] !== "reasoning" && part["type"] !== "tool_call").map(readPart);
  const [only] = rest;
  const message: Message = {
    role: roleOf(raw["role"]),
    content: only === undefined ? "" : ((rest.length === 1 ? textOfPart(only) : undefined) ?? rest),
    ...(typeof raw["name"] === "string" ? { name: raw["name"] } : {}),
    ...(reasoning.length === 0 ? {} : { reasoning: reasoning.join("\n") }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
  };
  const reason = raw["finish_reason"];
  const usual = reason === undefined || reason === usualReason(message);
  return usual ? message : { ...message, extra: { otel: { finish_reason: reason } } };
}

function readResponse(part: JsonObject): Message {
  const response = part["response"] ?? part["result"] ?? "";
  return {
    role: "tool",
    content: resultContent(response),
    ...(typeof part["id"] === "string" ? { toolCallId: part["id"] } : {}),
  };
}

/** A result as message content: text and lists of parts as they are, anything else as JSON text. */
export function resultContent(value: Json): Message["content"] {
  if (typeof value === "string") return value;
  return asObjects(value) ?? JSON.stringify(value);
}

function readCall(part: JsonObject): ToolCall {
  const { id, name } = part;
  return {
    id: typeof id === "string" ? id : "",
    name: typeof name === "string" ? name : "",
    arguments: callArguments(part["arguments"]),
  };
}

function writePart(part: JsonObject): JsonObject {
  const text = textOfPart(part);
  return text === undefined ? part : { type: "text", content: text };
}

function readPart(part: JsonObject): JsonObject {
  if (part["type"] !== "text" || typeof part["content"] !== "string") return part;
  return { type: "text", text: part["content"] };
}

/** The text of a part that is nothing but text. */
function textOfPart(part: JsonObject): string | undefined {
  const { type, text } = part;
  return type === "text" && typeof text === "string" && Object.keys(part).length === 2 ? text : undefined;
}

function usualReason(message: Message): string {
  return (message.toolCalls ?? []).length > 0 ? "tool_call" : "stop";
}

function roleOf(role: Json | undefined): Message["role"] {
  return role === "system" || role === "assistant" || role === "tool" ? role : "user";
}
