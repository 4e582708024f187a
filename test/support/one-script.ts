/**
 * One script of calls for every way of recording: a provider that fails as told, and an agent that speaks to it bare. What the
 * provider says is known, so the agent reads nothing of it but whether it may go on.
 */
import type { ServerResponse } from "node:http";
import type { Behaviour } from "../../examples/scripted-provider.ts";
import type { Message, ToolCall } from "../../packages/base/src/trajectory/trajectory.ts";

/** What happens to a conversation; the word stands in its question. */
export const CASES = ["plain", "streamed", "retried", "refused", "broken", "faulty", "left"] as const;
export type Case = (typeof CASES)[number];
export const isStreamed = (name: Case): boolean => !["plain", "retried", "refused"].includes(name);

export const SYSTEM = "You compare cities. Use the tools; do not guess.";
export const questionOf = (name: string): string => `Which is warmer, Paris or Rome? (${name})`;
export const ANSWER = "Rome is warmer: 24 degrees against 17 in Paris.";
export const HALF = "half an ";
export const DEGREES: Readonly<Record<string, string>> = { Paris: "17", Rome: "24" };
export const TOOL = {
  name: "weather",
  description: "The temperature of a city, in degrees",
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
} as const;
const CALLS: readonly ToolCall[] = [
  { id: "call_1", name: "weather", arguments: { city: "Paris" } },
  { id: "call_2", name: "weather", arguments: { city: "Rome" } },
];

/** A provider's faults: the first tries of a retried call are refused, and streams end half way. */
export function faultsOf(): Behaviour {
  const tries = new Map<string, number>();
  return (body, response, request) => {
    const text = JSON.stringify(body.messages ?? body.input);
    const name = CASES.find((one) => text.includes(`(${one})`));
    const shape = shapeAt(request.url ?? "");
    if (name === "retried") {
      const turn = /"role":"tool"|"tool_result"|"function_call_output"/.test(text) ? "second" : "first";
      const tried = (tries.get(turn) ?? 0) + 1;
      tries.set(turn, tried);
      // Of the first call two tries are lost, of the second one.
      if (turn === "first" && tried <= 2) return refuse(response, 503, "overloaded");
      return turn === "second" && tried === 1 && refuse(response, 429, "slow down");
    }
    if (name === "refused") return refuse(response, 400, "no such model");
    if (name !== "broken" && name !== "faulty" && name !== "left") return false;
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of shape.half)
      response.write(`event: ${event["type"] as string}\ndata: ${JSON.stringify(event)}\n\n`);
    if (name === "broken") setImmediate(() => response.destroy());
    if (name === "faulty") response.end(`event: error\ndata: ${JSON.stringify(shape.fault)}\n\n`);
    return true;
  };
}

function refuse(response: ServerResponse, status: number, message: string): true {
  // The wait that clients of the AI SDK and ours obey.
  response.writeHead(status, { "content-type": "application/json", "retry-after-ms": "1" });
  response.end(JSON.stringify({ type: "error", error: { type: "odd", message } }));
  return true;
}

interface Wire {
  readonly path: string;
  readonly half: readonly Readonly<Record<string, unknown>>[];
  readonly fault: object;
  body(messages: readonly Message[]): object;
}

/** The AI SDK passes on the words alone, so the code is the one that stands for any. */
const OVERLOADED = { type: "provider-error", message: "overloaded" };
const started = { id: "msg", type: "message", role: "assistant", model: "scripted", content: [], stop_reason: null };

