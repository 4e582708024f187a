/**
 * The AI SDK's language models, versions 2 to 4 of their interface, read by their shape alone: this package depends on
 * nothing. What is unknown is left out, never an error.
 */
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
import { readFault } from "../faults.ts";
import { functionTool } from "./parts.ts";
import { factsOf, replyOf, type ReadAnswer, type AskedCall } from "./shape.ts";

export function readCallOptions(params: unknown, model: string | undefined): AskedCall {
  const options = isObject(params) ? params : {};
  const tools = objectsOf(options["tools"]).map(toOpenAiTool);
  return {
    messages: objectsOf(options["prompt"]).flatMap(readPromptMessage),
    ...(tools.length === 0 ? {} : { tools }),
    ...(model === undefined ? {} : { model }),
  };
}

function readPromptMessage(raw: JsonObject): Message[] {
  const content = raw["content"];
  if (typeof content === "string") return [{ role: raw["role"] === "system" ? "system" : "user", content }];
  const parts = objectsOf(content);
  if (raw["role"] === "assistant") return [readReply(parts)];
  if (raw["role"] === "tool") {
    return parts
      .filter((part) => part["type"] === "tool-result")
      .map((part) => ({
        role: "tool",
        content: readOutput(part["output"] ?? part["result"]),
        toolCallId: textOr(part["toolCallId"], ""),
      }));
  }
  const [only] = parts;
  if (parts.length === 1 && typeof only?.["text"] === "string") return [{ role: "user", content: only["text"] }];
  return [{ role: "user", content: parts.map(readPart) }];
}

/** Files are named, not kept: their bytes would be most of the recording. */
function readPart(part: JsonObject): JsonObject {
  if (part["type"] === "text") return { type: "text", text: textOr(part["text"], "") };
  const data: unknown = part["data"];
  const where =
    data instanceof URL ? { url: data.href } : typeof data === "string" && /^https?:/.test(data) ? { url: data } : {};
  return { type: textOr(part["type"], "file"), mediaType: textOr(part["mediaType"], ""), ...where };
}

/** A tool's result as the providers send it: text as it is, everything else as JSON. */
function readOutput(output: unknown): Message["content"] {
  if (!isObject(output)) return typeof output === "string" ? output : JSON.stringify(output ?? null);
  const value = output["value"];
  if (output["type"] === "content") return objectsOf(value).map(readPart);
  if (output["type"] === "execution-denied") return textOr(output["reason"], "Tool execution denied.");
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

/** Text, thoughts and calls of a reply; of a prompt's assistant message and of a result alike. */
export function readReply(parts: readonly JsonObject[]): Message & { readonly content: string } {
  const texts = (type: string): string =>
    parts.flatMap((part) => (part["type"] === type ? [textOr(part["text"], "")] : [])).join("");
  const calls = parts
    .filter((part) => part["type"] === "tool-call")
    .map((part): ToolCall => ({
      id: textOr(part["toolCallId"], ""),
      name: textOr(part["toolName"], ""),
      arguments: callArguments(part["input"] ?? part["args"]),
    }));
  return replyOf(texts("text"), texts("reasoning") || undefined, calls);
}

export function readResult(result: unknown): ReadAnswer {
  const fields = isObject(result) ? result : {};
  return { reply: readReply(objectsOf(fields["content"])), ...endFacts(fields), complete: true };
}

function endFacts(fields: JsonObject): Pick<ReadAnswer, "finish" | "usage"> {
  const reason = fields["finishReason"];
  return factsOf(isObject(reason) ? reason["unified"] : reason, readUsage(fields["usage"]));
}

/** Numbers in version 2, objects with a total from version 3 on. */
function readUsage(raw: unknown): CallUsage | undefined {
  if (!isObject(raw)) return undefined;
  const { inputTokens: input, outputTokens: output } = raw;
  return usageOf({
    promptTokens: countOf(isObject(input) ? input["total"] : input),
    completionTokens: countOf(isObject(output) ? output["total"] : output),
    cachedTokens: countOf(isObject(input) ? input["cacheRead"] : raw["cachedInputTokens"]) || undefined,
    costUsd: undefined,
  });
}

export interface PartReader {
  part(part: unknown): void;
  /** `whole`: the stream came to its end. */
  end(whole: boolean): ReadAnswer;
}

/** Puts a stream's parts together. */
export function createPartReader(): PartReader {
  const parts: JsonObject[] = [];
  const open = new Map<string, { type: string; text: string; toolName: string }>();
  let last: JsonObject | undefined;
  let failure: ReadAnswer["error"];
  const read = (part: JsonObject): void => {
    const [type, id] = [textOr(part["type"], ""), textOr(part["id"], "")];
    if (type === "finish") last = part;
    else if (type === "error") failure = readFault(part["error"], true);
    else if (type === "tool-call") {
      open.delete(`tool-input ${textOr(part["toolCallId"], "")}`);
      parts.push(part);
    }
    const piece = /^(text|reasoning|tool-input)-(start|delta|end)$/.exec(type);
    if (piece === null) return;
    const [, kind = "", event] = piece;
    const held = open.get(`${kind} ${id}`) ?? { type: kind, text: "", toolName: textOr(part["toolName"], "") };
    held.text += textOr(part["delta"], "");
    open.set(`${kind} ${id}`, held);
    if (event === "end" && kind !== "tool-input") {
      open.delete(`${kind} ${id}`);
      parts.push({ type: kind, text: held.text });
    }
  };
  return {
    part: (part) => {
      if (isObject(part)) read(part);
    },
    end: (whole) => {
      // What was still being written when it broke off counts too; a half call keeps its half arguments.
      const halves = [...open.entries()].map(([key, { type, text, toolName }]): JsonObject =>
        type === "tool-input"
          ? { type: "tool-call", toolCallId: key.slice("tool-input ".length), toolName, input: text }
          : { type, text },
      );
      const said = [...parts, ...halves];
      const complete = whole && last !== undefined && failure === undefined;
      return {
        ...(said.length === 0 && !complete ? {} : { reply: readReply(said) }),
        ...endFacts(last ?? {}),
        ...(failure === undefined ? {} : { error: failure }),
        complete,
      };
    },
  };
}

function toOpenAiTool(tool: JsonObject): JsonObject {
  const { name, description, inputSchema } = tool;
  if (tool["type"] !== "function" || typeof name !== "string") return tool;
  return functionTool(name, description, inputSchema ?? {});
}
