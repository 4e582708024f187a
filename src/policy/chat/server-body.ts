/** Requests and answers of OpenAI-compatible servers. What a server sends is checked here and trusted afterwards. */
import { withoutUndefined } from "../../base/index.ts";
import { z } from "zod";
import type { Json, Message } from "../../trajectory/index.ts";
import type { TokenLogprob } from "../text-policy.ts";
import {
  badResponse,
  finishReasonOf,
  toolArguments,
  type ChatAnswer,
  type ChatRequest,
  type TokenCounts,
} from "./endpoint.ts";

type Body = { [key: string]: Json };

export interface BodyOptions {
  readonly model: string;
  /** What the server calls the limit of a reply; newer models of OpenAI want the second. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens";
  readonly stream: boolean;
}

/** Fields that are not set are not sent: many servers refuse names they do not know. */
export function requestBody(request: ChatRequest, { model, maxTokensField, stream }: BodyOptions): Body {
  const body: Body = { ...request.fields, model, messages: request.messages.map(wireMessage) };
  const set = (name: string, value: Json | undefined): void => {
    if (value !== undefined) body[name] = value;
  };
  set(maxTokensField, request.maxTokens);
  set("temperature", request.temperature);
  set("top_k", request.topK);
  set("top_p", request.topP);
  set("min_p", request.minP);
  set("stop", request.stop);
  set("seed", request.seed);
  set(
    "tools",
    request.tools?.map((tool) => ({ type: "function", function: tool })),
  );
  if (request.logprobs === true) body["logprobs"] = true;
  if (request.jsonSchema !== undefined) {
    body["response_format"] = { type: "json_schema", json_schema: { name: "reply", schema: request.jsonSchema } };
  }
  if (stream) Object.assign(body, { stream: true, stream_options: { include_usage: true } });
  return body;
}

/** Reasoning stays behind: servers do not read it back. */
export function wireMessage({ role, content, name, toolCalls, toolCallId }: Message): Body {
  return {
    role,
    content,
    ...withoutUndefined({ name, tool_call_id: toolCallId }),
    ...(toolCalls === undefined || toolCalls.length === 0
      ? {}
      : {
          tool_calls: toolCalls.map((call) => ({
            id: call.id,
            type: "function",
            function: {
              name: call.name,
              arguments: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments),
            },
          })),
        }),
  };
}

const count = z.number().int().min(0).nullish();
const text = z.string().nullish();
const TokensSchema = z.array(z.object({ token: z.string(), logprob: z.number() }));
export const UsageSchema = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  prompt_tokens_details: z.object({ cached_tokens: count }).nullish(),
});
const LogprobsSchema = z.object({ content: TokensSchema.nullish() });

const AnswerSchema = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: text,
        message: z.object({
          content: text,
          reasoning_content: text,
          reasoning: text,
          tool_calls: z
            .array(z.object({ id: text, function: z.object({ name: z.string(), arguments: text }) }))
            .nullish(),
        }),
        logprobs: LogprobsSchema.nullish(),
      }),
    )
    .min(1, "there are no choices"),
  usage: UsageSchema.nullish(),
});

/** One event of a stream; the pieces of a reply, to be put together in order. */
export const EventSchema = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: text,
        delta: z
          .object({
            content: text,
            reasoning_content: text,
            reasoning: text,
            tool_calls: z
              .array(
                z.object({
                  index: z.number().int().min(0).max(999).nullish(),
                  id: text,
                  function: z.object({ name: text, arguments: text }).nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
        logprobs: LogprobsSchema.nullish(),
      }),
    )
    .nullish(),
  usage: UsageSchema.nullish(),
});

export function readAnswer(id: string, value: unknown): ChatAnswer {
  const parsed = AnswerSchema.safeParse(value);
  if (!parsed.success) throw badResponse(id, z.prettifyError(parsed.error).replace(/\s+/g, " "));
  const { choices, usage } = parsed.data;
  const [choice] = choices;
  if (choice === undefined) throw badResponse(id, "there are no choices");
  const { message } = choice;
  return answerOf({
    text: message.content ?? "",
    reasoning: message.reasoning_content ?? message.reasoning ?? "",
    toolCalls: (message.tool_calls ?? []).map((call) => ({
      id: call.id ?? "",
      name: call.function.name,
      arguments: call.function.arguments ?? "",
    })),
    finish: choice.finish_reason ?? "stop",
    logprobs: choice.logprobs?.content ?? undefined,
    counts: countsOf(usage),
  });
}

/** A reply in pieces or at once, with the server's own words. */
export interface RawAnswer {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly finish: string;
  readonly logprobs: readonly { readonly token: string; readonly logprob: number }[] | undefined;
  readonly counts: TokenCounts;
}

export function answerOf(raw: RawAnswer): ChatAnswer {
  const logprobs = raw.logprobs?.map(({ token, logprob }): TokenLogprob => ({ text: token, logprob }));
  return {
    text: raw.text,
    ...(raw.reasoning === "" ? {} : { reasoning: raw.reasoning }),
    toolCalls: raw.toolCalls.map((call) => ({ ...call, arguments: toolArguments(call.arguments) })),
    finishReason: finishReasonOf(raw.finish),
    ...(logprobs === undefined ? {} : { logprobs }),
    counts: raw.counts,
  };
}

export function countsOf(usage: z.infer<typeof UsageSchema> | null | undefined): TokenCounts {
  const { prompt_tokens: prompt, completion_tokens: completion, prompt_tokens_details: details } = usage ?? {};
  return {
    ...(typeof prompt === "number" ? { promptTokens: prompt } : {}),
    ...(typeof completion === "number" ? { completionTokens: completion } : {}),
    ...(typeof details?.cached_tokens === "number" ? { cachedTokens: details.cached_tokens } : {}),
  };
}
