/**
 * A model provider without a model, for examples and tests: it follows a script, speaks OpenAI's two interfaces and
 * Anthropic's, streamed or whole, and needs no key. It asks for two tools at once, then answers from their results.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ScriptedProvider {
  /** With the version: what clients call the base address. */
  readonly url: string;
  /** Bodies of the requests so far. */
  readonly requests: readonly Body[];
  close(): Promise<void>;
}

export type Body = Readonly<Record<string, unknown>> & {
  readonly messages?: readonly { readonly role: string; readonly content?: unknown }[];
  /** Of OpenAI's responses. */
  readonly input?: unknown;
  readonly stream?: boolean;
  readonly model?: string;
};

/** Says how to treat a request otherwise than by the script; true when it did. */
export type Behaviour = (body: Body, response: ServerResponse, request: IncomingMessage) => boolean;

const CALLS = [
  { id: "call_1", name: "weather", arguments: { city: "Paris" } },
  { id: "call_2", name: "weather", arguments: { city: "Rome" } },
];
const ANSWER = "Rome is warmer: 24 degrees against 17 in Paris.";

export async function startScriptedProvider(behave: Behaviour = () => false): Promise<ScriptedProvider> {
  const requests: Body[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(pieces).toString("utf8") || "{}") as Body;
      requests.push(body);
      if (behave(body, response, request)) return;
      const { type, pieces: written } = scriptedAnswer(request.url ?? "", body);
      response.writeHead(200, { "content-type": type });
      for (const piece of written) response.write(piece);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What the script answers, in the shape that the end of the path asks for. */
export function scriptedAnswer(
  path: string,
  body: Body,
): { readonly type: string; readonly pieces: readonly string[] } {
  const anthropic = path.endsWith("/messages");
  const responses = path.endsWith("/responses");
  const answer = anthropic ? anthropicAnswer : responses ? responsesAnswer : openaiAnswer;
  const [whole, events] = answer(body);
  if (body.stream !== true) return { type: "application/json", pieces: [JSON.stringify(whole)] };
  const pieces = events.map((event) => eventText(event, anthropic || responses));
  return { type: "text/event-stream", pieces: answer === openaiAnswer ? [...pieces, "data: [DONE]\n\n"] : pieces };
}

type Event = Readonly<Record<string, unknown>>;

function eventText(event: Event, named: boolean): string {
  return `${named ? `event: ${String(event["type"])}\n` : ""}data: ${JSON.stringify(event)}\n\n`;
}

/** The tools have run when their results are among the messages. */
function toolsRan(body: Body): boolean {
  const text = JSON.stringify(body.messages ?? body.input ?? []);
  return ['"role":"tool"', '"tool_result"', '"function_call_output"'].some((mark) => text.includes(mark));
}

function openaiAnswer(body: Body): readonly [Event, readonly Event[]] {
  const model = body.model ?? "scripted";
  const done = toolsRan(body);
  const usage = done
    ? { prompt_tokens: 120, completion_tokens: 14, total_tokens: 134 }
    : { prompt_tokens: 80, completion_tokens: 30, total_tokens: 110 };
  const calls = CALLS.map((call, index) => ({
    index,
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }));
  const message = done
    ? { role: "assistant", content: ANSWER }
    : { role: "assistant", content: null, tool_calls: calls.map(({ index: _index, ...call }) => call) };
  const finish = done ? "stop" : "tool_calls";
  const chunk = (delta: object, reason: string | null = null): Event => ({
    id: "chat-1",
    object: "chat.completion.chunk",
    created: 1,
    model,
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const deltas = done
    ? ANSWER.split(/(?<= )/).map((content) => chunk({ content }))
    : calls.flatMap((call) => {
        const half = call.function.arguments.length >> 1;
        const rest = { index: call.index, function: { arguments: call.function.arguments.slice(half) } };
        const head = { ...call, function: { ...call.function, arguments: call.function.arguments.slice(0, half) } };
        return [chunk({ tool_calls: [head] }), chunk({ tool_calls: [rest] })];
      });
  return [
    {
      id: "chat-1",
      object: "chat.completion",
      created: 1,
      model,
      choices: [{ index: 0, message, finish_reason: finish }],
      usage,
    },
    [chunk({ role: "assistant", content: "" }), ...deltas, chunk({}, finish), { ...chunk({}), choices: [], usage }],
  ];
}

function anthropicAnswer(body: Body): readonly [Event, readonly Event[]] {
  const done = toolsRan(body);
  const usage = done ? { input_tokens: 120, output_tokens: 14 } : { input_tokens: 80, output_tokens: 30 };
  const content: Event[] = done
    ? [{ type: "text", text: ANSWER }]
    : CALLS.map((call) => ({ type: "tool_use", id: call.id, name: call.name, input: call.arguments }));
  const reason = done ? "end_turn" : "tool_use";
  const message = {
    id: "msg-1",
    type: "message",
    role: "assistant",
    model: body.model ?? "scripted",
    stop_sequence: null,
  };
  const blocks = content.flatMap((block, index): Event[] => {
    const json = JSON.stringify(block["input"] ?? {});
    const start = done ? { type: "text", text: "" } : { ...block, input: {} };
    const deltas = done
      ? ANSWER.split(/(?<= )/).map((text) => ({ type: "text_delta", text }))
      : [json.slice(0, 5), json.slice(5)].map((piece) => ({ type: "input_json_delta", partial_json: piece }));
    return [
      { type: "content_block_start", index, content_block: start },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ];
  });
  return [
    { ...message, content, stop_reason: reason, usage },
    [
      {
        type: "message_start",
        message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
      },
      ...blocks,
      {
        type: "message_delta",
        delta: { stop_reason: reason, stop_sequence: null },
        usage: { output_tokens: usage.output_tokens },
      },
      { type: "message_stop" },
    ],
  ];
}

function responsesAnswer(body: Body): readonly [Event, readonly Event[]] {
  const done = toolsRan(body);
  const content = [{ type: "output_text", text: ANSWER, annotations: [] }];
  const output: Event[] = done
    ? [{ id: "msg_1", type: "message", role: "assistant", status: "completed", content }]
    : CALLS.map(({ id, name, arguments: given }) => ({
        id: `fc_${id}`,
        type: "function_call",
        call_id: id,
        name,
        arguments: JSON.stringify(given),
      }));
  const usage = done ? { input_tokens: 120, output_tokens: 14 } : { input_tokens: 80, output_tokens: 30 };
  const response = { id: "resp_1", object: "response", status: "completed", model: body.model ?? "scripted" };
  const deltas = done ? ANSWER.split(/(?<= )/) : [];
  return [
    { ...response, output, usage },
    [
      { type: "response.created", response: { ...response, status: "in_progress", output: [], usage: null } },
      ...deltas.map((delta) => ({ type: "response.output_text.delta", output_index: 0, delta })),
      ...output.map((item, index) => ({ type: "response.output_item.done", output_index: index, item })),
      { type: "response.completed", response: { ...response, output, usage } },
    ],
  ];
}
