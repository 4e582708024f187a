/** Anthropic's messages. */
import {
  callArguments,
  countOf,
  isObject,
  objectsOf,
  textOr,
  usageOf,
  type CallUsage,
  type JsonObject,
  type Message,
  type ToolCall,
} from "../lines.ts";
import { errorOf, readContent } from "./openai-chat.ts";
import { toOpenAiTool } from "./parts.ts";
import { askedWith, factsOf, replyOf, type ReadAnswer, type AnswerStream, type Shape } from "./shape.ts";

export const anthropicMessages: Shape = {
  provider: "anthropic",
  path: "/messages",
  asked: (body) =>
    askedWith(body, [...readSystem(body["system"]), ...objectsOf(body["messages"]).flatMap(readMessage)], toOpenAiTool),
  answered: (body) => {
    const blocks = Array.isArray(body["content"]) ? objectsOf(body["content"]) : undefined;
    return {
      ...(blocks === undefined ? {} : { reply: readReply(blocks) }),
      ...facts(body),
      complete: blocks !== undefined,
    };
  },
  stream: createStream,
};

function readSystem(system: unknown): Message[] {
  const content = readContent(stripped(system));
  return content === "" ? [] : [{ role: "system", content }];
}

/** Marks for the provider's cache say nothing about the conversation. */
function stripped(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return objectsOf(content).map(({ cache_control: _cache, ...block }) => block);
}

/** One message may hold several tool results; each becomes a message of its own. */
function readMessage(raw: JsonObject): Message[] {
  const content = stripped(raw["content"]);
  const blocks = objectsOf(content);
  if (raw["role"] === "assistant")
    return [readReply(typeof content === "string" ? [{ type: "text", text: content }] : blocks)];
  const results = blocks.filter((block) => block["type"] === "tool_result");
  if (results.length === 0)
    return [{ role: raw["role"] === "system" ? "system" : "user", content: readContent(content) }];
  const others = blocks.filter((block) => block["type"] !== "tool_result");
  return [
    ...results.map((block): Message => ({
      role: "tool",
      content: readContent(block["content"]),
      ...(typeof block["tool_use_id"] === "string" ? { toolCallId: block["tool_use_id"] } : {}),
    })),
    ...(others.length === 0 ? [] : [{ role: "user" as const, content: readContent(others) }]),
  ];
}

function readReply(blocks: readonly JsonObject[]): Message {
  const thoughts = blocks.flatMap((block) => (typeof block["thinking"] === "string" ? [block["thinking"]] : []));
  const calls = blocks.filter((block) => block["type"] === "tool_use").map(readCall);
  const rest = blocks.filter(
    (block) => !["thinking", "redacted_thinking", "tool_use"].includes(textOr(block["type"], "")),
  );
  return replyOf(readContent(rest), thoughts.length === 0 ? undefined : thoughts.join("\n"), calls);
}

function readCall(block: JsonObject): ToolCall {
  return { id: textOr(block["id"], ""), name: textOr(block["name"], ""), arguments: callArguments(block["input"]) };
}

function facts(body: JsonObject): Omit<ReadAnswer, "reply" | "complete"> {
  return factsOf(body["stop_reason"], readUsage(body["usage"]), body["model"]);
}

/** Anthropic counts what it read from and wrote to its cache apart; here the prompt is the whole prompt. */
function readUsage(raw: unknown): CallUsage | undefined {
  if (!isObject(raw)) return undefined;
  const [input, read, written] = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"].map(
    (name) => countOf(raw[name]),
  );
  return usageOf({
    promptTokens: input === undefined ? undefined : input + (read ?? 0) + (written ?? 0),
    completionTokens: countOf(raw["output_tokens"]),
    cachedTokens: read || undefined,
    costUsd: undefined,
  });
}

function createStream(): AnswerStream {
  const blocks: { block: JsonObject; text: string; json: string }[] = [];
  let message: JsonObject = {};
  let usage: JsonObject = {};
  let failure: JsonObject = {};
  let complete = false;
  const addDelta = (index: number, delta: JsonObject): void => {
    const open = blocks[index];
    if (open === undefined) return;
    open.text += textOr(delta["text"] ?? delta["thinking"], "");
    open.json += textOr(delta["partial_json"], "");
  };
  const merge = (more: unknown): void => {
    if (isObject(more))
      usage = { ...usage, ...Object.fromEntries(Object.entries(more).filter(([, value]) => value !== null)) };
  };
  return {
    event: (data) => {
      const index = countOf(data["index"]) ?? blocks.length;
      if (data["type"] === "message_start" && isObject(data["message"])) {
        message = data["message"];
        merge(message["usage"]);
      } else if (data["type"] === "content_block_start" && isObject(data["content_block"]) && index < 10_000) {
        const block = data["content_block"];
        blocks[index] = { block, text: textOr(block["text"] ?? block["thinking"], ""), json: "" };
      } else if (data["type"] === "content_block_delta" && isObject(data["delta"])) addDelta(index, data["delta"]);
      else if (data["type"] === "message_delta") {
        if (isObject(data["delta"])) message = { ...message, ...data["delta"] };
        merge(data["usage"]);
      } else if (data["type"] === "message_stop") complete = true;
      else if (data["type"] === "error") failure = data;
    },
    answer: () => {
      const whole = blocks
        .filter((open) => open !== undefined)
        .map(({ block, text, json }): JsonObject => {
          if (block["type"] === "tool_use") return { ...block, input: json === "" ? (block["input"] ?? {}) : json };
          return { ...block, ...(block["type"] === "thinking" ? { thinking: text } : { text }) };
        });
      const started = Object.keys(message).length > 0;
      return {
        ...(started ? { reply: readReply(whole) } : {}),
        ...facts({ ...message, usage }),
        ...errorOf(failure),
        complete,
      };
    },
  };
}
