/**
 * OpenAI's responses. A request may name earlier messages in place of repeating them: an earlier response by its id, or a single
 * item of one. So the answers that a program was given are kept for as long as it runs.
 */
import { z } from "zod";
import { isObject, type JsonObject } from "limbeck-base/base/json";
import { withoutUndefined } from "limbeck-base/base/fields";
import { argumentsText } from "limbeck-recorder/wire/parts";
import { formOf } from "./chat-completions.ts";
import {
  contentSchema,
  eventLine,
  furtherSettings,
  objectSchema,
  usableTools,
  type ReadRequest,
  type ChatMessage,
  type ChatReply,
  type Wire,
} from "./question.ts";

/** The message of an item, the name of an earlier one, or nothing. */
type Entry = ChatMessage | { readonly reference: string } | undefined;

const item = z.union([
  z
    .looseObject({ type: z.literal("function_call"), call_id: z.string(), name: z.string(), arguments: z.string() })
    .transform(({ call_id: id, name, arguments: given }): Entry => calling(id, name, given)),
  z
    .looseObject({ type: z.literal("function_call_output"), call_id: z.string(), output: contentSchema })
    .transform(({ call_id, output }): Entry => ({ role: "tool", tool_call_id: call_id, content: output })),
  z
    .looseObject({ type: z.literal("item_reference"), id: z.string() })
    .transform(({ id }): Entry => ({ reference: id })),
  // Thoughts are not repeated.
  z.looseObject({ type: z.literal("reasoning") }).transform((): Entry => undefined),
  z
    .looseObject({ role: z.string(), content: contentSchema })
    .transform(({ role, content }): Entry => ({ role, content })),
  z.looseObject({ type: z.string() }).transform(({ type }): Entry => ({ role: "user", content: `[${type}]` })),
]);
const tool = z.looseObject({
  type: z.string(),
  name: z.string().optional(),
  description: z.string().nullish(),
  parameters: objectSchema.nullish(),
});
const request = z.looseObject({
  model: z.string().default("limbeck"),
  instructions: z.string().nullish(),
  input: z.union([z.string(), z.array(item)]),
  previous_response_id: z.string().nullish(),
  tools: z.array(tool).nullish(),
  tool_choice: z.unknown().optional(),
  text: z
    .looseObject({ format: z.looseObject({ type: z.string(), schema: objectSchema.optional() }).nullish() })
    .nullish(),
  stream: z.boolean().nullish(),
  max_output_tokens: z.int().positive().nullish(),
});
const chosenTool = z.looseObject({ name: z.string() });

interface ResponsesAsked extends ReadRequest {
  /** The messages up to here, without the instructions, which hold for one response alone. */
  readonly before: readonly ChatMessage[];
}

/** For one program, whose earlier answers it remembers. */
export function createResponses(): Wire {
  const conversations = new Map<string, readonly ChatMessage[]>();
  const saidById = new Map<string, ChatMessage>();
  const respond = (asked: ReadRequest, reply: ChatReply): Response => {
    const { before, model } = asked as ResponsesAsked;
    const number = conversations.size + 1;
    const own = outputOf(reply, number);
    for (const {
      item: { id },
      message,
    } of own)
      saidById.set(id, message);
    conversations.set(`resp_${number}`, [...before, ...own.map(({ message }) => message)]);
    const base = { id: `resp_${number}`, object: "response", created_at: 0, model, output: own.map((one) => one.item) };
    if (reply.cut === undefined) return { ...base, ...REST, status: "completed" };
    const reason = reply.cut === "length" ? "max_output_tokens" : reply.cut;
    return { ...base, ...REST, status: "incomplete", incomplete_details: { reason } };
  };
  const conversationOf = (previous: string | null | undefined, entries: readonly Entry[]): ChatMessage[] | string => {
    const before = typeof previous === "string" ? conversations.get(previous) : [];
    if (before === undefined) return `There is no earlier response "${previous}".`;
    const messages = [...before];
    for (const entry of entries) {
      if (entry === undefined) continue;
      const message = "reference" in entry ? saidById.get(entry.reference) : entry;
      if (message === undefined) return "The input names an item that was never said here.";
      messages.push(message);
    }
    return messages;
  };
  return {
    read: (body): ResponsesAsked | string => {
      const parsed = request.safeParse(body);
      if (!parsed.success) return `This is no request for a response: ${z.prettifyError(parsed.error)}`;
      const {
        model,
        instructions,
        input,
        previous_response_id: previous,
        tools,
        tool_choice,
        text,
        stream,
      } = parsed.data;
      const foreign = (tools ?? []).find(({ type, name }) => type !== "function" || name === undefined);
      if (foreign !== undefined) {
        return `The tool "${foreign.type}" runs at its provider and is not served here; only functions of the program are.`;
      }
      const before = conversationOf(previous, typeof input === "string" ? [{ role: "user", content: input }] : input);
      if (typeof before === "string") return before;
      const system = typeof instructions === "string" ? [{ role: "system", content: instructions }] : [];
      const messages = [...system, ...joined(before)];
      if (messages.length === 0) return "The input is empty: nothing is asked.";
      const offered = (tools ?? []).map(({ name = "", description, parameters }) => ({
        name,
        description: description ?? "",
        parameters: parameters ?? {},
      }));
      return {
        model,
        messages,
        before,
        ...usableTools(offered, tool_choice, (choice) => chosenTool.safeParse(choice).data?.name),
        form: formOf(text?.format?.type, text?.format?.schema),
        stream: stream === true,
        settings: settingsOf(parsed.data as JsonObject),
        maxTokens: parsed.data.max_output_tokens ?? undefined,
      };
    },
    whole: respond,
    events: (asked, reply) => streamed(respond(asked, reply)),
  };
}

