/** A server that answers each path with what the test says, in turn; the last answer is repeated. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach } from "vitest";
import type { ChatClock } from "../../packages/policy/src/policy/chat/retry.ts";

export interface ScriptedAnswer {
  readonly status?: number;
  /** JSON, or a text as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Breaks the connection instead of answering. */
  readonly drop?: boolean;
}

export interface Asked {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage["headers"];
}

export interface ScriptedTrainer {
  readonly url: string;
  readonly asked: Asked[];
  /** Waits that the client made, in milliseconds; none of them takes any time. */
  readonly waits: number[];
  readonly clock: ChatClock;
}

type Script = Readonly<Record<string, readonly (ScriptedAnswer | ((asked: Asked) => ScriptedAnswer))[]>>;

/** What every connection asks for first. */
const WELCOME: Script = {
  "/": [{ status: 404 }],
  "/api/v1/get_server_capabilities": [{ body: { supported_models: [{ model_name: "base" }] } }],
  "/api/v1/client/config": [{ body: {} }],
  "/api/v1/create_session": [{ body: { session_id: "session_1" } }],
  "/api/v1/session_heartbeat": [{ body: { type: "session_heartbeat" } }],
  "/api/v1/create_model": [{ body: { model_id: "model_1", request_id: "1" } }],
  "/api/v1/unload_model": [{ body: { request_id: "1" } }],
};

/** Call once in a test file; the result starts a server that is gone after the test. */
export function scriptedTrainers(): (script: Script) => Promise<ScriptedTrainer> {
  const open: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });
  return async (given) => {
    const script = { ...WELCOME, ...given };
    const asked: Asked[] = [];
    const counts = new Map<string, number>();
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const [path = "/"] = (request.url ?? "/").split("?");
        const text = Buffer.concat(chunks).toString("utf8");
        const own = { path, body: (text === "" ? {} : JSON.parse(text)) as Asked["body"], headers: request.headers };
        asked.push(own);
        const answers = script[path] ?? [{ status: 404, body: { detail: "Not Found" } }];
        const count = counts.get(path) ?? 0;
        counts.set(path, count + 1);
        const chosen = answers[Math.min(count, answers.length - 1)] ?? {};
        const { status = 200, body, headers = {}, drop = false } = typeof chosen === "function" ? chosen(own) : chosen;
        if (drop) return request.socket.destroy();
        response.writeHead(status, headers);
        return response.end(typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    open.push(async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    });
    const waits: number[] = [];
    const clock: ChatClock = {
      now: () => 0,
      delay: (milliseconds) => {
        waits.push(milliseconds);
        return Promise.resolve();
      },
    };
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, waits, clock };
  };
}
