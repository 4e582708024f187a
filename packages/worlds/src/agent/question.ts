/** What a program asks its model and the answer it gets, whatever form it speaks in. */
import { z } from "zod";
import { parseObject, type JsonObject } from "limbeck-base/base/json";
import type { Message } from "limbeck-base/trajectory/trajectory";
import type { OwnRequest } from "limbeck-core/env/env";
import { readOwnAnswer, type OwnAnswer } from "limbeck-core/env/own-answer";
import { parseAction } from "limbeck-base/trajectory/tool-action";
import { canonicalJson } from "../tools/canonical.ts";
import { toolSays } from "../tools/observation.ts";

const part = z.looseObject({ type: z.string(), text: z.string().optional() });
/** Text, or parts of which only texts can be read. */
export const contentSchema = z.union([z.string(), z.array(part)]);
export const objectSchema = z.record(z.string(), z.json());

export interface ChatMessage {
  readonly role: string;
  readonly content?: z.infer<typeof contentSchema> | null | undefined;
  readonly tool_call_id?: string | undefined;
  readonly tool_calls?: readonly ChatCall[] | null | undefined;
}

export interface ChatCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface ChatTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** What an answer must be: a JSON object, of this schema where there is one. */
export interface AnswerForm {
  readonly schema?: JsonObject;
}

/** One request, read. */
export interface ReadRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ChatTool[];
  /** Whether a tool must be called: words are no answer then. */
  readonly mustCall: boolean;
  readonly form: AnswerForm | undefined;
  readonly stream: boolean;
  /** What else it set, in the names of chat completions; for models that read the request itself. */
  readonly settings: JsonObject;
  readonly maxTokens: number | undefined;
}

/** The policy's answer: text, calls of tools, or both. */
export type ChatReply = OwnAnswer;

export interface ChatQuestion extends Omit<ReadRequest, "model" | "stream"> {
  answer(reply: ChatReply): void;
}

/** A form in which programs speak to their model. */
export interface Wire {
  /** What this body asks, or in words why it is no request. */
  read(body: unknown): ReadRequest | string;
  /** The answer as one JSON object. */
  whole(asked: ReadRequest, reply: ChatReply): JsonObject;
  /** The same as events of a stream. The answer is known as a whole, so each part of it is one event. */
  events(asked: ReadRequest, reply: ChatReply): string;
}

/** What a request says of the use of its tools: those that may be called, and whether one must be. */
export function usableTools(
  tools: readonly ChatTool[],
  choice: unknown,
  nameOf: (choice: object) => string | undefined,
): Pick<ReadRequest, "tools" | "mustCall"> {
  if (choice === "none") return { tools: [], mustCall: false };
  const only = typeof choice === "object" && choice !== null ? nameOf(choice) : undefined;
  if (only !== undefined) return { tools: tools.filter(({ name }) => name === only), mustCall: true };
  return { tools, mustCall: choice === "required" && tools.length > 0 };
}

