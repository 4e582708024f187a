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
} from "../lines.ts";
import { argumentsText, asObjects, toOpenAiParts } from "./parts.ts";
import { askedWith, factsOf, replyOf, type ReadAnswer, type AnswerStream, type OnFault, type Shape } from "./shape.ts";

export const openaiChat: Shape = {
  provider: "openai",
  path: "/chat/completions",
  asked: (body) =>
    askedWith(
      body,
      objectsOf(body["messages"]).map((raw) => readMessage(raw)),
    ),
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

const ROLES = new Map<unknown, Message["role"]>([
  ["system", "system"],
  ["developer", "system"],
  ["user", "user"],
  ["assistant", "assistant"],
  ["tool", "tool"],
  ["function", "tool"],
]);

export function readMessage(raw: JsonObject, fault?: OnFault): Message {
  const role = ROLES.get(raw["role"]);
  if (role === undefined) {
    fault?.(`role ${JSON.stringify(raw["role"] ?? null)} is not one of ${[...ROLES.keys()].join(", ")}`);
  }
  const reasoning = raw["reasoning_content"] ?? raw["reasoning"];
  const isThought = typeof reasoning === "string" && (reasoning !== "" || fault !== undefined);
  const toolCalls = readCalls(raw, fault);
  return {
    role: role ?? "user",
    content: fault === undefined ? readContent(raw["content"] ?? raw["refusal"]) : readParts(raw["content"], fault),
    ...(typeof raw["name"] === "string" ? { name: raw["name"] } : {}),
    ...(isThought ? { reasoning } : {}),
    ...(toolCalls === undefined ? {} : { toolCalls }),
    ...(typeof raw["tool_call_id"] === "string" ? { toolCallId: raw["tool_call_id"] } : {}),
  };
}

export function writeMessage(message: Message): JsonObject {
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

/** A single part that is nothing but text is that text: clients send either. */
export function readContent(content: unknown): Message["content"] {
  if (typeof content === "string") return content;
  const parts = objectsOf(content);
  const [only] = parts;
  if (only === undefined) return "";
  return parts.length === 1 && typeof only["text"] === "string" ? only["text"] : parts;
}

/** Content as it was written. */
function readParts(content: unknown, fault: OnFault): Message["content"] {
  if (typeof content === "string") return content;
  if (content === null || content === undefined) return "";
  return asObjects(content) ?? fault("content is neither a text, a list of parts nor null");
}

function readCalls(raw: JsonObject, fault: OnFault | undefined): ToolCall[] | undefined {
  const given = isObject(raw["function_call"]) ? [{ function: raw["function_call"] }] : raw["tool_calls"];
  const calls = fault === undefined ? objectsOf(given) : asObjects(given ?? []);
  if (calls === undefined) return fault?.("tool_calls is not a list of objects");
  const isNone = fault === undefined ? calls.length === 0 : given === undefined || given === null;
  return isNone ? undefined : calls.map((call) => readCall(call, fault));
}

function readCall(raw: JsonObject, fault: OnFault | undefined): ToolCall {
  const inner = raw["function"] ?? raw["custom"];
  const fields = isObject(inner) ? inner : {};
  if (typeof fields["name"] !== "string") fault?.("a tool call has no function name");
  const given = fields["arguments"] ?? fields["input"];
  return {
    id: textOr(raw["id"], ""),
    name: textOr(fields["name"], ""),
    arguments: fault !== undefined && given === undefined ? "" : callArguments(given),
  };
}

function writeCall(call: ToolCall): JsonObject {
  return { id: call.id, type: "function", function: { name: call.name, arguments: argumentsText(call) } };
}

function facts(body: JsonObject, finish: unknown): Omit<ReadAnswer, "reply" | "complete"> {
  return factsOf(finish, readUsage(body["usage"]), body["model"]);
}

export function readUsage(raw: unknown): CallUsage | undefined {
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

/** A reply that comes in pieces: what a choice of each event adds to it. */
export class ReplyPieces {
  content = "";
  reasoning = "";
  finish: string | undefined;
  isBegun = false;
  readonly #calls = new Map<number, { id: string; name: string; arguments: string }>();

  add(choice: { readonly delta?: unknown; readonly finish_reason?: unknown }): void {
    if (typeof choice.finish_reason === "string") this.finish = choice.finish_reason;
    if (!isObject(choice.delta)) return;
    const { delta } = choice;
    this.isBegun = true;
    this.content += textOr(delta["content"] ?? delta["refusal"], "");
    this.reasoning += textOr(delta["reasoning_content"] ?? delta["reasoning"], "");
    for (const [position, piece] of objectsOf(delta["tool_calls"]).entries()) this.#addCall(piece, position);
  }

  /** Arguments as they were written. */
  get calls(): { readonly id: string; readonly name: string; readonly arguments: string }[] {
    return [...this.#calls].sort(([left], [right]) => left - right).map(([, call]) => call);
  }

  /** Some servers repeat the id in every piece. */
  #addCall(piece: JsonObject, position: number): void {
    const index = countOf(piece["index"]) ?? position;
    const inner = isObject(piece["function"]) ? piece["function"] : {};
    const call = this.#calls.get(index) ?? { id: "", name: "", arguments: "" };
    this.#calls.set(index, {
      id: textOr(piece["id"], "") || call.id,
      name: call.name + textOr(inner["name"], ""),
      arguments: call.arguments + textOr(inner["arguments"], ""),
    });
  }
}

function createStream(): AnswerStream {
  const pieces = new ReplyPieces();
  let last: JsonObject = {};
  return {
    event: (data) => {
      last = { ...last, ...Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null)) };
      const choice = objectsOf(data["choices"]).find((item) => (item["index"] ?? 0) === 0);
      if (choice !== undefined) pieces.add(choice);
    },
    answer: () => {
      const { content, reasoning, finish, isBegun } = pieces;
      const toolCalls = pieces.calls.map((call) => ({
        ...call,
        arguments: callArguments(call.arguments || undefined),
      }));
      const reply = replyOf(content, reasoning || undefined, toolCalls);
      return {
        ...(isBegun ? { reply } : {}),
        ...facts(last, finish),
        ...errorOf(last),
        complete: finish !== undefined,
      };
    },
  };
}

/** Errors inside a stream, and bodies of failed requests, in either provider's form. */
export function errorOf(body: JsonObject): Pick<ReadAnswer, "error"> {
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
