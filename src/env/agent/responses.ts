/**
 * OpenAI's responses. A request may name what was said before in place of repeating it: an earlier response by its id, or a single
 * item of one. So the answers that a program was given are kept for as long as it runs.
 */
import { z } from "zod";
import type { JsonObject } from "../../trajectory/index.ts";
import { formOf } from "./chat-completions.ts";
import {
  contentSchema,
  eventLine,
  objectSchema,
  usableTools,
  type Asked,
  type ChatMessage,
  type ChatReply,
  type Wire,
} from "./question.ts";

/** What an item says, the name of one that was said before, or nothing. */
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
});
const chosenTool = z.looseObject({ name: z.string() });

interface ResponsesAsked extends Asked {
  /** What was said up to here, without the instructions, which hold for one response alone. */
  readonly before: readonly ChatMessage[];
}

/** For one program, whose earlier answers it remembers. */
export function createResponses(): Wire {
  const conversations = new Map<string, readonly ChatMessage[]>();
  const saidById = new Map<string, ChatMessage>();
  const respond = (asked: Asked, reply: ChatReply): Response => {
    const { before, model } = asked as ResponsesAsked;
    const number = conversations.size + 1;
    const own = outputOf(reply, number);
    const message = replyMessage(reply);
    saidById.set(own.id, message);
    conversations.set(`resp_${number}`, [...before, message]);
    const base = { id: `resp_${number}`, object: "response", created_at: 0, status: "completed", model };
    return { ...base, output: [own], ...REST };
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
      };
    },
    whole: respond,
    events: (asked, reply) => streamed(respond(asked, reply)),
  };
}

/** Tokens are counted where they are sampled; the program is told none. */
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

interface Response extends JsonObject {
  readonly output: [JsonObject & { readonly id: string }];
}

function outputOf(reply: ChatReply, number: number): JsonObject & { readonly id: string } {
  const status = "completed";
  if (reply.kind === "call") {
    const { id, name, arguments: given } = reply;
    return { id: `fc_${number}`, type: "function_call", call_id: id, name, arguments: JSON.stringify(given), status };
  }
  const content = [{ type: "output_text", text: reply.text, annotations: [], logprobs: [] }];
  return { id: `msg_${number}`, type: "message", role: "assistant", status, content };
}

function replyMessage(reply: ChatReply): ChatMessage {
  if (reply.kind === "text") return { role: "assistant", content: reply.text };
  return calling(reply.id, reply.name, JSON.stringify(reply.arguments));
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

/** The events that a response goes through, for the one item that it holds. */
function streamed(response: Response): string {
  const [own] = response.output;
  let number = 0;
  const event = (type: string, more: JsonObject): string =>
    eventLine({ type, sequence_number: number++, ...more }, type);
  const begun = { ...response, status: "in_progress", output: [], usage: null };
  const at = { output_index: 0, item_id: own.id };
  const added = (empty: JsonObject): string =>
    event("response.output_item.added", { output_index: 0, item: { ...own, status: "in_progress", ...empty } });
  const middle = (): string[] => {
    if (own["type"] === "function_call") {
      const given = own["arguments"] ?? "";
      return [
        added({ arguments: "" }),
        event("response.function_call_arguments.delta", { ...at, delta: given }),
        event("response.function_call_arguments.done", { ...at, arguments: given, name: own["name"] ?? "" }),
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
    ];
  };
  return [
    event("response.created", { response: begun }),
    event("response.in_progress", { response: begun }),
    ...middle(),
    event("response.output_item.done", { output_index: 0, item: own }),
    event("response.completed", { response }),
  ].join("");
}
