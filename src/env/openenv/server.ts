/** Offers a world in the OpenEnv protocol: one connection, one episode at a time. */
import { checkOptions, may } from "../../base/options.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { EngineError } from "../../base/index.ts";
import type { Audit, Routes, Tokens } from "../../base/access.ts";
import { bearerOf, createGuard, createGuardedServer, type Refusal } from "../../base/guarded-server.ts";
import type { Tls } from "../../base/tls.ts";
import { closeServer, isLoopback, listenAt } from "../../base/listen.ts";
import { metric } from "../../base/prometheus.ts";
import { readBytes } from "../../base/http.ts";
import type { Env } from "../env.ts";
import type { Demonstrator } from "../expert.ts";
import { answerRoute, type Described } from "./serve-routes.ts";
import { createSession, refused, type ServedWorld } from "./serve-session.ts";
import { loadWebSocket } from "./web-socket.ts";

export interface EnvServerOptions {
  readonly env: Env;
  /** Scripted agents of the world, which clients may ask what they would do; the expert first. Default: the env's own. */
  readonly demonstrators?: Readonly<Record<string, Demonstrator>>;
  readonly version?: string;
  /** Default: 127.0.0.1, this machine only. Any other address needs a key, or `open`. */
  readonly host?: string;
  /** Default: any free one. */
  readonly port?: number;
  /** Clients send it as a bearer token. Default: none is asked for. */
  readonly key?: string;
  /** Lets every machine in without a key; clients of other makes cannot send one. */
  readonly open?: boolean;
  /** Episodes at the same time. Default: 256. */
  readonly maxSessions?: number;
  /** False for a world that cannot fork. Default: true. */
  readonly snapshot?: boolean;
  /** A client that answers no ping for this long is gone. Default: five minutes. */
  readonly silenceMs?: number;
  readonly onProblem?: (message: string) => void;
  /** Certificate and key, as PEM texts. Default: plain HTTP. */
  readonly tls?: Tls | undefined;
  /** Tokens of people and programs, with their roles. Default: none. */
  readonly tokens?: Tokens | undefined;
  /** Told of what is refused and what changes something. Default: nobody. */
  readonly audit?: Audit | undefined;
}

export const ENV_SERVER_CHECKS = { port: may.port, maxSessions: may.count, silenceMs: may.positive } as const;

export interface EnvServer {
  readonly url: string;
  readonly port: number;
  /** Connections that hold a place now. */
  sessions(): number;
  close(): Promise<void>;
}

/** Episodes are kept by nobody here, so playing changes nothing. */
export const WORLD_ROUTES = {
  "GET /health": "open",
  "GET /metadata": "read",
  "GET /schema": "read",
  "GET /tasks": "read",
  "GET /state": "read",
  "GET /ws": "read",
  "POST /advice": "read",
  "POST /reset": "read",
  "POST /step": "read",
} as const satisfies Routes;

const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** Requests a client may send ahead of their answers. */
const MAX_WAITING = 64;

/**
 * Listens until `close`.
 *
 * @example
 * const server = await startEnvServer({ env: await openEnv("countdown") });
 * console.log((await fetch(`${server.url}/health`)).status); // 200
 * await server.close();
 */
