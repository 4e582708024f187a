/** OpenAI's chat completions, and everybody who speaks them. */
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
} from "./lines.ts";
import { askedWith, factsOf, replyOf, type Answer, type AnswerStream, type Shape } from "./shape.ts";

export const openaiChat: Shape = {
  provider: "openai",
  path: "/chat/completions",
  asked: (body) => askedWith(body, objectsOf(body["messages"]).map(readMessage)),
  answered: (body) => {
    const [choice] = objectsOf(body["choices"]);
    const message = isObject(choice?.["message"]) ? choice["message"] : undefined;
    return {
      ...(message === undefined ? {} : { reply: { ...readMessage(message), role: "assistant" as const } }),
      ...facts(body, choice?.["finish_reason"]),
      complete: message !== undefined,
    };
  },
  stream: createStream,
};

const ROLES: ReadonlyMap<string, Message["role"]> = new Map([
  ["system", "system"],
  ["developer", "system"],
  ["assistant", "assistant"],
  ["tool", "tool"],
  ["function", "tool"],
]);

function readMessage(raw: JsonObject): Message {
  const reasoning = raw["reasoning_content"] ?? raw["reasoning"];
  const calls = isObject(raw["function_call"]) ? [{ function: raw["function_call"] }] : objectsOf(raw["tool_calls"]);
  return {
    role: ROLES.get(textOr(raw["role"], "user")) ?? "user",
    content: readContent(raw["content"] ?? raw["refusal"]),
    ...(typeof raw["name"] === "string" ? { name: raw["name"] } : {}),
    ...(typeof reasoning === "string" && reasoning !== "" ? { reasoning } : {}),
    ...(calls.length === 0 ? {} : { toolCalls: calls.map(readCall) }),
    ...(typeof raw["tool_call_id"] === "string" ? { toolCallId: raw["tool_call_id"] } : {}),
  };
}

/** A single part that is nothing but text is that text: clients send either. */
export function readContent(content: unknown): Message["content"] {
  if (typeof content === "string") return content;
  const parts = objectsOf(content);
  const [only] = parts;
  if (only === undefined) return "";
  return parts.length === 1 && typeof only["text"] === "string" ? only["text"] : parts;
}

function readCall(raw: JsonObject): ToolCall {
  const inner = raw["function"] ?? raw["custom"];
  const fields = isObject(inner) ? inner : {};
  return {
    id: textOr(raw["id"], ""),
    name: textOr(fields["name"], ""),
    arguments: callArguments(fields["arguments"] ?? fields["input"]),
  };
}

function facts(body: JsonObject, finish: unknown): Omit<Answer, "reply" | "complete"> {
  return factsOf(finish, readUsage(body["usage"]), body["model"]);
}

function readUsage(raw: unknown): CallUsage | undefined {
  if (!isObject(raw)) return undefined;
  const details = isObject(raw["prompt_tokens_details"]) ? raw["prompt_tokens_details"] : {};
  const cost = raw["cost"];
  return usageOf({
    promptTokens: countOf(raw["prompt_tokens"]),
    completionTokens: countOf(raw["completion_tokens"]),
    cachedTokens: countOf(details["cached_tokens"]) || undefined,
    // OpenRouter and some gateways say what a call cost.
    costUsd: typeof cost === "number" && Number.isFinite(cost) ? cost : undefined,
  });
}

function createStream(): AnswerStream {
  let content = "";
  let reasoning = "";
  let finish: string | undefined;
  let last: JsonObject = {};
  let seen = false;
  const calls = new Map<number, { id: string; name: string; arguments: string }>();
  const addCall = (delta: JsonObject, position: number): void => {
    const index = countOf(delta["index"]) ?? position;
    const inner = isObject(delta["function"]) ? delta["function"] : {};
    const call = calls.get(index) ?? { id: "", name: "", arguments: "" };
    calls.set(index, {
      id: textOr(delta["id"], "") || call.id,
      name: call.name + textOr(inner["name"], ""),
      arguments: call.arguments + textOr(inner["arguments"], ""),
    });
  };
  return {
    event: (data) => {
      last = { ...last, ...Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null)) };
      const choice = objectsOf(data["choices"]).find((item) => (item["index"] ?? 0) === 0);
      const delta = isObject(choice?.["delta"]) ? choice["delta"] : undefined;
      if (typeof choice?.["finish_reason"] === "string") finish = choice["finish_reason"];
      if (delta === undefined) return;
      seen = true;
      content += textOr(delta["content"] ?? delta["refusal"], "");
      reasoning += textOr(delta["reasoning_content"] ?? delta["reasoning"], "");
      objectsOf(delta["tool_calls"]).forEach(addCall);
    },
    answer: () => {
      const toolCalls = [...calls.entries()]
        .sort(([left], [right]) => left - right)
        .map(([, call]) => ({ ...call, arguments: call.arguments === "" ? {} : callArguments(call.arguments) }));
      const reply = replyOf(content, reasoning || undefined, toolCalls);
      return { ...(seen ? { reply } : {}), ...facts(last, finish), ...errorOf(last), complete: finish !== undefined };
    },
  };
}

/** Errors inside a stream, and bodies of failed requests, in either provider's form. */
export function errorOf(body: JsonObject): Pick<Answer, "error"> {
  const error = body["error"];
  if (typeof error === "string") return { error: { code: "provider-error", message: error } };
  if (!isObject(error)) return {};
  const code = error["code"] ?? error["type"];
  return {
    error: {
      code: typeof code === "string" || typeof code === "number" ? String(code) : "provider-error",
      message: textOr(error["message"], "The provider reported an error without a message."),
    },
  };
}
