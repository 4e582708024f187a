/** The contract of a provider's interface, as far as recording needs it: requests and answers, whole or streamed. Every reader of these shapes is in this folder. */
import { objectsOf, type CallUsage, type Fault, type JsonObject, type Message, type ToolCall } from "../lines.ts";

export interface AskedCall {
  readonly messages: readonly Message[];
  readonly tools?: readonly JsonObject[];
  readonly model?: string;
}

export interface ReadAnswer {
  readonly reply?: Message;
  readonly finish?: string;
  readonly usage?: CallUsage;
  readonly model?: string;
  readonly error?: Fault;
  /** True when the interface marked the answer as complete. */
  readonly complete: boolean;
}

export interface AnswerStream {
  event(data: JsonObject): void;
  answer(): ReadAnswer;
}

export interface Shape {
  readonly provider: string;
  /** How the path of its endpoint ends. */
  readonly path: string;
  asked(body: JsonObject): AskedCall;
  answered(body: JsonObject): ReadAnswer;
  stream(): AnswerStream;
}

/**
 * Hears why something is not in the shape, and throws. A reader that is given one keeps the form in which a thing was written, for the way
 * back; without one, what is unknown is left out, and forms that mean the same read alike.
 */
export type OnFault = (why: string) => never;

export const refuse: OnFault = (why) => {
  throw new TypeError(why);
};

/** A request with what every interface says beside its messages. */
export function askedWith(
  body: JsonObject,
  messages: readonly Message[],
  toTool: (tool: JsonObject) => JsonObject = (tool) => tool,
): AskedCall {
  return {
    messages,
    ...(Array.isArray(body["tools"]) ? { tools: objectsOf(body["tools"]).map(toTool) } : {}),
    ...(typeof body["model"] === "string" ? { model: body["model"] } : {}),
  };
}

/** What an answer says beside its reply; what is unknown is left out. */
export function factsOf(
  finish: unknown,
  usage: CallUsage | undefined,
  model?: unknown,
): Pick<ReadAnswer, "finish" | "usage" | "model"> {
  return {
    ...(typeof finish === "string" ? { finish } : {}),
    ...(usage === undefined ? {} : { usage }),
    ...(typeof model === "string" ? { model } : {}),
  };
}

export function replyOf<Content extends Message["content"]>(
  content: Content,
  reasoning: string | undefined,
  toolCalls: readonly ToolCall[],
): Message & { readonly content: Content } {
  return {
    role: "assistant",
    content,
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
}
