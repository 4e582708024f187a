/** A real HTTP server on this machine that plays the endpoint of a chat model, one prepared answer after the other. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Prepared {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
}

/** "silent" never answers; the connection is closed with the server or by the client. */
export type Answer = Prepared | "silent" | ((request: SeenRequest) => Prepared | "silent");

export interface ChatServerDouble {
  readonly baseUrl: string;
  readonly requests: SeenRequest[];
  /** Resolves when this many requests have arrived. */
  arrived(count: number): Promise<void>;
  close(): Promise<void>;
}

/** The last answer is repeated for as long as anybody asks. */
export async function startChatServer(...answers: Answer[]): Promise<ChatServerDouble> {
  const requests: SeenRequest[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8")) as SeenRequest["body"];
      const request = { path: incoming.url ?? "", headers: incoming.headers, body };
      const answer = answers[Math.min(requests.length, answers.length - 1)] as Answer;
      requests.push(request);
      give(response, typeof answer === "function" ? answer(request) : answer);
      for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    arrived: (count) =>
      new Promise((resolve) => (requests.length >= count ? resolve() : waiting.push({ count, resolve }))),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function give(response: ServerResponse, answer: Prepared | "silent"): void {
  if (answer === "silent") return;
  const { status = 200, headers = {}, body = "" } = answer;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
}

/** An answer that says this, and counts 10 prompt and 4 completion tokens. */
export function says(text: string, more: Readonly<Record<string, unknown>> = {}): Prepared {
  const choice = { index: 0, message: { role: "assistant", content: text }, finish_reason: "stop", ...more };
  return { body: { id: "1", model: "m", choices: [choice], usage: { prompt_tokens: 10, completion_tokens: 4 } } };
}

/** The same as a stream of events. */
export function streams(events: readonly unknown[]): Prepared {
  const lines = [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), "data: [DONE]\n\n"];
  return { headers: { "content-type": "text/event-stream" }, body: lines.join("") };
}
