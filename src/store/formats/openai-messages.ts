/**
 * Messages in the shape of the OpenAI chat interface. What our message has no field for (refusals, weights, exact
 * argument text, the developer role) is kept as the difference under `extra.openai`, so the same message comes back.
 */
import { isObject, parseObject } from "../../base/index.ts";
import type { JsonObject, Message, ToolCall } from "../../trajectory/index.ts";
import { asObjects, toOpenAiParts } from "./content-parts.ts";
import { applyOverlay, overlay } from "./overlay.ts";

const ROLES = new Map<unknown, Message["role"]>([
  ["system", "system"],
  ["developer", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
  ["tool", "tool"],
  ["function", "tool"],
]);

/** Throws a plain text reason; the caller adds the place. */
export function readOpenAiMessage(raw: JsonObject): Message {
  const message = readPlain(raw);
  const difference = overlay(writePlain(message), raw);
  return difference === undefined ? message : { ...message, extra: { openai: difference } };
}

export function writeOpenAiMessage(message: Message): JsonObject {
  const plain = writePlain(message);
  const difference = message.extra?.["openai"];
  return isObject(difference) ? applyOverlay(plain, difference) : plain;
}

function readPlain(raw: JsonObject): Message {
  const role = ROLES.get(raw["role"]);
  if (role === undefined) {
    throw new TypeError(`role ${JSON.stringify(raw["role"] ?? null)} is not one of ${[...ROLES.keys()].join(", ")}`);
  }
  const reasoning = raw["reasoning_content"] ?? raw["reasoning"];
  const calls = readCalls(raw);
  return {
    role,
    content: readContent(raw["content"]),
    ...(typeof raw["name"] === "string" ? { name: raw["name"] } : {}),
    ...(typeof reasoning === "string" ? { reasoning } : {}),
    ...(calls === undefined ? {} : { toolCalls: calls }),
    ...(typeof raw["tool_call_id"] === "string" ? { toolCallId: raw["tool_call_id"] } : {}),
  };
}

function readContent(content: unknown): Message["content"] {
  if (content === null || content === undefined) return "";
  if (typeof content === "string") return content;
  const parts = asObjects(content);
  if (parts === undefined) throw new TypeError("content is neither a text, a list of parts nor null");
  return parts;
}

function readCalls(raw: JsonObject): ToolCall[] | undefined {
  if (isObject(raw["function_call"])) return [readCall({ function: raw["function_call"] })];
  if (raw["tool_calls"] === undefined || raw["tool_calls"] === null) return undefined;
  const calls = asObjects(raw["tool_calls"]);
  if (calls === undefined) throw new TypeError("tool_calls is not a list of objects");
  return calls.map(readCall);
}

function readCall(raw: JsonObject): ToolCall {
  const inner = raw["function"] ?? raw["custom"];
  if (!isObject(inner) || typeof inner["name"] !== "string") throw new TypeError("a tool call has no function name");
  const id = typeof raw["id"] === "string" ? raw["id"] : "";
  return { id, name: inner["name"], arguments: readArguments(inner["arguments"] ?? inner["input"]) };
}

/** Text that is a JSON object becomes one; what the model wrote wrongly stays as it wrote it. */
function readArguments(value: unknown): ToolCall["arguments"] {
  if (isObject(value)) return value;
  if (typeof value !== "string") return value === undefined ? "" : JSON.stringify(value);
  return parseObject(value) ?? value;
}

function writePlain(message: Message): JsonObject {
  const { toolCalls } = message;
  const silent = message.content === "" && (toolCalls ?? []).length > 0;
  return {
    role: message.role,
    content: silent ? null : toOpenAiParts(message.content),
    ...(message.name === undefined ? {} : { name: message.name }),
    ...(message.reasoning === undefined ? {} : { reasoning_content: message.reasoning }),
    ...(toolCalls === undefined ? {} : { tool_calls: toolCalls.map(writeCall) }),
    ...(message.toolCallId === undefined ? {} : { tool_call_id: message.toolCallId }),
  };
}

function writeCall(call: ToolCall): JsonObject {
  const text = typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments);
  return { id: call.id, type: "function", function: { name: call.name, arguments: text } };
}
