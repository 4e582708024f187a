/** Requests and answers of OpenAI-compatible servers. What a server sends is checked here and trusted afterwards. */
import { z } from "zod";
import { callArguments } from "limbeck-recorder/lines";
import { ReplyPieces, writeMessage } from "limbeck-recorder/wire/openai-chat";
import type { Json, JsonObject } from "limbeck-base/base/json";
import type { Message } from "limbeck-base/trajectory/trajectory";
import type { TokenLogprob } from "../text-policy.ts";
import { badResponse, finishReasonOf, type ChatAnswer, type ChatRequest, type TokenCounts } from "./endpoint.ts";

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

/** Reasoning stays behind: servers do not read it back. Content is sent as it is. */
export function wireMessage({ reasoning: _reasoning, toolCalls = [], ...message }: Message): JsonObject {
  const calls = toolCalls.length === 0 ? {} : { toolCalls };
  return { ...writeMessage({ ...message, ...calls }), content: message.content };
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

/** One event of a stream. */
const EventSchema = z.object({
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

/** What a server sent, checked. */
export function checkAnswer<T>(id: string, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw badResponse(id, z.prettifyError(parsed.error).replace(/\s+/g, " "));
}

export function readAnswer(id: string, value: unknown): ChatAnswer {
  const { choices, usage } = checkAnswer(id, AnswerSchema, value);
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

/** The body of a stream. It must name the end of the reply: a connection that broke off is not a short reply. */
export function readStream(id: string, body: string): ChatAnswer {
  const pieces = new ReplyPieces();
  const logprobs: z.infer<typeof TokensSchema> = [];
  let counts: TokenCounts = {};
  for (const data of eventData(body)) {
    if (data === "[DONE]") break;
    const { choices, usage } = checkAnswer(id, EventSchema, parseEvent(id, data));
    if (usage) counts = countsOf(usage);
    const [choice] = choices ?? [];
    if (choice === undefined) continue;
    pieces.add(choice);
    // One by one: a call takes only some hundred thousand arguments.
    for (const one of choice.logprobs?.content ?? []) logprobs.push(one);
  }
  const { content: text, reasoning, calls: toolCalls, finish } = pieces;
  if (finish === undefined) throw badResponse(id, "the stream ended before the reply did");
  return answerOf({
    text,
    reasoning,
    toolCalls,
    finish,
    logprobs: logprobs.length === 0 ? undefined : logprobs,
    counts,
  });
}

/** Events are separated by empty lines; the data of one may stand on several lines. */
function* eventData(body: string): Generator<string> {
  for (const block of body.split(/\r?\n\r?\n/)) {
    const lines = block.split(/\r?\n/).filter((line) => line.startsWith("data:"));
    if (lines.length > 0) yield lines.map((line) => line.slice(5).replace(/^ /, "")).join("\n");
  }
}

function parseEvent(id: string, data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw badResponse(id, "an event of the stream is not JSON");
  }
}

/** A reply in pieces or at once, with the server's own words. */
interface RawAnswer {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: ReplyPieces["calls"];
  readonly finish: string;
  readonly logprobs: z.infer<typeof TokensSchema> | undefined;
  readonly counts: TokenCounts;
}

function answerOf(raw: RawAnswer): ChatAnswer {
  const logprobs = raw.logprobs?.map(({ token, logprob }): TokenLogprob => ({ text: token, logprob }));
  return {
    text: raw.text,
    ...(raw.reasoning === "" ? {} : { reasoning: raw.reasoning }),
    toolCalls: raw.toolCalls.map((call) => ({ ...call, arguments: callArguments(call.arguments) })),
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
