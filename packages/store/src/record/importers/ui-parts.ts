/** Messages made of parts, as the AI SDK and Mastra keep them, added to a draft: a new reply begins where a step begins. */
import type { JsonObject, Json } from "limbeck-base/base/json";
import type { Message, ToolCall } from "limbeck-base/trajectory/trajectory";
import type { Draft, DraftMessage } from "./draft.ts";
import { cutReplies } from "./replies.ts";
import { objectsOf } from "limbeck-recorder/lines";
import {
  callOf,
  contentOf,
  objectField,
  replyFrom,
  restOf,
  resultText,
  textField,
  toolMessage,
  toolOutcome,
} from "./fields.ts";

type About = Pick<DraftMessage, "at" | "model" | "usage"> & { readonly kept: JsonObject };

/** One message of the page: `role` and `parts`. */
export function sayUiMessage(draft: Draft, role: string, parts: readonly JsonObject[], about: About): void {
  const { kept, ...facts } = about;
  const extra = (more: JsonObject = {}): JsonObject => ({ [draft.format]: { ...kept, ...more } });
  if (role !== "assistant") {
    const message: Message = { role: role === "system" ? "system" : "user", content: contentOf(parts), extra: extra() };
    draft.say({ message, at: facts.at });
    return;
  }
  const groups = cutReplies(parts, isWords, (part) => toolOf(part) !== undefined);
  groups.forEach((group, index) => {
    const last = index === groups.length - 1;
    const others = group.filter((part) => !isWords(part) && toolOf(part) === undefined);
    const message = replyOf(
      group,
      index === 0 || others.length > 0 ? extra(others.length === 0 ? {} : { parts: others }) : {},
    );
    draft.say({ message, at: facts.at, model: facts.model, ...(last ? { usage: facts.usage } : {}) });
    for (const part of group) sayResult(draft, part);
  });
}

function isWords(part: JsonObject): boolean {
  return part["type"] === "text" || part["type"] === "reasoning";
}

function replyOf(parts: readonly JsonObject[], extra: JsonObject): Message {
  const texts = parts
    .filter((part) => part["type"] === "text")
    .map((part) => ({ type: "text", text: textField(part["text"]) ?? "" }));
  const thoughts = parts.flatMap((part) =>
    part["type"] === "reasoning" ? (textField(part["text"]) ?? textField(part["reasoning"]) ?? []) : [],
  );
  const calls = parts.flatMap((part) => toolOf(part)?.call ?? []);
  return replyFrom(contentOf(texts), thoughts, calls, extra);
}

interface Tool {
  readonly call: ToolCall;
  readonly raw: JsonObject;
}

/** `tool-NAME` and `dynamic-tool` of AI SDK 5 and later, `tool-invocation` of version 4 and of Mastra. */
function toolOf(part: JsonObject): Tool | undefined {
  const type = textField(part["type"]) ?? "";
  const raw = type === "tool-invocation" ? (objectField(part["toolInvocation"]) ?? part) : part;
  if (!type.startsWith("tool-") && type !== "dynamic-tool") return undefined;
  const name = textField(raw["toolName"]) ?? type.slice("tool-".length);
  const id = textField(raw["toolCallId"]);
  return id === undefined ? undefined : { call: callOf(id, name, raw["input"] ?? raw["args"] ?? raw["rawInput"]), raw };
}

function sayResult(draft: Draft, part: JsonObject): void {
  const tool = toolOf(part);
  if (tool === undefined) return;
  const { raw, call } = tool;
  const state = raw["state"];
  const error = textField(raw["errorText"]);
  const denied = state === "output-denied" || objectField(raw["approval"])?.["approved"] === false;
  const output = raw["output"] ?? raw["result"];
  if (output === undefined && error === undefined && !denied) return;
  const content =
    error ?? (output === undefined ? (textField(objectField(raw["approval"])?.["reason"]) ?? "") : resultText(output));
  const rest = restOf(raw, "type", "toolCallId", "toolName", "input", "args", "output", "result", "errorText") ?? {};
  const outcome = { error: error !== undefined, refused: denied };
  draft.say({ message: toolMessage(content, call, outcome, { [draft.format]: rest }) });
}

/** One message of the model: `role` and `content`, with calls and results as parts. */
export function sayModelMessage(draft: Draft, raw: JsonObject, about: About): void {
  const { kept, ...facts } = about;
  const given = raw["content"];
  const parts = typeof given === "string" ? [{ type: "text", text: given }] : objectsOf(given);
  const extra = Object.keys(kept).length === 0 ? {} : { extra: { [draft.format]: kept } };
  if (raw["role"] === "tool") {
    for (const part of parts) sayToolResult(draft, part, facts.at);
    return;
  }
  if (raw["role"] !== "assistant") {
    draft.say({
      message: { role: raw["role"] === "system" ? "system" : "user", content: contentOf(parts), ...extra },
      at: facts.at,
    });
    return;
  }
  const calls = parts.filter((part) => part["type"] === "tool-call");
  const known = new Set<unknown>(["text", "reasoning", "tool-call", "tool-result"]);
  const others = parts.filter((part) => !known.has(part["type"]));
  const plain = replyOf(
    parts.filter(isWords),
    others.length === 0 ? (extra.extra ?? {}) : { [draft.format]: { ...kept, parts: others } },
  );
  const toolCalls = calls.map((call) => callOf(call["toolCallId"], call["toolName"], call["input"] ?? call["args"]));
  draft.say({ message: { ...plain, ...(toolCalls.length === 0 ? {} : { toolCalls }) }, ...facts });
  for (const part of parts) if (part["type"] === "tool-result") sayToolResult(draft, part, facts.at);
}

function sayToolResult(draft: Draft, part: JsonObject, at: string | undefined): void {
  const output = objectField(part["output"]);
  const type = textField(output?.["type"]) ?? "";
  const value: Json | undefined = output?.["value"] ?? output?.["reason"] ?? part["output"] ?? part["result"];
  const error = type.startsWith("error") || part["isError"] === true;
  const extra = toolOutcome({ error, refused: type === "execution-denied" });
  const [id, name] = [textField(part["toolCallId"]), textField(part["toolName"])];
  const rest = restOf(part, "type", "toolCallId", "toolName", "output", "result");
  const all = { ...extra, ...(rest === undefined ? {} : { [draft.format]: rest }) };
  const message: Message = {
    role: "tool",
    content: resultText(value),
    ...(id === undefined ? {} : { toolCallId: id }),
    ...(name === undefined ? {} : { name }),
  };
  draft.say({ message: { ...message, ...(Object.keys(all).length === 0 ? {} : { extra: all }) }, at });
}
