/**
 * Passes a request on to the provider and its answer back, byte for byte and piece by piece; a copy of both goes to the
 * listener. `node:http` on both sides and no framework between: pieces are written the moment they come, the pace of the
 * slower side is kept, and a client that leaves takes the provider's connection with it.
 */
import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { BROKEN_OFF, CLIENT_LEFT, unreachable as noProvider, type Fault } from "limbeck-recorder/lines";
import { HEADER_PREFIX } from "./route.ts";

export interface Listener {
  /** The whole body of the request, once it was passed on; undefined where it was too large to keep. */
  asked(body: Buffer | undefined): void;
  answering(status: number, contentType: string, encoding: string): void;
  piece(bytes: Buffer): void;
  /** Once. `fault` when it did not end as it should. */
  end(fault?: Fault): void;
}

export interface Forwarder {
  forward(request: IncomingMessage, response: ServerResponse, target: URL, listener: Listener): void;
  close(): void;
}

export interface ForwarderOptions {
  /** A provider that says nothing for so long is given up. Default: 10 minutes. */
  readonly timeoutMs?: number;
  /** Callback for faults in here; the request with the fault is ended, and no other. */
  readonly onError: (error: unknown) => void;
}

/** Beyond this a request is passed on and not recorded. */
const LONGEST_REQUEST = 64 * 1024 * 1024;
/** Belong to one connection, not to the message. */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

export function createForwarder(options: ForwarderOptions): Forwarder {
  const timeoutMs = options.timeoutMs ?? 600_000;
  const agents = {
    "http:": new HttpAgent({ keepAlive: true, maxSockets: Infinity }),
    "https:": new HttpsAgent({ keepAlive: true, maxSockets: Infinity }),
  };
  return {
    forward: (request, response, target, listener) => {
      const secure = target.protocol === "https:";
      const send = secure ? httpsRequest : httpRequest;
      const connect = (kept: boolean): ClientRequest =>
        send(target, {
          method: request.method ?? "GET",
          headers: requestHeaders(request, target),
          agent: kept && (secure ? agents["https:"] : agents["http:"]),
          timeout: timeoutMs,
        });
      relay(request, response, connect, once(listener), { timeoutMs, onError: options.onError });
    },
    close: () => {
      agents["http:"].destroy();
      agents["https:"].destroy();
    },
  };
}

function relay(
  request: IncomingMessage,
  response: ServerResponse,
  connect: (kept: boolean) => ClientRequest,
  listener: Listener,
  { timeoutMs, onError }: Required<ForwarderOptions>,
): void {
  let outgoing = connect(true);
  const fail = (status: number, fault: Fault): void => {
    listener.end(fault);
    outgoing.destroy();
    if (response.headersSent) response.destroy();
    else sendFault(response, status, fault);
  };
  /** The last guard: what is thrown while one answer passes ends that answer, not the proxy. */
  const guarded =
    <Given extends unknown[]>(work: (...given: Given) => void) =>
    (...given: Given): void => {
      try {
        work(...given);
      } catch (error) {
        onError(error);
        fail(502, { code: "proxy-failed", message: "The proxy could not pass this answer on; its log says why." });
      }
    };
  response.on("error", onError);
  const sendBodyAgain = passBody(request, () => outgoing, listener);
  const unreachable = ({ message }: Error): void => fail(502, noProvider(message));
  const attend = (current: ClientRequest, retry: boolean): void => {
    current.on("timeout", () => {
      fail(504, { code: "provider-timeout", message: `The provider said nothing for ${timeoutMs} ms.` });
    });
    current.on("error", (error) => {
      if (current !== outgoing) return;
      if (!retry || !wasIdle(current, error) || response.headersSent || response.destroyed) return unreachable(error);
      outgoing = connect(false);
      attend(outgoing, false);
      if (!sendBodyAgain()) unreachable(error);
    });
    // An answer that is none, such as another protocol, closes without a word.
    current.on("close", () => {
      if (current !== outgoing || response.headersSent) return;
      unreachable(new Error("it closed the connection without an answer"));
    });
    current.on(
      "response",
      guarded((incoming) => passAnswer(incoming, response, listener, fail, guarded)),
    );
  };
  attend(outgoing, true);
  response.on("close", () => {
    if (response.writableFinished) return;
    listener.end(CLIENT_LEFT);
    outgoing.destroy();
  });
}