/** Tokens are counted where they are sampled; the program gets no counts. */
const USAGE = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};

/** What clients expect in every response. */
const REST = {
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  parallel_tool_calls: false,
  temperature: null,
  tool_choice: "auto",
  tools: [],
  top_p: null,
  usage: USAGE,
};

interface Item extends JsonObject {
  readonly id: string;
}

interface Response extends JsonObject {
  readonly output: readonly Item[];
}

/** Fields of chat completions that say the same. */
function settingsOf(body: JsonObject): JsonObject {
  const read = [
    "instructions",
    "input",
    "previous_response_id",
    "tool_choice",
    "text",
    "reasoning",
    "max_output_tokens",
  ];
  const { reasoning, verbosity, ...rest } = {
    ...furtherSettings(body, [...read, "include", "truncation", "background"]),
    ...pick(body),
  };
  return { ...rest, ...withoutUndefined({ reasoning_effort: reasoning, verbosity }) };
}

function pick({ reasoning, text, tool_choice: choice }: JsonObject): Record<string, JsonObject[string] | undefined> {
  const { format, verbosity } = isObject(text) ? text : {};
  const { type, ...schema } = isObject(format) ? format : {};
  return {
    reasoning: isObject(reasoning) ? reasoning["effort"] : undefined,
    verbosity,
    ...(type === "json_object" ? { response_format: { type } } : {}),
    ...(type === "json_schema" ? { response_format: { type, json_schema: schema } } : {}),
    ...(typeof choice === "string" ? { tool_choice: choice } : {}),
    ...(isObject(choice) && choice["type"] === "function"
      ? { tool_choice: { type: "function", function: { name: choice["name"] ?? "" } } }
      : {}),
  };
}

/** Words are one item, every call is one. */
function outputOf(
  { text, calls }: ChatReply,
  number: number,
): { readonly item: Item; readonly message: ChatMessage }[] {
  const status = "completed";
  const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
  const words = { id: `msg_${number}`, type: "message", role: "assistant", status, content };
  return [
    ...(text === "" && calls.length > 0 ? [] : [{ item: words, message: { role: "assistant", content: text } }]),
    ...calls.map((call, at) => {
      const id = at === 0 ? `fc_${number}` : `fc_${number}_${at + 1}`;
      const given = argumentsText(call);
      return {
        item: { id, type: "function_call", call_id: call.id, name: call.name, arguments: given, status },
        message: calling(call.id, call.name, given),
      };
    }),
  ];
}

function calling(id: string, name: string, given: string): ChatMessage {
  return { role: "assistant", tool_calls: [{ id, function: { name, arguments: given } }] };
}

/** Neighbouring words and calls of the model are one message, as they are in chat completions. */
function joined(messages: readonly ChatMessage[]): ChatMessage[] {
  const all: ChatMessage[] = [];
  for (const message of messages) {
    const last = all.at(-1);
    if (last?.role !== "assistant" || message.role !== "assistant") {
      all.push(message);
      continue;
    }
    const calls = [...(last.tool_calls ?? []), ...(message.tool_calls ?? [])];
    all[all.length - 1] = { ...last, content: last.content ?? message.content, tool_calls: calls };
  }
  return all;
}

/** The events that a response goes through, item by item. */
function streamed(response: Response): string {
  let number = 0;
  const event = (type: string, more: JsonObject): string =>
    eventLine({ type, sequence_number: number++, ...more }, type);
  const begun = { ...response, status: "in_progress", output: [], usage: null };
  const itemEvents = (own: Item, output_index: number): string[] => {
    const at = { output_index, item_id: own.id };
    const added = (empty: JsonObject): string =>
      event("response.output_item.added", { output_index, item: { ...own, status: "in_progress", ...empty } });
    const done = (): string => event("response.output_item.done", { output_index, item: own });
    if (own["type"] === "function_call") {
      const given = own["arguments"] ?? "";
      return [
        added({ arguments: "" }),
        event("response.function_call_arguments.delta", { ...at, delta: given }),
        event("response.function_call_arguments.done", { ...at, arguments: given, name: own["name"] ?? "" }),
        done(),
      ];
    }
    const [part] = own["content"] as [JsonObject];
    const text = part["text"] ?? "";
    const inside = { ...at, content_index: 0 };
    return [
      added({ content: [] }),
      event("response.content_part.added", { ...inside, part: { ...part, text: "" } }),
      event("response.output_text.delta", { ...inside, delta: text, logprobs: [] }),
      event("response.output_text.done", { ...inside, text, logprobs: [] }),
      event("response.content_part.done", { ...inside, part }),
      done(),
    ];
  };
  return [
    event("response.created", { response: begun }),
    event("response.in_progress", { response: begun }),
    ...response.output.flatMap(itemEvents),
    event(`response.${response["status"] === "incomplete" ? "incomplete" : "completed"}`, { response }),
  ].join("");
}
