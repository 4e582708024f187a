/**
 * Messages in the shape of the Anthropic interface: the system text stands apart, and tool results are blocks of the
 * next user message. Each result becomes a tool message of its own; on the way back, results and the user text that
 * follows them are joined again. Where the source did otherwise, `extra.anthropic` says so.
 */
import { isObject, type JsonObject } from "limbeck-base/base/json";
import type { Message, ToolCall } from "limbeck-base/trajectory/trajectory";
import { refuse, type OnFault } from "limbeck-recorder/wire/shape";
import { asObjects, toAnthropicParts } from "limbeck-recorder/wire/parts";
import { applyOverlay, overlay } from "./overlay.ts";

/** Anthropic's `input` is always an object; text that is none travels under this key. */
const RAW_ARGUMENTS = "limbeck_raw_arguments";
const THINKING = new Set<unknown>(["thinking", "redacted_thinking"]);

export function readAnthropicMessages(
  system: unknown,
  raws: readonly JsonObject[],
  fault: OnFault = refuse,
): Message[] {
  const messages: Message[] = [];
  if (system !== undefined && system !== null) messages.push({ role: "system", content: readContent(system, fault) });
  for (const raw of raws) {
    const pieces = readPieces(raw, fault);
    pieces.forEach((piece, index) => {
      const joins = index > 0;
      messages.push(joins === joinsByRule(messages.at(-1), piece) ? piece : note(piece, { join: joins }));
    });
  }
  return messages;
}

export function writeAnthropicMessages(messages: readonly Message[]): {
  readonly system?: Message["content"];
  readonly messages: readonly JsonObject[];
} {
  const first = messages.findIndex((message) => message.role !== "system");
  const leading = messages.slice(0, first === -1 ? messages.length : first);
  const groups: Message[][] = [];
  let last: Message | undefined;
  for (const message of messages.slice(leading.length)) {
    const joins = notes(message)["join"] ?? joinsByRule(last, message);
    if (joins === true && groups.length > 0) groups.at(-1)?.push(message);
    else groups.push([message]);
    last = message;
  }
  return { ...writeSystem(leading), messages: groups.map(writeGroup) };
}

function joinsByRule(before: Message | undefined, message: Message): boolean {
  return before?.role === "tool" && (message.role === "tool" || message.role === "user");
}

function writeSystem(leading: readonly Message[]): { readonly system?: Message["content"] } {
  const [only] = leading;
  if (only === undefined) return {};
  if (leading.length === 1) return { system: only.content };
  return { system: leading.flatMap((message) => asBlocks(message.content)) };
}

/** One message of the source as one or several of ours. */
function readPieces(raw: JsonObject, fault: OnFault): Message[] {
  const pieces = raw["role"] === "assistant" ? [readAssistant(raw, fault)] : readUser(raw, fault);
  const difference = overlay(writePlain(pieces), raw);
  const [first, ...rest] = pieces;
  if (difference === undefined || first === undefined) return pieces;
  return [note(first, { message: difference }), ...rest];
}

function writeGroup(group: readonly Message[]): JsonObject {
  const plain = writePlain(group);
  const difference = group[0] === undefined ? undefined : notes(group[0])["message"];
  return isObject(difference) ? applyOverlay(plain, difference) : plain;
}

function writePlain(group: readonly Message[]): JsonObject {
  const [only] = group;
  if (only?.role === "assistant") return { role: "assistant", content: writeAssistant(only) };
  if (only !== undefined && group.length === 1 && only.role !== "tool") {
    return { role: "user", content: toAnthropicParts(only.content) };
  }
  return { role: "user", content: group.flatMap((message) => writeBlocks(message)) };
}

function readUser(raw: JsonObject, fault: OnFault): Message[] {
  const { role } = raw;
  if (role !== "user" && role !== "system") {
    return fault(`role ${JSON.stringify(role ?? null)} is not one of user, assistant, system`);
  }
  const content = readContent(raw["content"], fault);
  if (typeof content === "string" || !content.some((block) => block["type"] === "tool_result")) {
    return [{ role, content }];
  }
  const pieces: Message[] = [];
  let others: JsonObject[] = [];
  const flush = (): void => {
    if (others.length > 0) pieces.push({ role, content: plainText(others) ?? others });
    others = [];
  };
  for (const block of content) {
    if (block["type"] !== "tool_result") others.push(block);
    else {
      flush();
      pieces.push(readResult(block, fault));
    }
  }
  flush();
  return pieces;
}

