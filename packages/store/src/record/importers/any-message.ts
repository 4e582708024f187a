/** A message in one of the shapes that tracing services keep: OpenAI, Anthropic, LangChain (three ways), OpenInference. */
import type { Json, JsonObject } from "limbeck-base/base/json";
import type { Message, ToolCall } from "limbeck-base/trajectory/trajectory";
import { objectsOf } from "limbeck-recorder/lines";
import { callOf, contentOf, objectField, restOf, resultText, textField, toolOutcome } from "./fields.ts";

const ROLES = new Map<string, Message["role"]>([
  ["system", "system"],
  ["developer", "system"],
  ["user", "user"],
  ["human", "user"],
  ["assistant", "assistant"],
  ["ai", "assistant"],
  ["model", "assistant"],
  ["tool", "tool"],
  ["function", "tool"],
]);

/** `format`: the name under which unknown fields are kept. Undefined where it is no message. */
export function anyMessage(raw: JsonObject, format: string): Message | undefined {
  const flat = unwrapped(raw);
  const word = textField(flat["role"]) ?? textField(flat["type"]) ?? "";
  const role = ROLES.get(word.toLowerCase().replace(/message(?:chunk)?$/, ""));
  if (role === undefined) return undefined;
  const blocks = objectsOf(flat["content"]);
  const calls = callsOf(flat, blocks);
  const thoughts = [
    ...blocks.flatMap((block) => textField(block["thinking"]) ?? textField(block["reasoning"]) ?? []),
    ...[flat["reasoning_content"], flat["reasoning"]].flatMap((text) => textField(text) ?? []),
  ];
  const id = textField(flat["tool_call_id"] ?? flat["tool_use_id"]);
  const name = textField(flat["name"]);
  const rest = restOf(
    flat,
    "role",
    "content",
    "tool_calls",
    "tool_call_id",
    "name",
    "type",
    "reasoning_content",
    "reasoning",
    "additional_kwargs",
  );
  const more = objectField(flat["additional_kwargs"]);
  const kept = { ...rest, ...(more === undefined ? {} : restOf(more, "tool_calls")) };
  const outcome =
    role === "tool" ? toolOutcome({ error: flat["status"] === "error" || flat["is_error"] === true }) : {};
  const extra = { ...outcome, ...(Object.keys(kept).length === 0 ? {} : { [format]: kept }) };
  return {
    role,
    content: plainContent(flat["content"], blocks),
    ...(name === undefined ? {} : { name }),
    ...(thoughts.length === 0 ? {} : { reasoning: thoughts.join("\n") }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(id === undefined ? {} : { toolCallId: id }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** Messages of a list, also of a list of lists; Anthropic's results of tools become messages of their own. */
export function anyMessages(value: unknown, format: string): Message[] {
  const items: readonly unknown[] = Array.isArray(value) ? (value as unknown[]) : [];
  return items.flatMap((item) => {
    if (Array.isArray(item)) return anyMessages(item, format);
    const raw = objectField(item);
    const message = raw === undefined ? undefined : anyMessage(raw, format);
    if (message === undefined || typeof message.content === "string") return message ?? [];
    const results = message.content.filter((part) => part["type"] === "tool_result");
    const others = message.content.filter((part) => part["type"] !== "tool_result");
    const answers = results.map((part): Message => ({ ...(anyMessage({ ...part, role: "tool" }, format) as Message) }));
    return [
      ...answers,
      ...(others.length === 0 && answers.length > 0 ? [] : [{ ...message, content: contentOf(others) }]),
    ];
  });
}

/** Messages of a list; where there are none, a text as one of this role. */
export function messagesOrText(
  list: unknown,
  value: Json | undefined,
  role: Message["role"],
  format: string,
): Message[] {
  const messages = anyMessages(list, format);
  const text = messages.length > 0 ? "" : resultText(value);
  return text === "" ? messages : [{ role, content: text }];
}

/** LangChain's constructors and `{type, data}`, OpenInference's `message.` prefix. */
function unwrapped(raw: JsonObject): JsonObject {
  const kwargs = objectField(raw["kwargs"]);
  if (kwargs !== undefined && Array.isArray(raw["id"])) {
    const name = (raw["id"] as unknown[]).at(-1);
    return { ...kwargs, type: typeof name === "string" ? name : "" };
  }
  const data = objectField(raw["data"]);
  if (data !== undefined && typeof raw["type"] === "string" && raw["content"] === undefined)
    return { ...data, type: raw["type"] };
  const inner = objectField(raw["message"]);
  if (inner !== undefined && inner["role"] !== undefined) return inner;
  if (!Object.keys(raw).some((name) => name.startsWith("message."))) return raw;
  return Object.fromEntries(Object.entries(raw).map(([name, value]) => [name.replace(/^message\./, ""), value]));
}

function callsOf(flat: JsonObject, blocks: readonly JsonObject[]): ToolCall[] {
  const listed = objectsOf(flat["tool_calls"]);
  const more = listed.length > 0 ? [] : objectsOf(objectField(flat["additional_kwargs"])?.["tool_calls"]);
  const written =
    listed.length + more.length > 0
      ? []
      : blocks.filter((block) => block["type"] === "tool_use" || block["type"] === "tool_call");
  return [...listed, ...more, ...written].map((raw) => {
    const call = objectField(raw["tool_call"]) ?? raw;
    const inner = objectField(call["function"]) ?? call;
    const field = (name: string): unknown => inner[name] ?? call[`tool_call.function.${name}`];
    const given = field("arguments") ?? inner["args"] ?? inner["input"];
    return callOf(call["id"] ?? call["tool_call.id"], field("name"), given);
  });
}

const OWN_FIELDS = new Set<unknown>(["tool_use", "tool_call", "thinking", "reasoning"]);

function plainContent(content: JsonObject[string] | undefined, blocks: readonly JsonObject[]): Message["content"] {
  if (blocks.length === 0)
    return Array.isArray(content) ? content.filter((part) => typeof part === "string").join("\n") : resultText(content);
  return contentOf(blocks.filter((block) => !OWN_FIELDS.has(block["type"])));
}
