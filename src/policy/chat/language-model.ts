/**
 * A language model of the AI SDK, of any specification from v2 to v4 (`ai` 5 to 7). Only what is used of it is named
 * here, so that the engine depends on no version of the SDK, and on none at all where it is not used.
 */
import { z } from "zod";
import { EngineError, isAbort, throwIfAborted, withoutUndefined } from "../../base/index.ts";
import type { Json } from "../../trajectory/index.ts";
import type { ChatClock } from "./chat-clock.ts";
import {
  attemptFailed,
  badResponse,
  finishReasonOf,
  toolArguments,
  type ChatAnswer,
  type ChatEndpoint,
  type ChatRequest,
  type TokenCounts,
} from "./endpoint.ts";
import { redact } from "./redact.ts";
import { retryAfterMs } from "./retry.ts";
import { sdkMessages, type SdkMessage } from "./sdk-prompt.ts";

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
    ...withoutUndefined({ maxOutputTokens: maxTokens, temperature, topK, topP }),
    ...(stop === undefined ? {} : { stopSequences: [...stop] }),
    ...(seed === undefined ? {} : { seed }),
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
  const parsed = ResultSchema.safeParse(value);
  if (!parsed.success) throw badResponse(id, z.prettifyError(parsed.error).replace(/\s+/g, " "));
  const { content, finishReason, usage } = parsed.data;
  const texts = (type: string): string =>
    content
      .filter((part) => part.type === type)
      .map((part) => part.text ?? "")
      .join("");
  const toolCalls = content
    .filter((part) => part.type === "tool-call")
    .map(({ toolCallId = "", toolName = "", input }) => ({
      id: toolCallId,
      name: toolName,
      arguments: toolArguments(typeof input === "string" ? input : JSON.stringify(input ?? {})),
    }));
  const reasoning = texts("reasoning");
  const finish = typeof finishReason === "string" ? finishReason : (finishReason?.unified ?? "stop");
  if (finish === "error") throw badResponse(id, "the model stopped because of an error");
  return {
    text: texts("text"),
    ...(reasoning === "" ? {} : { reasoning }),
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
