/** Plays the endpoint of a chat model, one prepared answer after the other. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { answerInProcess } from "./in-process-fetch.ts";

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

/** Without a socket, for code of this process. The last answer is repeated for as long as anybody asks. */
export function startChatServer(...answers: Answer[]): Promise<ChatServerDouble> {
  const { take, double } = prepare(answers);
  const { url, close } = answerInProcess(async (asked) => {
    const { pathname, search } = new URL(asked.url);
    const given = take(`${pathname}${search}`, Object.fromEntries(asked.headers), await asked.text());
    if (given === "silent") return await new Promise<never>(() => {});
    return new Response(given.text, { status: given.status, headers: given.headers });
  });
  return Promise.resolve(double(`${url}/v1`, () => Promise.resolve(close())));
}

/** The same on a port of this machine, for programs. */
export async function listeningChatServer(...answers: Answer[]): Promise<ChatServerDouble> {
  const { take, double } = prepare(answers);
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const given = take(incoming.url ?? "", incoming.headers, Buffer.concat(chunks).toString("utf8"));
      if (given !== "silent") response.writeHead(given.status, given.headers).end(given.text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return double(
    `http://127.0.0.1:${port}/v1`,
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
}

interface Given {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What both kinds share: what was seen, and whose turn it is. */
function prepare(answers: readonly Answer[]) {
  const requests: SeenRequest[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const take = (path: string, headers: IncomingHttpHeaders, text: string): Given | "silent" => {
    const request = { path, headers, body: JSON.parse(text) as SeenRequest["body"] };
    const prepared = answers[Math.min(requests.length, answers.length - 1)] as Answer;
    requests.push(request);
    const answer = typeof prepared === "function" ? prepared(request) : prepared;
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
    if (answer === "silent") return answer;
    const { status = 200, headers: more = {}, body = "" } = answer;
    const sent = typeof body === "string" ? body : JSON.stringify(body);
    return { status, headers: { "content-type": "application/json", ...more }, text: sent };
  };
  const double = (baseUrl: string, close: () => Promise<void>): ChatServerDouble => ({
    baseUrl,
    requests,
    arrived: (count) =>
      new Promise((resolve) => (requests.length >= count ? resolve() : waiting.push({ count, resolve }))),
    close,
  });
  return { take, double };
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
