/**
 * A language model of the AI SDK, of any specification from v2 to v4 (`ai` 5 to 7). Only what is used of it is named
 * here, so that the engine depends on no version of the SDK, and on none at all where it is not used.
 */
import { z } from "zod";
import { EngineError, isAbort, throwIfAborted } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { readReply } from "limbeck-recorder/wire/ai-sdk";
import type { Json, JsonObject } from "limbeck-base/base/json";
import type { Message } from "limbeck-base/trajectory/trajectory";
import { retryAfterMs, type ChatClock } from "./retry.ts";
import {
  attemptFailed,
  badResponse,
  finishReasonOf,
  redact,
  type ChatAnswer,
  type ChatEndpoint,
  type ChatRequest,
  type TokenCounts,
} from "./endpoint.ts";
import { checkAnswer } from "./server-body.ts";

type SdkMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: { type: "text"; text: string }[] }
  | { role: "assistant"; content: SdkPart[] }
  | { role: "tool"; content: SdkResult[] };
type SdkPart =
  | { type: "text"; text: string }
  | { type: "tool-call"; toolCallId: string; toolName: string; input: unknown };
interface SdkResult {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: { type: "text"; value: string };
}

export interface SdkLanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: SdkCall): PromiseLike<unknown>;
}

interface SdkCall {
  prompt: SdkMessage[];
  maxOutputTokens?: number;
  temperature?: number;
  topP?: number;
  topK?: number;
  stopSequences?: string[];
  seed?: number;
  responseFormat?: { type: "json"; schema: object };
  tools?: { type: "function"; name: string; description?: string; inputSchema: object }[];
  abortSignal?: AbortSignal;
}

const amount = z
  .union([z.number(), z.object({ total: z.number().nullish(), cacheRead: z.number().nullish() })])
  .nullish();
const ResultSchema = z.object({
  content: z.array(
    z.object({
      type: z.string(),
      text: z.string().optional(),
      toolCallId: z.string().optional(),
      toolName: z.string().optional(),
      input: z.unknown().optional(),
    }),
  ),
  finishReason: z.union([z.string(), z.object({ unified: z.string() })]).nullish(),
  usage: z.object({ inputTokens: amount, outputTokens: amount, cachedInputTokens: z.number().nullish() }).nullish(),
});

export function createSdkEndpoint(model: SdkLanguageModel, clock: ChatClock): ChatEndpoint {
  const id = `${redact(model.provider, [])} (${redact(model.modelId, [])})`;
  return {
    id,
    model: model.modelId,
    send: async (request, signal) => {
      const call = callOf(id, request, signal);
      let result: unknown;
      try {
        result = await model.doGenerate(call);
      } catch (error) {
        throwIfAborted(signal);
        throw isAbort(error) ? error : failureOf(id, error, clock);
      }
      return readResult(id, result);
    },
    score: () =>
      Promise.reject(
        new EngineError(
          "no-logprobs",
          `${id} is a model of the AI SDK, which cannot score given text. Give the server's address, or use a local model.`,
        ),
      ),
  };
}

function callOf(id: string, request: ChatRequest, abortSignal: AbortSignal): SdkCall {
  const { messages, maxTokens, temperature, topK, topP, minP, stop, seed, tools, jsonSchema } = request;
  if (minP !== undefined) {
    throw new EngineError("bad-option", `${id}: the AI SDK has no minP; leave it out or give the server's address.`);
  }
  return {
    prompt: sdkMessages(messages),
    abortSignal,
    ...withoutUndefined({ maxOutputTokens: maxTokens, temperature, topK, topP, seed }),
    ...(stop === undefined ? {} : { stopSequences: [...stop] }),
    ...(jsonSchema === undefined ? {} : { responseFormat: { type: "json", schema: jsonSchema } }),
    ...(tools === undefined ? {} : { tools: tools.map(sdkTool) }),
  };
}

function sdkTool(tool: { readonly [key: string]: Json }): NonNullable<SdkCall["tools"]>[number] {
  const { name, description, parameters } = tool;
  return {
    type: "function",
    name: typeof name === "string" ? name : "",
    ...(typeof description === "string" ? { description } : {}),
    inputSchema: typeof parameters === "object" && parameters !== null ? parameters : { type: "object" },
  };
}

