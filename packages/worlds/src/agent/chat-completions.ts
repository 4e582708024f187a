/** OpenAI's chat completions: the whole conversation is in every request. */
import { z } from "zod";
import { writeMessage } from "limbeck-recorder/wire/openai-chat";
import type { JsonObject } from "limbeck-base/base/json";
import {
  contentSchema,
  eventLine,
  furtherSettings,
  objectSchema,
  usableTools,
  type ReadRequest,
  type ChatReply,
  type Wire,
} from "./question.ts";

const toolCall = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});
const message = z.looseObject({
  role: z.string(),
  content: contentSchema.nullish(),
  tool_call_id: z.string().optional(),
  tool_calls: z.array(toolCall).nullish(),
});
const tool = z.looseObject({
  function: z.looseObject({
    name: z.string().min(1),
    description: z.string().default(""),
    parameters: objectSchema.default({}),
  }),
});
const chosenTool = z.looseObject({ function: z.looseObject({ name: z.string() }) });
const request = z.looseObject({
  model: z.string().default("limbeck"),
  messages: z.array(message).min(1),
  tools: z.array(tool).nullish(),
  tool_choice: z.unknown().optional(),
  response_format: z
    .looseObject({ type: z.string(), json_schema: z.looseObject({ schema: objectSchema.optional() }).optional() })
    .nullish(),
  n: z.number().nullish(),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
});

interface ChatAsked extends ReadRequest {
  readonly tellsUsage: boolean;
}

export const chatCompletions: Wire = {
  read: (body): ChatAsked | string => {
    const parsed = request.safeParse(body);
    if (!parsed.success) return `This is no chat request: ${z.prettifyError(parsed.error)}`;
    const { model, messages, tools, tool_choice, response_format, n, stream, stream_options } = parsed.data;
    if ((n ?? 1) > 1) return `n is ${n}; one answer at a time is served here.`;
    const offered = (tools ?? []).map((one) => one.function);
    return {
      model,
      messages,
      ...usableTools(offered, tool_choice, (choice) => chosenTool.safeParse(choice).data?.function.name),
      form: formOf(response_format?.type, response_format?.json_schema?.schema),
      stream: stream === true,
      settings: furtherSettings(parsed.data as JsonObject, ["max_tokens", "max_completion_tokens", "logprobs"]),
      maxTokens: parsed.data.max_completion_tokens ?? parsed.data.max_tokens ?? undefined,
      tellsUsage: stream_options?.include_usage === true,
    };
  },
  whole: ({ model }, reply) => {
    const { message: own, finish } = wireReply(reply);
    const choices = [{ index: 0, message: own, finish_reason: finish, logprobs: null }];
    return { id: "limbeck", object: "chat.completion", created: 0, model, choices, usage: USAGE };
  },
  events: (asked, reply) => {
    const { message: own, finish } = wireReply(reply);
    const calls = own["tool_calls"];
    const delta = Array.isArray(calls)
      ? { ...own, tool_calls: calls.map((one, index) => ({ index, ...(one as JsonObject) })) }
      : own;
    const chunk = (more: JsonObject): string =>
      eventLine({ id: "limbeck", object: "chat.completion.chunk", created: 0, model: asked.model, ...more });
    // Programs that did not ask for it expect a choice in every part.
    const usage = (asked as ChatAsked).tellsUsage ? chunk({ choices: [], usage: USAGE }) : "";
    return [
      chunk({ choices: [{ index: 0, delta, finish_reason: null }] }),
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: finish }] }),
      usage,
      eventLine("[DONE]"),
    ].join("");
  },
};

/** What the two names of a form mean; any other is plain text. */
export function formOf(type: string | undefined, schema: JsonObject | undefined): ReadRequest["form"] {
  if (type === "json_object") return {};
  return type === "json_schema" ? (schema === undefined ? {} : { schema }) : undefined;
}

/** Tokens are counted where they are sampled; the program gets no counts. */
const USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

function wireReply({ text, calls, cut }: ChatReply): { readonly message: JsonObject; readonly finish: string } {
  const finish = cut ?? (calls.length > 0 ? "tool_calls" : "stop");
  const toolCalls = calls.length === 0 ? {} : { toolCalls: calls };
  return { message: writeMessage({ role: "assistant", content: text, ...toolCalls }), finish };
}