export const wires: Readonly<Record<"chat" | "messages" | "responses", Wire>> = {
  chat: {
    path: "/chat/completions",
    half: [
      { id: "c", model: "scripted", choices: [{ index: 0, delta: { role: "assistant", content: "" } }] },
      { id: "c", model: "scripted", choices: [{ index: 0, delta: { content: HALF } }] },
    ],
    fault: { error: OVERLOADED },
    body: (messages) => ({
      messages: messages.map(({ role, content, toolCalls, toolCallId }) => ({
        role,
        content,
        ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
        ...(toolCalls === undefined
          ? {}
          : {
              tool_calls: toolCalls.map(({ id, name, arguments: given }) => ({
                id,
                type: "function",
                function: { name, arguments: JSON.stringify(given) },
              })),
            }),
      })),
      tools: [{ type: "function", function: TOOL }],
    }),
  },
  messages: {
    path: "/messages",
    half: [
      { type: "message_start", message: { ...started, usage: { input_tokens: 80, output_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: HALF } },
    ],
    fault: { type: "error", error: OVERLOADED },
    body: (messages) => ({
      max_tokens: 1000,
      system: SYSTEM,
      messages: messages.slice(1).map(({ role, content, toolCalls = [], toolCallId }) =>
        role === "tool"
          ? { role: "user", content: [{ type: "tool_result", tool_use_id: toolCallId, content }] }
          : {
              role,
              content: [
                ...(content === "" ? [] : [{ type: "text", text: content }]),
                ...toolCalls.map(({ id, name, arguments: input }) => ({ type: "tool_use", id, name, input })),
              ],
            },
      ),
      tools: [{ name: TOOL.name, description: TOOL.description, input_schema: TOOL.parameters }],
    }),
  },
  responses: {
    path: "/responses",
    half: [
      { type: "response.created", response: { id: "r", model: "scripted", status: "in_progress", output: [] } },
      { type: "response.output_text.delta", output_index: 0, delta: HALF },
    ],
    fault: { ...OVERLOADED, type: "error", code: OVERLOADED.type },
    body: (messages) => ({
      instructions: SYSTEM,
      input: messages.slice(1).flatMap(({ role, content, toolCalls = [], toolCallId }) => [
        ...(role === "tool" ? [{ type: "function_call_output", call_id: toolCallId, output: content }] : []),
        ...(role === "user" || (role === "assistant" && content !== "") ? [{ role, content }] : []),
        ...toolCalls.map(({ id, name, arguments: given }) => ({
          type: "function_call",
          call_id: id,
          name,
          arguments: JSON.stringify(given),
        })),
      ]),
      tools: [{ type: "function", ...TOOL }],
    }),
  },
};

function shapeAt(url: string): Wire {
  return Object.values(wires).find(({ path }) => url.endsWith(path)) ?? wires.chat;
}

/** What an agent knows of one call of its own, for whoever writes spans of it. */
export interface BareCall {
  readonly messages: readonly Message[];
  readonly reply?: Message;
  readonly error?: { readonly type: string; readonly message: string };
}

export interface BareOptions {
  readonly wire: keyof typeof wires;
  readonly base: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly onCall?: (call: BareCall) => void;
}

/** Plays one case to its end; throws where the agent cannot go on. */
export async function playBare(
  name: string,
  { wire, base, fetch = globalThis.fetch, onCall }: BareOptions,
): Promise<void> {
  const known = CASES.find((one) => one === name) ?? "plain";
  const messages: Message[] = [
    { role: "system", content: SYSTEM },
    { role: "user", content: questionOf(name) },
  ];
  for (const reply of [
    { role: "assistant" as const, content: "", toolCalls: CALLS },
    { role: "assistant" as const, content: ANSWER },
  ]) {
    const asked = messages.slice();
    const failed = (type: string, message: string, half?: Message): never => {
      onCall?.({ messages: asked, error: { type, message }, ...(half === undefined ? {} : { reply: half }) });
      throw new Error(message);
    };
    const body = JSON.stringify({ model: "scripted", ...wires[wire].body(asked), stream: isStreamed(known) });
    const send = (signal: AbortSignal): Promise<Response> =>
      fetch(`${base}${wires[wire].path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
        signal,
      });
    const leaving = new AbortController();
    let response = await send(leaving.signal);
    for (let tries = 0; tries < 2 && (response.status === 503 || response.status === 429); tries += 1) {
      const { error } = (await response.json()) as { readonly error: { readonly message: string } };
      onCall?.({ messages: asked, error: { type: `${response.status}`, message: error.message } });
      response = await send(leaving.signal);
    }
    if (!response.ok) {
      const { error } = (await response.json()) as { readonly error: { readonly message: string } };
      failed(`${response.status}`, error.message);
    }
    const half: Message = { role: "assistant", content: HALF };
    if (known === "left") {
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      for (let text = ""; !text.includes(HALF);) text += new TextDecoder().decode((await reader.read()).value);
      leaving.abort();
      await reader.read().catch(() => undefined);
      failed("client-left", "The agent closed the connection before the answer was complete.", half);
    }
    await response.text().catch(() => failed("broken-off", "The provider broke off its answer.", half));
    if (known === "faulty") failed(OVERLOADED.type, OVERLOADED.message, half);
    onCall?.({ messages: asked, reply });
    messages.push(reply);
    for (const { id, arguments: given } of reply.toolCalls ?? []) {
      const city = (given as { readonly city: string }).city;
      messages.push({ role: "tool", content: DEGREES[city] ?? "unknown", toolCallId: id });
    }
  }
}