function readResult(block: JsonObject, fault: OnFault): Message {
  const id = block["tool_use_id"];
  const message: Message = {
    role: "tool",
    content: readContent(block["content"] ?? "", fault),
    ...(typeof id === "string" ? { toolCallId: id } : {}),
  };
  const difference = overlay(writeResult(message), block);
  return difference === undefined ? message : note(message, { block: difference });
}

function writeBlocks(message: Message): readonly JsonObject[] {
  if (message.role !== "tool") return asBlocks(toAnthropicParts(message.content));
  const difference = notes(message)["block"];
  const plain = writeResult(message);
  return [isObject(difference) ? applyOverlay(plain, difference) : plain];
}

function writeResult(message: Message): JsonObject {
  return {
    type: "tool_result",
    tool_use_id: message.toolCallId ?? "",
    content: toAnthropicParts(message.content),
  };
}

function readAssistant(raw: JsonObject, fault: OnFault): Message {
  const content = readContent(raw["content"], fault);
  if (typeof content === "string") return { role: "assistant", content };
  const thoughts = content.filter((block) => THINKING.has(block["type"]));
  const uses = content.filter((block) => block["type"] === "tool_use");
  if (thoughts.length + uses.length === 0) return { role: "assistant", content };
  const rest = content.filter((block) => !THINKING.has(block["type"]) && block["type"] !== "tool_use");
  const texts = thoughts.flatMap((block) => (typeof block["thinking"] === "string" ? [block["thinking"]] : []));
  return {
    role: "assistant",
    content: rest.length === 0 ? "" : (plainText(rest) ?? rest),
    ...(texts.length === 0 ? {} : { reasoning: texts.join("\n") }),
    ...(uses.length === 0 ? {} : { toolCalls: uses.map((use) => readCall(use, fault)) }),
  };
}

function writeAssistant(message: Message): Message["content"] {
  const calls = message.toolCalls ?? [];
  if (message.reasoning === undefined && calls.length === 0) return toAnthropicParts(message.content);
  return [
    ...(message.reasoning === undefined ? [] : [{ type: "thinking", thinking: message.reasoning }]),
    ...asBlocks(toAnthropicParts(message.content)),
    ...calls.map(writeCall),
  ];
}

function readCall({ id, name, input }: JsonObject, fault: OnFault): ToolCall {
  if (typeof name !== "string") return fault("a tool_use block has no name");
  const raw = isObject(input) && Object.keys(input).length === 1 ? input[RAW_ARGUMENTS] : undefined;
  const given = isObject(input) ? input : JSON.stringify(input ?? null);
  return { id: typeof id === "string" ? id : "", name, arguments: typeof raw === "string" ? raw : given };
}

function writeCall(call: ToolCall): JsonObject {
  const input = typeof call.arguments === "string" ? { [RAW_ARGUMENTS]: call.arguments } : call.arguments;
  return { type: "tool_use", id: call.id, name: call.name, input };
}

function readContent(content: unknown, fault: OnFault): Message["content"] {
  return typeof content === "string"
    ? content
    : (asObjects(content) ?? fault("content is neither a text nor a list of blocks"));
}

function asBlocks(content: Message["content"]): readonly JsonObject[] {
  if (typeof content !== "string") return content;
  return content === "" ? [] : [{ type: "text", text: content }];
}

/** The text of a list that is exactly one bare text block; an empty text is left a block, or it would vanish. */
function plainText(blocks: readonly JsonObject[]): string | undefined {
  const [only] = blocks;
  if (only === undefined || blocks.length !== 1 || only["type"] !== "text" || Object.keys(only).length !== 2)
    return undefined;
  return typeof only["text"] === "string" && only["text"] !== "" ? only["text"] : undefined;
}

function notes(message: Message): JsonObject {
  const kept = message.extra?.["anthropic"];
  return isObject(kept) ? kept : {};
}

function note(message: Message, more: JsonObject): Message {
  return { ...message, extra: { ...message.extra, anthropic: { ...notes(message), ...more } } };
}
