/** What the cases work with: plain requests and plain frames, because a client would smooth over what they look for. */
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { WebSocket } from "ws";
import { Differs, expectThat, rawRequests, type CaseKind, type CaseTable } from "limbeck-base/base/conformance";
import { isObject, parseObject, type JsonObject } from "limbeck-base/base/json";
import { throwIfAborted } from "limbeck-base/base/errors";
import type { ServerAddress } from "../address.ts";
import type { ServerDescription } from "../discover.ts";
import { loadWebSocket } from "../socket.ts";

export interface RawMessage {
  readonly type: string;
  readonly data: JsonObject;
}

/** Without the types of `ws`, which a user may not have. */
export interface RawSocket {
  send(text: string): void;
  /** The next message that comes. */
  next(): Promise<RawMessage>;
  ask(message: JsonObject): Promise<RawMessage>;
  /** Asks and expects that kind of answer. */
  want(message: JsonObject, type: string): Promise<JsonObject>;
  /** The code the server closed with. */
  closed(): Promise<number>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

export type OpenEnvBench = ReturnType<typeof createBench>;

interface BenchOptions {
  readonly address: ServerAddress;
  readonly server: ServerDescription;
  /** One that the schema allows. */
  readonly action: JsonObject;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

export const STATE: JsonObject = { type: "state" };

/** A place that a connection has left is free a moment later. */
const FULL_ATTEMPTS = 20;
const FULL_DELAY_MS = 100;

/** A case that has a connection of its own. */
export function onSocket(
  title: string,
  kind: CaseKind,
  run: (socket: RawSocket, bench: OpenEnvBench) => Promise<string | void>,
): CaseTable<OpenEnvBench>[string] {
  return { title, kind, run: (bench) => bench.withSocket((socket) => run(socket, bench)) };
}

export function createBench({ address, server, action, timeoutMs, signal }: BenchOptions) {
  const request = rawRequests(address.http, address.headers, { timeoutMs, signal });
  const connect = async (): Promise<RawSocket> => {
    throwIfAborted(signal);
    const ws = await loadWebSocket();
    return await rawSocket(new ws.WebSocket(address.socket, { headers: { ...address.headers } }), timeoutMs);
  };
  const placed = async (): Promise<RawSocket> => {
    for (let attempt = 1; ; attempt += 1) {
      const socket = await connect();
      const { type, data } = await socket.ask(STATE);
      if (type !== "error" || data["code"] !== "CAPACITY_REACHED" || attempt >= FULL_ATTEMPTS) return socket;
      await socket.close();
      await sleep(FULL_DELAY_MS);
    }
  };
  return {
    server,
    action,
    get: (path: string) => request("GET", path),
    post: (path: string, body: JsonObject) => request("POST", path, body),
    /** A connection as it comes, refused or not. */
    connect,
    /** A connection that holds a place, waited for where the server is full; closed afterwards. */
    withSocket: async <T>(work: (socket: RawSocket) => Promise<T>): Promise<T> => {
      const socket = await placed();
      try {
        return await work(socket);
      } finally {
        await socket.close();
      }
    },
  };
}

async function rawSocket(socket: WebSocket, timeoutMs: number): Promise<RawSocket> {
  const inbox: RawMessage[] = [];
  const wake: (() => void)[] = [];
  let code: number | undefined;
  const stir = (): void => {
    for (const one of wake.splice(0)) one();
  };
  socket.on("message", (data, isBinary) => {
    const message = isBinary ? undefined : parseObject((data as Buffer).toString());
    const { type, data: body } = message ?? {};
    inbox.push({ type: typeof type === "string" ? type : "", data: isObject(body) ? body : {} });
    stir();
  });
  socket.on("close", (given) => {
    code = given;
    stir();
  });
  await once(socket, "open", { signal: AbortSignal.timeout(timeoutMs) });
  // The next request fails, with an error.
  socket.on("error", () => undefined);

  const until = async <T>(look: () => T | undefined, what: string): Promise<T> => {
    const limit = AbortSignal.timeout(timeoutMs);
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      if (limit.aborted) throw new Differs(`${what} did not come within ${timeoutMs} ms`);
      await new Promise<void>((resolve) => {
        wake.push(resolve);
        limit.addEventListener("abort", () => resolve(), { once: true });
      });
    }
  };
  const next = (): Promise<RawMessage> =>
    until(() => {
      const message = inbox.shift();
      if (message === undefined && code !== undefined) throw new Differs(`the server closed with code ${code}`);
      return message;
    }, "an answer");
  const ask = async (message: JsonObject): Promise<RawMessage> => {
    socket.send(JSON.stringify(message));
    return await next();
  };
  const closed = (): Promise<number> => until(() => code, "the end of the connection");
  return {
    send: (text: string) => socket.send(text),
    /** The next message that comes. */
    next,
    ask,
    /** Asks and expects that kind of answer. */
    want: async (message: JsonObject, type: string): Promise<JsonObject> => {
      const answer = await ask(message);
      const shown = `${answer.type} ${JSON.stringify(answer.data)}`.slice(0, 160);
      expectThat(answer.type === type, `${JSON.stringify(message["type"])} was answered with ${shown}`);
      return answer.data;
    },
    /** The code the server closed with. */
    closed,
    ping: async (): Promise<void> => {
      let heard = false;
      socket.once("pong", () => {
        heard = true;
        stir();
      });
      socket.ping();
      await until(() => (heard ? true : undefined), "a pong");
    },
    close: async (): Promise<void> => {
      socket.close(1000);
      const timer = setTimeout(() => socket.terminate(), 2_000);
      await closed().finally(() => clearTimeout(timer));
    },
  };
}
