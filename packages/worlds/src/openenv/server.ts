/** Offers a world in the OpenEnv protocol: one connection, one episode at a time. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { z } from "zod";
import { checkOptions, may } from "limbeck-base/base/options";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { createRng } from "limbeck-base/base/rng";
import { lookUp } from "limbeck-base/base/registry";
import { parseJson, type JsonObject } from "limbeck-base/base/json";
import { accessOf, type Routes, type ServerAccess } from "limbeck-base/base/access";
import { bearerOf, createGuard, createGuardedServer, type Refusal } from "limbeck-base/base/guarded-server";
import { closeServer, isLoopback, listenAt } from "limbeck-base/base/listen";
import { metric } from "limbeck-base/base/prometheus";
import { readBytes } from "limbeck-base/base/http";
import type { Env } from "limbeck-core/env/env";
import { advice, type Demonstrator } from "limbeck-core/env/expert";
import { createSession, problem, chooseTask, type ServedWorld } from "./serve-session.ts";
import { loadWebSocket } from "./socket.ts";
import { AdviceData, OwnObservation, StepData, type Extension } from "./wire.ts";

export interface EnvServerOptions extends ServerAccess {
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
}

export const ENV_SERVER_CHECKS = { port: may.port, maxSessions: may.count, silenceMs: may.positive } as const;

export interface EnvServer {
  readonly url: string;
  readonly port: number;
  /** Connections that hold a place now. */
  sessions(): number;
  close(): Promise<void>;
}

/** No episode is kept here, so playing changes nothing. */
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
  const { tokens } = options;
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
    ...accessOf(options),
    secret: key,
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
  const { message } = problem("CAPACITY_REACHED", `All ${maxSessions} places are taken; try again later.`, {
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
  // A client that is refused may be gone before it has the answer.
  socket.on("error", () => undefined);
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

// The routes beside the socket: what the server is, its tasks, and the protocol's stateless forms.

interface RouteReply {
  readonly status: number;
  readonly json: JsonObject;
}

interface Described {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** False where the world cannot fork. */
  readonly snapshot: boolean;
}

const MAX_PAGE = 1_000;
const Page = z.object({
  split: z.string(),
  offset: z.coerce.number().int().min(0).default(0),
  count: z.coerce.number().int().min(0).max(MAX_PAGE).default(100),
});

async function answerRoute(
  world: ServedWorld,
  described: Described,
  request: { readonly method: string; readonly url: URL; readonly body: string },
): Promise<RouteReply> {
  const { method, url, body } = request;
  switch (`${method} ${url.pathname}`) {
    case "GET /health":
      return ok({ status: "healthy" });
    case "GET /metadata":
      return ok({ ...metadata(described), limbeck: extensionOf(world, described) });
    case "GET /schema":
      return ok(schemas());
    case "GET /tasks":
      return await tasks(world, url);
    case "GET /state":
      return ok({ episode_id: null, step_count: 0 });
    case "POST /advice":
      return await advise(world, body);
    case "POST /reset":
      return await reset(world, body);
    case "POST /step":
      return {
        status: 409,
        json: { detail: "Episodes live on the socket /ws; a step over HTTP has none to go on with." },
      };
    default:
      return { status: 404, json: { detail: "Not Found" } };
  }
}

function ok(json: JsonObject): RouteReply {
  return { status: 200, json };
}

function metadata({ name, description, version }: Described): JsonObject {
  return { name, description, version, author: null, readme_content: null, documentation_url: null };
}

function extensionOf({ env, demonstrators = {} }: ServedWorld, { snapshot }: Described): Extension {
  const sizes = Object.entries(env.splits).map(([split, size]) => [split, Number.isFinite(size) ? size : null]);
  return {
    version: 1,
    snapshot,
    maxSteps: env.maxSteps,
    splits: Object.fromEntries(sizes) as Record<string, number | null>,
    demonstrators: Object.entries(demonstrators).map(([id, { summary }]) => ({ id, summary })),
  };
}

function schemas(): JsonObject {
  const state = {
    type: "object",
    title: "State",
    properties: { episode_id: { anyOf: [{ type: "string" }, { type: "null" }] }, step_count: { type: "integer" } },
  };
  const [action, observation] = [StepData, OwnObservation].map((schema) => z.toJSONSchema(schema, { io: "input" }));
  // What zod writes is JSON; its type says "unknown" in places.
  return { action, observation, state } as unknown as JsonObject;
}

async function tasks({ env }: ServedWorld, url: URL): Promise<RouteReply> {
  const asked = Page.safeParse(Object.fromEntries(url.searchParams));
  if (!asked.success) return { status: 422, json: { detail: z.prettifyError(asked.error) } };
  const { split, offset, count } = asked.data;
  const found: JsonObject[] = [];
  try {
    for await (const { id, seed, goal } of env.tasks(split, { offset, count })) {
      found.push({ id, seed, goal, index: offset + found.length });
    }
  } catch (error) {
    if (errorCode(error) !== "unknown-name" || !(error instanceof EngineError)) throw error;
    return { status: 404, json: { detail: error.message } };
  }
  return ok({ tasks: found });
}

/** What a demonstrator would do. It has seen what the client has seen: the past comes with the question. */
async function advise(world: ServedWorld, body: string): Promise<RouteReply> {
  const asked = AdviceData.safeParse(bodyOf(body));
  if (!asked.success) return { status: 422, json: { detail: z.prettifyError(asked.error) } };
  const { demonstrator: id, seed, past, ...place } = asked.data;
  try {
    const demonstrator = lookUp(world.demonstrators ?? {}, id, "demonstrator");
    const seen = past.map(({ action, observation, admissible }) => ({
      action: action ?? undefined,
      observation,
      admissible: admissible ?? undefined,
    }));
    return ok({ action: (await advice(demonstrator, await chooseTask(world, place), seen, createRng(seed))) ?? null });
  } catch (error) {
    // A script that meets a past it does not understand may throw whatever it likes.
    return { status: 422, json: { detail: error instanceof Error ? error.message : String(error) } };
  }
}

/** A world of its own for the request, gone with the answer; the protocol has it so. */
async function reset(world: ServedWorld, body: string): Promise<RouteReply> {
  const session = createSession(world);
  try {
    const { message } = await session.handle(resetMessage(body));
    const data = (message?.["data"] ?? {}) as JsonObject;
    return message?.["type"] === "observation" ? ok(data) : { status: 422, json: { detail: data } };
  } finally {
    await session.close();
  }
}

/** What can be read may still be nested too deeply to be written; the session then says what is wrong with it. */
function resetMessage(body: string): string {
  try {
    return JSON.stringify({ type: "reset", data: bodyOf(body) });
  } catch {
    return JSON.stringify({ type: "reset", data: "nested too deeply" });
  }
}

function bodyOf(text: string): unknown {
  return text === "" ? {} : (parseJson(text) ?? null);
}
