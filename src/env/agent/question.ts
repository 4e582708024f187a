/** What a program asks its model and what it is told, whatever form it speaks in. */
import { z } from "zod";
import { parseObject } from "../../base/index.ts";
import type { JsonObject, Message } from "../../trajectory/index.ts";
import type { OwnRequest } from "../env.ts";
import type { OwnAnswer } from "../own-answer.ts";

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
export interface Asked {
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

/** What the policy said: text, calls of tools, or both. */
export type ChatReply = OwnAnswer;

export interface ChatQuestion extends Omit<Asked, "model" | "stream"> {
  answer(reply: ChatReply): void;
}

/** A form in which programs speak to their model. */
export interface Wire {
  /** What this body asks, or in words why it is no request. */
  read(body: unknown): Asked | string;
  /** The answer as one JSON object. */
  whole(asked: Asked, reply: ChatReply): JsonObject;
  /** The same as events of a stream. The answer is known as a whole, so each part of it is one event. */
  events(asked: Asked, reply: ChatReply): string;
}

/** What a request says of the use of its tools: those that may be called, and whether one must be. */
export function usableTools(
  tools: readonly ChatTool[],
  choice: unknown,
  nameOf: (choice: object) => string | undefined,
): Pick<Asked, "tools" | "mustCall"> {
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
