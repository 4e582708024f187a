/** What the agent wrote at a step: its text, and the calls it made. */
import { canonicalJson, isObject, parseJson, type Json, type JsonObject } from "limbeck-base/base/json";
import type { Step, ToolCall } from "limbeck-base/trajectory/trajectory";

/** The reply where the agent was a chat, with its reasoning if asked for; else the action. */
export function responseText(step: Step, withReasoning = false): string {
  const { reply } = step;
  if (reply === undefined) return step.action;
  const { content, reasoning } = reply;
  const text = typeof content === "string" ? content : content.map(partText).join("");
  return withReasoning && reasoning !== undefined ? `${reasoning}\n${text}` : text;
}

/** Calls of the reply, or the action itself where it is a call (or a list of them) as JSON. */
export function callsOf(step: Step): readonly Pick<ToolCall, "name" | "arguments">[] {
  if (step.reply?.toolCalls !== undefined && step.reply.toolCalls.length > 0) return step.reply.toolCalls;
  const text = step.action.trim();
  if (!/^[[{]/.test(text)) return [];
  const parsed = parseJson(text);
  const list = Array.isArray(parsed) ? (parsed as readonly Json[]) : [parsed as Json];
  const calls = list.flatMap(toCall);
  return calls.length === list.length ? calls : [];
}

function toCall(value: Json): Pick<ToolCall, "name" | "arguments">[] {
  if (!isObject(value) || typeof value["name"] !== "string") return [];
  const typed = value["arguments"] ?? {};
  // Programs write arguments as an object or as its text.
  const given = typeof typed === "string" ? (parseJson(typed) ?? typed) : typed;
  return [{ name: value["name"], arguments: isObject(given) ? given : canonicalJson(given) }];
}

function partText(part: JsonObject): string {
  return typeof part["text"] === "string" ? part["text"] : "";
}