export async function startEnvServer(options: EnvServerOptions): Promise<EnvServer> {
  checkOptions("startEnvServer", options, ENV_SERVER_CHECKS);
  const { env, host = "127.0.0.1", port = 0, key, maxSessions = 256, silenceMs = 300_000, onProblem } = options;
  const { tokens, audit } = options;
  if (!isLoopback(host) && (key ?? "") === "" && tokens === undefined && options.open !== true) {
    throw new EngineError(
      "needs-key",
      `A world served on ${host} can be reached from other machines; give it a key (LIMBECK_OPENENV_KEY) or tokens (--tokens FILE), let everyone in (--open), or stay on 127.0.0.1.`,
    );
  }
  let handedOut = 0;
  const demonstrators = options.demonstrators ?? env.demonstrators ?? {};
  const world: ServedWorld = { env, demonstrators, snapshots: new Map(), onProblem, nextIndex: () => handedOut++ };
  const described: Described = {
    name: env.id,
    description: env.summary,
    version: options.version ?? "0",
    snapshot: options.snapshot !== false,
  };
  const guarded = {
    name: "world",
    host,
    tls: options.tls,
    secret: key,
    tokens,
    audit,
    routes: WORLD_ROUTES,
    shownBy: ({ headers }: IncomingMessage) => bearerOf(headers),
    mostBytes: MAX_MESSAGE_BYTES,
    refuse: (response: ServerResponse, { status, message }: Refusal): void =>
      send(response, status, { detail: message }),
    numbers: () => [metric("gauge", "limbeck_world_sessions", "Episodes that are played.", served.size)],
  };
  const guard = createGuard(guarded);
  const http = createGuardedServer(guarded, (request, response) => {
    void route(world, described, request)
      .catch((error: unknown) => {
        onProblem?.(error instanceof Error ? error.message : String(error));
        return { status: 500, json: { detail: "The server failed." } };
      })
      .then(({ status, json }) => send(response, status, json));
  });
  const { WebSocketServer } = await loadWebSocket();
  const served = new Set<WebSocket>();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES });
  http.on("upgrade", (request, socket, head) => {
    // Not through URL, which throws at "//"; an error here would end the process.
    const [path] = (request.url ?? "").split("?");
    const refusal = guard.refusalOf(request);
    const status = refusal?.status ?? (path === "/ws" ? undefined : 404);
    if (refusal !== undefined) guard.note(request, refusal.status, refusal);
    if (status !== undefined) return turnAway(socket, status);
    sockets.handleUpgrade(request, socket, head, (client) => {
      if (served.size >= maxSessions) return full(client, maxSessions);
      served.add(client);
      client.once("close", () => served.delete(client));
      serve(client, world, silenceMs);
    });
  });
  const listening = await listenAt(http, { host, port }, "The world");
  return {
    ...listening,
    sessions: () => served.size,
    close: async () => {
      for (const client of sockets.clients) client.terminate();
      sockets.close();
      await closeServer(http);
    },
  };
}

function serve(client: WebSocket, world: ServedWorld, silenceMs: number): void {
  const session = createSession(world);
  let turn: Promise<void> = Promise.resolve();
  let waiting = 0;
  let heard = true;
  const pulse = setInterval(() => {
    if (!heard) return client.terminate();
    heard = false;
    client.ping();
  }, silenceMs);
  pulse.unref();
  client.on("pong", () => {
    heard = true;
  });
  // The close that follows is what counts.
  client.on("error", () => undefined);
  client.on("message", (data, isBinary) => {
    heard = true;
    waiting += 1;
    if (waiting > MAX_WAITING) return client.close(1008, "Wait for answers before you ask on.");
    const text = isBinary ? "" : (data as Buffer).toString();
    turn = turn.then(async () => {
      waiting -= 1;
      if (client.readyState !== client.OPEN) return;
      const { message, close = false } = await session.handle(text);
      if (message !== undefined) client.send(JSON.stringify(message));
      if (close) client.close(1000);
    });
  });
  client.on("close", () => {
    clearInterval(pulse);
    void turn
      .then(() => session.close())
      .catch((error: unknown) => world.onProblem?.(error instanceof Error ? error.message : String(error)));
  });
}

function full(client: WebSocket, maxSessions: number): void {
  const { message } = refused("CAPACITY_REACHED", `All ${maxSessions} places are taken; try again later.`, {
    active_sessions: maxSessions,
    max_sessions: maxSessions,
  });
  // The close that follows is what counts.
  client.on("error", () => undefined);
  client.send(JSON.stringify(message));
  client.close(1000);
}

async function route(
  world: ServedWorld,
  described: Described,
  request: IncomingMessage,
): Promise<{ readonly status: number; readonly json: object }> {
  const { method = "GET" } = request;
  const url = new URL(request.url ?? "/", "http://world");
  const body = method === "POST" ? (await readBytes(request, MAX_MESSAGE_BYTES))?.toString() : "";
  if (body === undefined) return { status: 413, json: { detail: "The body is too large." } };
  return await answerRoute(world, described, { method, url, body });
}

function send(response: ServerResponse, status: number, json: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(json));
}

function turnAway(socket: Duplex, status: number): void {
  // Whoever is turned away may be gone before it hears so.
  socket.on("error", () => undefined);
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