/** A kept connection that the provider closed while the request was on its way: the request was not answered, and a new one will be. */
function wasIdle(outgoing: ClientRequest, error: Error): boolean {
  return outgoing.reusedSocket && ["ECONNRESET", "EPIPE"].includes((error as NodeJS.ErrnoException).code ?? "");
}

type Fail = (status: number, fault: Fault) => void;
type Guarded = <Given extends unknown[]>(work: (...given: Given) => void) => (...given: Given) => void;

function passAnswer(
  incoming: IncomingMessage,
  response: ServerResponse,
  listener: Listener,
  fail: Fail,
  guarded: Guarded,
): void {
  const { statusCode: status = 0, headers } = incoming;
  // Below 200 an answer is still to come; there is none of these.
  if (status < 200 || status > 999) {
    incoming.resume();
    fail(502, { code: "bad-answer", message: `The provider answered with status ${status}, which is none.` });
    return;
  }
  listener.answering(status, headers["content-type"] ?? "", headers["content-encoding"] ?? "");
  response.writeHead(status, responseHeaders(incoming));
  response.flushHeaders();
  incoming.on(
    "data",
    guarded((bytes: Buffer) => {
      if (!response.write(bytes)) {
        incoming.pause();
        response.once("drain", () => incoming.resume());
      }
      listener.piece(bytes);
    }),
  );
  incoming.on(
    "end",
    guarded(() => {
      response.end();
      listener.end();
    }),
  );
  incoming.on("error", () => fail(502, BROKEN_OFF));
  incoming.on("aborted", () => fail(502, BROKEN_OFF));
}

/** Gives a function that sends what has come so far once more; false where it was too large to keep. */
function passBody(request: IncomingMessage, outgoing: () => ClientRequest, listener: Listener): () => boolean {
  const pieces: Buffer[] = [];
  let length = 0;
  const send = (bytes: Buffer): void => {
    if (outgoing().write(bytes)) return;
    request.pause();
    outgoing().once("drain", () => request.resume());
  };
  request.on("data", (bytes: Buffer) => {
    send(bytes);
    length += bytes.length;
    if (length <= LONGEST_REQUEST) pieces.push(bytes);
    else pieces.length = 0;
  });
  request.on("end", () => {
    outgoing().end();
    listener.asked(length <= LONGEST_REQUEST ? Buffer.concat(pieces) : undefined);
  });
  request.on("error", () => outgoing().destroy());
  return () => {
    if (length > LONGEST_REQUEST) return false;
    for (const bytes of pieces) send(bytes);
    if (request.readableEnded) outgoing().end();
    else request.resume();
    return true;
  };
}

/** After the end nothing is heard any more: a failed connection reports itself several times. */
function once(listener: Listener): Listener {
  let open = true;
  return {
    asked: (body) => listener.asked(body),
    answering: (...about) => listener.answering(...about),
    piece: (bytes) => {
      if (open) listener.piece(bytes);
    },
    end: (fault) => {
      if (!open) return;
      open = false;
      listener.end(fault);
    },
  };
}

/** The client's own headers, its key among them, and none of ours. Compression is refused: a copy is read on the way. */
function requestHeaders(request: IncomingMessage, target: URL): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (value === undefined || HOP_BY_HOP.has(name) || name.startsWith(HEADER_PREFIX) || name === "expect") continue;
    headers[name] = value;
  }
  headers["host"] = target.host;
  headers["accept-encoding"] = "identity";
  return headers;
}

/** As they came, in their order and case, without those of the connection. */
function responseHeaders(incoming: IncomingMessage): string[] {
  const kept: string[] = [];
  for (let index = 0; index < incoming.rawHeaders.length; index += 2) {
    const [name = "", value = ""] = incoming.rawHeaders.slice(index, index + 2);
    if (!HOP_BY_HOP.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

/** An error of the proxy in the form both interfaces use. */
export function sendFault(response: ServerResponse, status: number, fault: Fault): void {
  if (response.headersSent) return;
  const body = JSON.stringify({ type: "error", error: { type: fault.code, code: fault.code, message: fault.message } });
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}
