/** OpenAI's responses. Requests that lean on a stored earlier response hold only what is new. */
import { callArguments, isObject, objectsOf, textOr, type JsonObject, type Message } from "../lines.ts";
import { errorOf, readContent, readUsage } from "./openai-chat.ts";
import { functionTool } from "./parts.ts";
import { askedWith, factsOf, replyOf, type ReadAnswer, type AnswerStream, type Shape } from "./shape.ts";

export const openaiResponses: Shape = {
  provider: "openai",
  path: "/responses",
  asked: (body) => askedWith(body, readInput(body), toChatTool),
  answered: readResponse,
  stream: createStream,
};

function readInput({ instructions, input }: JsonObject): Message[] {
  return [
    ...(typeof instructions === "string" ? [{ role: "system" as const, content: instructions }] : []),
    ...(typeof input === "string" ? [{ role: "user" as const, content: input }] : joined(objectsOf(input))),
  ];
}

function readResponse(body: JsonObject): ReadAnswer {
  const output = Array.isArray(body["output"]) ? objectsOf(body["output"]) : undefined;
  const usage = isObject(body["usage"]) ? body["usage"] : {};
  const counted = readUsage({
    prompt_tokens: usage["input_tokens"],
    completion_tokens: usage["output_tokens"],
    prompt_tokens_details: usage["input_tokens_details"],
  });
  const [reply] = output === undefined ? [] : joined(output, true);
  return {
    ...(reply === undefined ? {} : { reply }),
    ...factsOf(body["status"], counted, body["model"]),
    ...errorOf(body),
    complete: reply !== undefined,
  };
}

/** Neighbouring texts, thoughts and calls of the model are one reply. */
function joined(items: readonly JsonObject[], all = false): Message[] {
  const messages: Message[] = [];
  for (const item of items) {
    const message = readItem(item, all);
    const last = messages.at(-1);
    if (message === undefined) continue;
    if (last?.role !== "assistant" || message.role !== "assistant") {
      messages.push(message);
      continue;
    }
    const calls = [...(last.toolCalls ?? []), ...(message.toolCalls ?? [])];
    const reasoning = [last.reasoning, message.reasoning].filter((text) => text !== undefined).join("\n");
    const content = last.content === "" ? message.content : last.content;
    messages[messages.length - 1] = replyOf(content, reasoning || undefined, calls);
  }
  return messages;
}

function readItem(item: JsonObject, all: boolean): Message | undefined {
  const type = textOr(item["type"], "message");
  if (type === "function_call" || type === "custom_tool_call") {
    const call = {
      id: textOr(item["call_id"] ?? item["id"], ""),
      name: textOr(item["name"], ""),
      arguments: callArguments(item["arguments"] ?? item["input"]),
    };
    return { role: "assistant", content: "", toolCalls: [call] };
  }
  if (type === "function_call_output" || type === "custom_tool_call_output") {
    return { role: "tool", content: readContent(item["output"]), toolCallId: textOr(item["call_id"], "") };
  }
  if (type === "reasoning") {
    const texts = [...objectsOf(item["summary"]), ...objectsOf(item["content"])].map((part) =>
      textOr(part["text"], ""),
    );
    return { role: "assistant", content: "", ...(texts.length === 0 ? {} : { reasoning: texts.join("\n") }) };
  }
  if (type !== "message") return undefined;
  const role = textOr(item["role"], "user");
  const known =
    role === "assistant" || all ? "assistant" : role === "system" || role === "developer" ? "system" : "user";
  return { role: known, content: readContent(item["content"]) };
}

function toChatTool(tool: JsonObject): JsonObject {
  const { type, name, description, parameters } = tool;
  if (type !== "function" || typeof name !== "string") return tool;
  return functionTool(name, description, parameters ?? {});
}

/** The last event repeats the whole response; only an answer that broke off is put together from its pieces. */
function createStream(): AnswerStream {
  let whole: JsonObject | undefined;
  let text = "";
  let failure: JsonObject = {};
  const items: JsonObject[] = [];
  let started: JsonObject = {};
  return {
    event: (data) => {
      const type = textOr(data["type"], "");
      const response = isObject(data["response"]) ? data["response"] : undefined;
      if (response !== undefined) started = response;
      if (["response.completed", "response.incomplete", "response.failed"].includes(type)) whole = response;
      else if (type === "response.output_text.delta") text += textOr(data["delta"], "");
      else if (type === "response.output_item.done" && isObject(data["item"])) items.push(data["item"]);
      else if (type === "error") failure = { error: data };
    },
    answer: () => {
      if (whole !== undefined) return readResponse(whole);
      const message = text === "" ? [] : [{ type: "message", role: "assistant", content: text }];
      const half = readResponse({ ...started, output: items.length === 0 ? message : items, usage: null });
      return { ...half, ...errorOf(failure), complete: false };
    },
  };
}
