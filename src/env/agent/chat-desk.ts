/**
 * Where the programs of agents ask for words: chat completions in OpenAI's form, at an address of this machine. Every program
 * has a path of its own, which nobody can guess; its questions wait until they are answered.
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { z } from "zod";
import { parseJson } from "../../base/index.ts";
import { readBytes } from "../../base/http.ts";
import { closeServer, listenAt } from "../../base/listen.ts";
import type { JsonObject } from "../../trajectory/index.ts";

const part = z.looseObject({ type: z.string(), text: z.string().optional() });
const toolCall = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});
const message = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(part)]).nullish(),
  tool_call_id: z.string().optional(),
  tool_calls: z.array(toolCall).nullish(),
});
const tool = z.looseObject({
  function: z.looseObject({
    name: z.string().min(1),
    description: z.string().default(""),
    parameters: z.record(z.string(), z.json()).default({}),
  }),
});
const request = z.looseObject({
  model: z.string().default("limbeck"),
  messages: z.array(message).min(1),
  tools: z.array(tool).nullish(),
  n: z.number().nullish(),
  stream: z.boolean().nullish(),
});

export type ChatMessage = z.infer<typeof message>;
export type ChatTool = z.infer<typeof tool>["function"];

/** What the policy said: text, or a call of one tool. */
export type ChatReply =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly arguments: JsonObject };

export interface ChatQuestion {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ChatTool[];
  answer(reply: ChatReply): void;
}

export interface Desk {
  /** A path for one program. */
  open(onQuestion: (question: ChatQuestion) => void): Promise<{ readonly url: string; close(): Promise<void> }>;
}

const MOST_BYTES = 32 * 1024 * 1024;

/** Listens while at least one path is open. */
export function createDesk(): Desk {
  const paths = new Map<string, (question: ChatQuestion) => void>();
  let listening: Promise<{ readonly server: Server; readonly url: string }> | undefined;
  const listen = async (): Promise<{ readonly server: Server; readonly url: string }> => {
    const server = createServer((incoming, response) => {
      void serve(paths, incoming, response).catch(() => response.destroy());
    });
    // A long thought of the policy is no reason to hang up, and a program that waits no reason to live on.
    server.requestTimeout = 0;
    server.unref();
    const { url } = await listenAt(server, { host: "127.0.0.1", port: 0 }, "The agents' endpoint");
    return { server, url };
  };
  return {
    open: async (onQuestion) => {
      const path = randomUUID();
      paths.set(path, onQuestion);
      listening ??= listen();
      const { server, url } = await listening;
      return {
        url: `${url}/${path}/v1`,
        close: async () => {
          if (!paths.delete(path) || paths.size > 0) return;
          listening = undefined;
          await closeServer(server);
        },
      };
    },
  };
}

async function serve(
  paths: ReadonlyMap<string, (question: ChatQuestion) => void>,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [, path = "", ...rest] = (incoming.url ?? "/").split("?")[0]?.split("/") ?? [];
  const onQuestion = paths.get(path);
  if (onQuestion === undefined) return refuse(response, 404, "There is no agent at this address, or it is over.");
  const way = `${incoming.method} ${rest.join("/")}`;
  if (way === "GET v1/models") return json(response, { object: "list", data: [{ id: "limbeck", object: "model" }] });
  if (way !== "POST v1/chat/completions") {
    return refuse(response, 404, `${way} is not served here; only POST v1/chat/completions and GET v1/models are.`);
  }
  const bytes = await readBytes(incoming, MOST_BYTES);
  if (bytes === undefined) return refuse(response, 413, `The request is larger than ${MOST_BYTES} bytes.`);
  const parsed = request.safeParse(parseJson(bytes.toString()));
  if (!parsed.success) return refuse(response, 400, `This is no chat request: ${z.prettifyError(parsed.error)}`);
  const { messages, tools, n, stream, model } = parsed.data;
  if ((n ?? 1) > 1) return refuse(response, 400, `n is ${n}; one answer at a time is served here.`);
  onQuestion({
    messages,
    tools: (tools ?? []).map((one) => one.function),
    answer: (reply) => (stream === true ? tellInParts(response, model, reply) : json(response, whole(model, reply))),
  });
}

function said(reply: ChatReply): { readonly message: JsonObject; readonly finish: string } {
  if (reply.kind === "text") return { message: { role: "assistant", content: reply.text }, finish: "stop" };
  const call = { name: reply.name, arguments: JSON.stringify(reply.arguments) };
  const calling = {
    role: "assistant",
    content: null,
    tool_calls: [{ id: reply.id, type: "function", function: call }],
  };
  return { message: calling, finish: "tool_calls" };
}

/** Tokens are counted where they are sampled; the program is told none. */
const USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

function whole(model: string, reply: ChatReply): JsonObject {
  const { message: own, finish } = said(reply);
  const choices = [{ index: 0, message: own, finish_reason: finish, logprobs: null }];
  return { id: "limbeck", object: "chat.completion", created: 0, model, choices, usage: USAGE };
}

/** The answer is known as a whole; clients that ask for a stream get it in one part. */
function tellInParts(response: ServerResponse, model: string, reply: ChatReply): void {
  const { message: own, finish } = said(reply);
  const calls = own["tool_calls"];
  const delta = Array.isArray(calls)
    ? { ...own, tool_calls: calls.map((one, index) => ({ index, ...(one as JsonObject) })) }
    : own;
  const chunk = (choice: JsonObject): string =>
    `data: ${JSON.stringify({ id: "limbeck", object: "chat.completion.chunk", created: 0, model, choices: [{ index: 0, ...choice }] })}\n\n`;
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  response.end(
    `${chunk({ delta, finish_reason: null })}${chunk({ delta: {}, finish_reason: finish })}data: ${JSON.stringify({ id: "limbeck", object: "chat.completion.chunk", created: 0, model, choices: [], usage: USAGE })}\n\ndata: [DONE]\n\n`,
  );
}

function json(response: ServerResponse, value: JsonObject, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function refuse(response: ServerResponse, status: number, text: string): void {
  json(response, { error: { message: text, type: "invalid_request_error" } }, status);
}
