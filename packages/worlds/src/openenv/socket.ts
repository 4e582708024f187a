/**
 * One connection: requests go out one at a time and are answered in order.
 *
 * Whatever breaks that order (silence past the limit, a frame that is no message, an unasked answer, a cut
 * connection, a cancelled request) ends the connection for good: it would be unknown which answer belongs to
 * which request. Pings are answered by the library while a model thinks.
 */
import type * as Ws from "ws";
import type { RawData, WebSocket } from "ws";
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import type { EngineErrorCode } from "limbeck-base/base/error-codes";
import { optionalPart } from "limbeck-base/base/optional-part";
import type { ServerAddress } from "./address.ts";
import type { Limits } from "./discover.ts";
import { cleanText } from "./text.ts";
import { ServerMessage, type ClientMessage } from "./wire.ts";

export interface Socket {
  /** The answer, which may be the server's own "error" message. Rejects when the connection is lost. */
  ask(message: ClientMessage, signal?: AbortSignal): Promise<ServerMessage>;
  readonly lost: EngineError | undefined;
  close(): Promise<void>;
}

interface Pending {
  readonly resolve: (message: ServerMessage) => void;
  readonly reject: (error: unknown) => void;
}

/** The Python client's limit too. */
const MAX_MESSAGE_BYTES = 100 * 1024 * 1024;
const CLOSE_MS = 2_000;

export async function openSocket(address: ServerAddress, limits: Limits, signal?: AbortSignal): Promise<Socket> {
  throwIfAborted(signal);
  const ws = await loadWebSocket();
  throwIfAborted(signal);
  const socket = new ws.WebSocket(address.socket, {
    handshakeTimeout: limits.connectTimeoutMs,
    maxPayload: MAX_MESSAGE_BYTES,
    headers: { ...address.headers },
  });
  // Before it is open: a full server's refusal may come together with the handshake.
  const wrapped = wrap(socket, address, limits);
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      socket.terminate();
      reject(new EngineError("cancelled", "The work was cancelled.", { cause: signal?.reason }));
    };
    signal?.addEventListener("abort", stop, { once: true });
    socket.once("open", () => {
      signal?.removeEventListener("abort", stop);
      resolve();
    });
    socket.once("error", (cause) => {
      signal?.removeEventListener("abort", stop);
      reject(unreachable(address, cause));
    });
  });
  return wrapped;
}

function wrap(socket: WebSocket, { shown }: ServerAddress, { timeoutMs }: Limits): Socket {
  let lost: EngineError | undefined;
  let closing = false;
  let pending: Pending | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  const lose = (code: EngineErrorCode, what: string, cause?: unknown): EngineError => {
    lost ??= new EngineError(code, `The OpenEnv server at ${shown} ${what}`, { cause });
    socket.terminate();
    pending?.reject(lost);
    pending = undefined;
    return lost;
  };
  socket.on("error", (cause) => lose("server-lost", `broke the connection: ${cleanText(cause.message, 200)}.`, cause));
  socket.on("close", (code) => {
    if (!closing || pending !== undefined) lose("server-lost", `closed the connection (code ${code}).`);
  });
  socket.on("message", (data, isBinary) => {
    if (lost !== undefined) return;
    const message = isBinary ? undefined : readMessage(data);
    if (message === undefined) lose("server-nonsense", "sent a frame that is not a message of OpenEnv.");
    else if (pending !== undefined) {
      const { resolve } = pending;
      pending = undefined;
      resolve(message);
    }
    // A full server says so before it is asked anything; the request that comes next gets this answer.
    else if (message.type === "error") lose(codeOf(message.data.code), saidBy(message));
    else lose("server-nonsense", `sent "${message.type}" without being asked.`);
  });

  const askNow = async (message: ClientMessage, signal: AbortSignal | undefined): Promise<ServerMessage> => {
    throwIfAborted(signal);
    if (lost !== undefined) throw lost;
    if (closing) throw new EngineError("server-lost", `The connection to ${shown} is closed.`);
    let timer: NodeJS.Timeout | undefined;
    const stop = (): void => {
      pending?.reject(new EngineError("cancelled", "The work was cancelled.", { cause: signal?.reason }));
      pending = undefined;
      lose("server-lost", "was left during a request, so what it did is unknown.");
    };
    try {
      return await new Promise<ServerMessage>((resolve, reject) => {
        pending = { resolve, reject };
        timer = setTimeout(() => {
          lose("timeout", `did not answer "${message.type}" within ${timeoutMs} ms; raise timeoutMs to wait longer.`);
        }, timeoutMs);
        signal?.addEventListener("abort", stop, { once: true });
        socket.send(JSON.stringify(message));
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  };

  return {
    ask: (message, signal) => {
      const answer = turn.then(() => askNow(message, signal));
      // The caller gets its failure; the next request has its turn all the same.
      turn = answer.catch(() => undefined);
      return answer;
    },
    get lost() {
      return lost;
    },
    close: async () => {
      if (closing) return;
      closing = true;
      if (socket.readyState !== socket.CLOSED) await closed(socket);
    },
  };
}

/** A server that does not answer the farewell is cut off. */
async function closed(socket: WebSocket): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => socket.terminate(), CLOSE_MS);
    socket.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
    socket.close(1000);
  });
}

/** What a server's own complaint means for the player. */
function codeOf(code: string): EngineErrorCode {
  return code === "CAPACITY_REACHED" ? "server-full" : "server-lost";
}

function saidBy({ data }: Extract<ServerMessage, { type: "error" }>): string {
  return `refused: ${cleanText(data.code, 60)} ${cleanText(data.message, 300)}`;
}

/** The server's refusal as an error. */
export function refusal(message: Extract<ServerMessage, { type: "error" }>, shown: string): EngineError {
  const { code } = message.data;
  return new EngineError(codeOf(code), `The OpenEnv server at ${shown} ${saidBy(message)}`, {
    details: { wireCode: cleanText(code, 60) },
  });
}

function readMessage(data: RawData): ServerMessage | undefined {
  try {
    const text = Array.isArray(data) ? Buffer.concat(data).toString() : Buffer.from(data as Buffer).toString();
    return ServerMessage.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function unreachable({ shown }: ServerAddress, cause: Error): EngineError {
  const why = cleanText(cause.message, 200);
  const refused = /\b(401|403)\b/.test(why);
  return refused
    ? new EngineError("needs-key", `The server at ${shown} asks for another key; give it as key=….`, { cause })
    : new EngineError("server-unreachable", `No socket at ${shown}/ws (${why}). Is it an OpenEnv server?`, { cause });
}

// Sockets for both ends of the protocol, an optional package.

export async function loadWebSocket(): Promise<Pick<typeof Ws, "WebSocket" | "WebSocketServer">> {
  return await optionalPart("openenv", () => import("ws"));
}