/** One event of a stream; named where the form names its events. */
export function eventLine(data: JsonObject | string, name?: string): string {
  const head = name === undefined ? "" : `event: ${name}\n`;
  return `${head}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

/** The request itself, for models that read one. */
export function ownRequest({ messages, tools, settings, maxTokens }: ChatQuestion): OwnRequest {
  return {
    messages: messages.map(ownMessage),
    tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    settings,
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
}

function ownMessage({ role, content, tool_call_id: toolCallId, tool_calls: calls }: ChatMessage): Message {
  const known = role === "assistant" || role === "tool" || role === "user" ? role : "system";
  return {
    role: known,
    content: content ?? "",
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...((calls ?? []).length === 0
      ? {}
      : {
          toolCalls: (calls ?? []).map(({ id, function: { name, arguments: given } }) => ({
            id,
            name,
            arguments: parseObject(given) ?? given,
          })),
        }),
  } as Message;
}

/** Fields of a body that are not passed on as they are: read apart, or of this connection alone. */
export function furtherSettings(body: JsonObject, read: readonly string[]): JsonObject {
  const own = new Set([
    "model",
    "messages",
    "tools",
    "stream",
    "stream_options",
    "n",
    "store",
    "metadata",
    "user",
    ...read,
  ]);
  return Object.fromEntries(Object.entries(body).filter(([name, value]) => !own.has(name) && value !== null));
}

// An action as the answer to a program, or why it cannot be one.

/** A call of a tool that was not offered, or an answer in another form, is never passed on: programs are made for models that make none. */
export function replyOf(
  action: string,
  { tools, mustCall, form }: Pick<ChatQuestion, "tools" | "mustCall" | "form">,
  repliesBefore: number,
): ChatReply | { readonly reason: string } {
  const own = readOwnAnswer(action);
  const parsed = tools.length === 0 || own !== undefined ? undefined : parseAction(action);
  const calls =
    parsed?.kind === "call"
      ? [{ id: `call_${repliesBefore + 1}`, name: parsed.name, arguments: parsed.arguments }]
      : (own?.calls ?? []);
  const names = tools.map((one) => one.name).join(", ");
  const isOffered = calls.every((call) => tools.some((one) => one.name === call.name));
  if (calls.length > 0 && isOffered) return { text: "", ...own, calls };
  if (mustCall) return { reason: `A tool must be called; there are ${names}.` };
  const strange = calls.find((call) => tools.every((one) => one.name !== call.name));
  if (form !== undefined && strange === undefined) return fitsForm(form, own?.text ?? action);
  if (form !== undefined && own === undefined) return fitsForm(form, action);
  if (parsed?.kind === "malformed") return { reason: parsed.reason };
  if (strange !== undefined) return { reason: `There is no tool "${strange.name.slice(0, 80)}"; there are ${names}.` };
  const text = own?.text ?? (parsed?.kind === "message" ? parsed.text : action);
  return text.trim() === "" ? { reason: "There is nothing to say." } : { ...own, text, calls };
}

// Answers that must be JSON: read, checked, and given to the program as they would come from a provider that promises the form.

function fitsForm({ schema }: AnswerForm, action: string): ChatReply | { readonly reason: string } {
  const text = action.trim();
  const value = parseObject(text);
  if (value === undefined) return { reason: "The answer must be one JSON object and nothing else." };
  const wrong = schema === undefined ? undefined : readSchema(schema)?.safeParse(value).error;
  return wrong === undefined
    ? { text, calls: [] }
    : { reason: `The answer does not fit its schema: ${z.prettifyError(wrong).slice(0, 400)}` };
}

/** Undefined for a schema that cannot be checked here; the program checks its answers itself. */
function readSchema(schema: JsonObject): z.ZodType | undefined {
  try {
    return z.fromJSONSchema(schema);
  } catch {
    return undefined;
  }
}

// What a program asks, as the policy reads it: of a conversation that goes on only what is new.

const FORM = 'To call a tool write {"name": "…", "arguments": {…}}. Any other text is your answer.';

const MUST = 'Call one of them: write {"name": "…", "arguments": {…}}.';

/** Reads the questions of one program in turn. A program may hold several conversations, one inside the other. */
export class Reader {
  /** What was asked and answered so far, for each conversation; each message as one text. */
  readonly #conversations: (readonly string[])[] = [];
  #tools = "";
  #form = "";

  read({ messages, tools, mustCall, form }: ChatQuestion): string {
    const texts = messages.map((message) =>
      canonicalJson([message.role, contentOf(message), message.tool_call_id ?? null]),
    );
    const at = this.#conversations.findIndex(
      (known) => known.length < texts.length && known.every((text, place) => text === texts[place]),
    );
    const known = at < 0 ? 0 : (this.#conversations[at]?.length ?? 0);
    // The answer that this conversation was given stands behind what is known of it.
    const fresh = messages
      .slice(known)
      .filter(({ role }, place) => !(known > 0 && place === 0 && role === "assistant"));
    const beginning = known === 0 && this.#conversations.length > 0 ? ["A new conversation begins."] : [];
    if (at < 0) this.#conversations.push(texts);
    else this.#conversations[at] = texts;
    const offered = tools.length === 0 ? "" : `Tools\n${tools.map(toolLine).join("\n")}\n${mustCall ? MUST : FORM}`;
    const shape = form === undefined ? "" : formLine(form);
    const told = [
      ...(offered === this.#tools ? [] : [offered === "" ? "There are no tools any more." : offered]),
      ...(shape === this.#form ? [] : [shape === "" ? "Your answer may be plain text again." : shape]),
    ];
    this.#tools = offered;
    this.#form = shape;
    return (
      [...beginning, ...told, ...fresh.map((message) => lineOf(message, messages))].join("\n\n") || "(nothing was said)"
    );
  }
}

function lineOf(message: ChatMessage, all: readonly ChatMessage[]): string {
  const text = contentOf(message);
  if (message.role === "tool") {
    const calls = all.flatMap(({ tool_calls }) => tool_calls ?? []);
    return toolSays(calls.find(({ id }) => id === message.tool_call_id)?.function.name ?? "result", text);
  }
  if (message.role !== "assistant") return text;
  const called = (message.tool_calls ?? []).map(({ function: { name, arguments: args } }) => `${name}(${args})`);
  return `You said before: ${[text, ...called].filter((one) => one !== "").join(" ")}`;
}

function contentOf({ content }: ChatMessage): string {
  if (typeof content === "string") return content;
  return (content ?? []).map(({ type, text }) => text ?? `[${type}]`).join("\n");
}

function toolLine({ name, description, parameters }: ChatTool): string {
  const { properties } = parameters;
  const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  return `- ${name}(${names.join(", ")}): ${description}`;
}

function formLine({ schema }: AnswerForm): string {
  return `Your answer is one JSON object${schema === undefined ? "" : ` of this schema: ${canonicalJson(schema)}`}.`;
}