function readResult(id: string, value: unknown): ChatAnswer {
  const { content, finishReason, usage } = checkAnswer(id, ResultSchema, value);
  const finish = typeof finishReason === "string" ? finishReason : (finishReason?.unified ?? "stop");
  if (finish === "error") throw badResponse(id, "the model stopped because of an error");
  const { content: text, reasoning, toolCalls = [] } = readReply(content as readonly JsonObject[]);
  return {
    text,
    ...withoutUndefined({ reasoning }),
    toolCalls,
    finishReason: finishReasonOf(finish),
    counts: countsOf(usage),
  };
}

function countsOf(usage: z.infer<typeof ResultSchema>["usage"]): TokenCounts {
  const total = (value: z.infer<typeof amount>): number | undefined =>
    typeof value === "number" ? value : (value?.total ?? undefined);
  const [prompt, completion] = [total(usage?.inputTokens), total(usage?.outputTokens)];
  const input = usage?.inputTokens;
  const cached = usage?.cachedInputTokens ?? (typeof input === "object" ? input?.cacheRead : undefined);
  return {
    ...withoutUndefined({ promptTokens: prompt, completionTokens: completion }),
    ...(typeof cached === "number" ? { cachedTokens: cached } : {}),
  };
}

const ErrorSchema = z.object({
  message: z.string().catch("no reason given"),
  statusCode: z.number().optional().catch(undefined),
  isRetryable: z.boolean().optional().catch(undefined),
  responseHeaders: z.record(z.string(), z.string()).optional().catch(undefined),
});

/** The SDK's errors hold the request and its answer; only the message is taken over, without anything like a key. */
function failureOf(id: string, error: unknown, clock: ChatClock): EngineError {
  const parsed = ErrorSchema.safeParse(error);
  const { message, statusCode, isRetryable, responseHeaders } = parsed.success
    ? parsed.data
    : { message: String(error) };
  const asked = retryAfterMs(responseHeaders?.["retry-after"], clock.now());
  const retryable = isRetryable ?? false;
  const status = statusCode === undefined ? "failed" : `answered ${statusCode}`;
  return attemptFailed(`${id} ${status}: ${redact(message, [])}.`, {
    code: retryable ? "chat-failed" : "chat-refused",
    retryable,
    ...withoutUndefined({ status: statusCode, retryAfterMs: asked }),
  });
}

/** Messages as the AI SDK wants them. A tool's result names the tool, which our messages need not; it is found by the call it answers. */
function sdkMessages(messages: readonly Message[]): SdkMessage[] {
  const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls);
  const names = new Map(calls.map((call) => [call.id, call.name]));
  return messages.map((message) => TURNS[message.role](message, plainText(message), names));
}

type Turn = (message: Message, text: string, toolNames: ReadonlyMap<string, string>) => SdkMessage;

const TURNS: Readonly<Record<Message["role"], Turn>> = {
  system: (_, text) => ({ role: "system", content: text }),
  user: (_, text) => ({ role: "user", content: [{ type: "text", text }] }),
  assistant: ({ toolCalls = [] }, text) => {
    const calls = toolCalls.map((call): SdkPart => ({
      type: "tool-call",
      toolCallId: call.id,
      toolName: call.name,
      input: call.arguments,
    }));
    return { role: "assistant", content: text === "" ? calls : [{ type: "text", text }, ...calls] };
  },
  tool: ({ toolCallId = "", name }, text, toolNames) => {
    const toolName = name ?? toolNames.get(toolCallId) ?? "tool";
    return {
      role: "tool",
      content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value: text } }],
    };
  },
};

function plainText({ content, role }: Message): string {
  if (typeof content === "string") return content;
  return content
    .map((part) => {
      if (typeof part["text"] === "string") return part["text"];
      throw new EngineError(
        "bad-input",
        `A ${role} message holds a part that is not text; give the server's address to send it as it is.`,
      );
    })
    .join("");
}
