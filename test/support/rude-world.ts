/** A server of OpenEnv that answers as a test tells it to, on a real socket, for tests of its clients. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";
import { WebSocketServer, type WebSocket } from "ws";

export interface RudeOptions {
  /** Called for every message with its place, counted from 0 on each connection. */
  readonly answer?: (
    socket: WebSocket,
    message: { readonly type: string; readonly data?: unknown },
    place: number,
  ) => void;
  readonly onConnection?: (socket: WebSocket) => void;
  /** Bodies of the routes, in the place of the usual ones. */
  readonly routes?: Readonly<Record<string, string>>;
}

export const ACTION_SCHEMA = {
  type: "object",
  properties: { message: { type: "string" }, metadata: { type: "object" } },
  required: ["message"],
  additionalProperties: false,
};

export function say(socket: WebSocket, type: string, data: unknown): void {
  socket.send(JSON.stringify({ type, data }));
}

export function show(socket: WebSocket, observation: unknown, reward: unknown = null, done = false): void {
  say(socket, "observation", { observation, reward, done });
}

/** Its address; closed when the tests of the file are over. */
export async function rudeWorld(options: RudeOptions = {}): Promise<string> {
  const routes: Readonly<Record<string, string>> = {
    "/metadata": JSON.stringify({ name: "rude world", description: "Say something." }),
    "/schema": JSON.stringify({ action: ACTION_SCHEMA, observation: {}, state: {} }),
    ...options.routes,
  };
  const http = createServer((request, response) => {
    const body = routes[request.url ?? ""];
    response.writeHead(body === undefined ? 404 : 200);
    response.end(body);
  });
  const sockets = new WebSocketServer({ server: http, path: "/ws" });
  sockets.on("connection", (socket) => {
    let place = 0;
    options.onConnection?.(socket);
    socket.on("message", (data) => {
      const message = JSON.parse((data as Buffer).toString()) as { type: string; data?: unknown };
      options.answer?.(socket, message, place);
      place += 1;
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  afterAll(() => {
    for (const socket of sockets.clients) socket.terminate();
    http.closeAllConnections();
    http.close();
  });
  return `ws://127.0.0.1:${(http.address() as AddressInfo).port}`;
}
