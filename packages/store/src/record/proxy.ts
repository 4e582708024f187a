/** The recording proxy: agents in any language are recorded by changing their base address. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { checkOptions, may } from "limbeck-base/base/options";
import { EngineError, errorData } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { accessOf, type Routes, type ServerAccess } from "limbeck-base/base/access";
import { createGuardedServer } from "limbeck-base/base/guarded-server";
import { listenAt } from "limbeck-base/base/listen";
import { metric } from "limbeck-base/base/prometheus";
import { createForwarder, sendFault, type Forwarder, type Listener } from "./forward.ts";
import { createInbox, type Inbox } from "./inbox.ts";
import type { RecordingsSink } from "./recordings-sink.ts";
import { CallBook, type CallScope, type OpenCall } from "limbeck-recorder/call-book";
import { parseObject, type CallLine, type Fault } from "limbeck-recorder/lines";
import { redactLine } from "limbeck-recorder/queue";
import type { Redactor } from "limbeck-recorder/redact";
import { shapeOf } from "limbeck-recorder/wire/shapes";
import type { RecordedLine } from "../store/formats/recorded-lines.ts";
import { HEADER_PREFIX, readRoute, type Route } from "./route.ts";
import { createAnswerReader, type AnswerReader } from "limbeck-recorder/wire/answer-reader";
import type { Shape } from "limbeck-recorder/wire/shape";

/** Without tokens everything that reaches the proxy may use it. */
export interface ProxyOptions extends ServerAccess {
  readonly recordings: RecordingsSink;
  readonly redactor: Redactor;
  /** Where calls go, with the version: "https://api.openai.com/v1". */
  readonly openai?: string;
  readonly anthropic?: string;
  /** Default: loopback. */
  readonly host?: string;
  /** 0 for any free one. */
  readonly port?: number;
  /** A provider that says nothing for so long is given up. */
  readonly timeoutMs?: number;
  readonly onProblem?: (problem: string) => void;
  /** A token that may do everything. Default: none. */
  readonly token?: string | undefined;
}

export const PROXY_CHECKS = { port: may.port, timeoutMs: may.positive } as const;

export interface Proxy {
  readonly url: string;
  readonly port: number;
  /** Lets open connections finish for a moment, then stores what was recorded. */
  close(): Promise<void>;
}

const DEFAULTS = {
  openai: "https://api.openai.com/v1",
  anthropic: "https://api.anthropic.com/v1",
  host: "127.0.0.1",
} as const;
/** The provider's key stands where other servers look for a token. Headers of this beginning are not passed on. */
const TOKEN_HEADER = `${HEADER_PREFIX}token`;
/** What is passed on is recorded, so every call changes something. */
export const PROXY_ROUTES = {
  "GET /limbeck/health": "read",
  "POST /limbeck/v1/records": "write",
  "POST /limbeck/v1/feedback": "write",
  "POST /limbeck/v1/end": "write",
  "POST /v1/traces": "write",
  "* /*": "write",
} as const satisfies Routes;
const SAVE_MS = 250;
const TICK_MS = 2000;
const CLOSE_MS = 2000;

/**
 * Listens, passes calls on to the provider, and records them. Agents take `url` as their base address.
 *
 * @example
 * import { createRedactor } from "limbeck-recorder";
 *
 * const nothing = () => Promise.resolve();
 * const counts = { open: 0, stored: 0, dropped: 0 };
 * const recordings = { add: console.log, addTrajectory: nothing, save: nothing, tick: nothing, status: () => counts, close: nothing };
 * const proxy = await startProxy({ recordings, redactor: createRedactor() });
 * console.log(proxy.url.startsWith("http://127.0.0.1:")); // true
 * await proxy.close();
 */
export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  checkOptions("startProxy", options, PROXY_CHECKS);
  const { recordings } = options;
  const host = options.host ?? DEFAULTS.host;
  const targets = {
    openai: baseOf(options.openai ?? DEFAULTS.openai),
    anthropic: baseOf(options.anthropic ?? DEFAULTS.anthropic),
  };
  const onError = (error: unknown): void => options.onProblem?.(error instanceof Error ? error.message : String(error));
  const forwarder = createForwarder({ onError, ...withoutUndefined({ timeoutMs: options.timeoutMs }) });
  const inbox = createInbox(options);
  const working = new Set<Promise<void>>();
  const onWork = (work: Promise<void>): void => {
    working.add(work);
    void work.finally(() => working.delete(work));
  };
  const handle = createHandler(options, targets, forwarder, inbox, { onWork, onError });
  const server = createGuardedServer(
    {
      name: "proxy",
      host,
      ...accessOf(options),
      secret: options.token,
      routes: PROXY_ROUTES,
      shownBy: ({ headers }) => [headers[TOKEN_HEADER]].flat()[0],
      unknown: `This proxy needs a token of its own, beside the provider's key; send it as ${TOKEN_HEADER}: TOKEN.`,
      mostBytes: Number.POSITIVE_INFINITY,
      // Agents that run in a page of this machine are asked for nothing.
      pages: "machine",
      refuse: (response, { status, code, message }) => sendFault(response, status, { code, message }),
      numbers: () => {
        const { open, stored, dropped } = recordings.status();
        return [
          metric("gauge", "limbeck_proxy_open_recordings", "Conversations that go on.", open),
          metric("counter", "limbeck_proxy_stored_total", "Trajectories stored.", stored),
          metric("counter", "limbeck_proxy_dropped_total", "Records that were lost.", dropped),
        ];
      },
    },
    (request, response) => void handle(request, response),
  );
  const listening = await listenAt(server, { host, port: options.port ?? 0 }, "The proxy");
  const saving = setInterval(() => void recordings.save(), SAVE_MS);
  const ticking = setInterval(() => void inbox.tick().then(() => recordings.tick()), TICK_MS);
  return {
    ...listening,
    close: async () => {
      clearInterval(saving);
      clearInterval(ticking);
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const late = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
      await closed;
      clearTimeout(late);
      forwarder.close();
      // The last calls enter the book after their answers.
      await new Promise((resolve) => setImmediate(resolve));
      await Promise.all(working);
      await inbox.close();
      await recordings.close();
    },
  };
}

type Targets = { readonly openai: string; readonly anthropic: string };

function createHandler(
  options: ProxyOptions,
  targets: Targets,
  forwarder: Forwarder,
  inbox: Inbox,
  { onWork, onError }: Pick<CallListenerOptions, "onWork" | "onError">,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { recordings, redactor } = options;
  const book = new CallBook({
    newId: () => globalThis.crypto.randomUUID(),
    now: () => Date.now(),
    clock: () => performance.now(),
    write: (line) => recordings.add(redactLine(line, redactor) as RecordedLine),
  });
  const serve = (request: IncomingMessage, response: ServerResponse): void | Promise<void> => {
    const route = routeOf(request, response);
    if (route === undefined) return undefined;
    const { path, scope } = route;
    if (inbox.takes(path)) return inbox.handle(path, request, response);
    const shape = request.method === "POST" ? shapeOf(path) : undefined;
    const keys = keysOf(request);
    const write = (line: CallLine): void => recordings.add(redactLine(line, redactor.with(keys)) as RecordedLine);
    const listener = shape === undefined ? SILENT : createCallListener({ book, scope, shape, write, onError, onWork });
    const toAnthropic = shape?.provider === "anthropic" || request.headers["anthropic-version"] !== undefined;
    const target = targetOf(toAnthropic ? targets.anthropic : targets.openai, path);
    return forwarder.forward(request, response, target, listener);
  };
  // The last guard: what is thrown while one request is served ends that request, not the proxy.
  return async (request, response) => {
    try {
      await serve(request, response);
    } catch (error) {
      onError(error);
      if (response.headersSent) response.destroy();
      else
        sendFault(response, 502, {
          code: "proxy-failed",
          message: "The proxy could not pass this on; its log says why.",
        });
    }
  };
}

/** Undefined where the ids were refused. */
function routeOf(request: IncomingMessage, response: ServerResponse): Route | undefined {
  try {
    return readRoute(request.url ?? "/", request.headers);
  } catch (error) {
    const { code, message } = errorData(error);
    sendFault(response, 400, { code, message });
    return undefined;
  }
}

const SILENT: Listener = {
  asked: () => undefined,
  answering: () => undefined,
  piece: () => undefined,
  end: () => undefined,
};

/** The keys in use: their very letters never reach a record, whatever they look like. */
function keysOf(request: IncomingMessage): string[] {
  const names = ["authorization", "x-api-key", "api-key", "x-goog-api-key"];
  return names.flatMap((name) => {
    const value = request.headers[name];
    return typeof value === "string" ? [value, value.replace(/^\w+\s+/, "")] : [];
  });
}

function baseOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new EngineError(
      "bad-option",
      `${JSON.stringify(address)} is not an address of a provider. Give one like ${DEFAULTS.openai}.`,
    );
  }
  return address.replace(/\/+$/, "");
}

/** Clients name the version in their base address or in the path; it must not come twice. */
function targetOf(base: string, path: string): URL {
  const rest = /\/v\d+$/.test(base) ? path.replace(/^\/v\d+(?=\/|$)/, "") : path;
  return new URL(`${base}${rest.startsWith("/") ? rest : `/${rest}`}`);
}

// Hears a call that passes through the proxy and enters it into the book. Runs after the bytes were passed on.

interface CallListenerOptions {
  readonly book: CallBook;
  readonly scope: CallScope;
  readonly shape: Shape;
  readonly write: (line: CallLine) => void;
  readonly onError: (error: unknown) => void;
  /** Work that is still to be done after an answer, awaited at the end. */
  readonly onWork: (work: Promise<void>) => void;
}

type Unpack = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

/** Beside the thread that passes bytes on. A provider writes the key: nothing but these may be found. */
const UNPACK: ReadonlyMap<string, Unpack> = new Map([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["br", promisify(brotliDecompress)],
  ["deflate", promisify(inflate)],
]);
const PLAIN = new Set(["", "identity"]);
const LONGEST_PACKED = 16 * 1024 * 1024;
/** A few kilobytes can unpack to gigabytes. */
const LONGEST_UNPACKED = 64 * 1024 * 1024;

function createCallListener(options: CallListenerOptions): Listener {
  const { book, scope, shape, write, onError, onWork } = options;
  const decoder = new TextDecoder();
  let call: OpenCall | undefined;
  let reader: AnswerReader | undefined;
  let unpack: Unpack | undefined;
  let unreadable: Fault | undefined;
  let answered: (() => void) | undefined;
  const packed: Buffer[] = [];
  let packedBytes = 0;
  const safely = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      onError(error);
    }
  };
  return {
    asked: (body) =>
      safely(() => {
        const asked = body === undefined ? undefined : parseObject(body.toString("utf8"));
        // What is not JSON is the provider's to refuse; there is nothing to record.
        if (asked !== undefined) call = book.begin(shape.asked(asked), scope, shape.provider, write);
        answered?.();
      }),
    answering: (status, contentType, encoding) =>
      safely(() => {
        reader = createAnswerReader(shape, status, contentType);
        const packing = encoding.trim().toLowerCase();
        unpack = UNPACK.get(packing);
        if (unpack === undefined && !PLAIN.has(packing)) unreadable = unknownPacking(status, encoding);
      }),
    piece: (bytes) =>
      safely(() => {
        call?.arrived();
        packedBytes += bytes.length;
        if (unreadable !== undefined) return;
        if (unpack === undefined) reader?.push(decoder.decode(bytes, { stream: true }));
        else if (packedBytes <= LONGEST_PACKED) packed.push(bytes);
      }),
    // Later than the answer itself: parsing and redaction must not hold up other agents' bytes.
    end: (fault) => {
      const finish = (problem: Fault | undefined): void =>
        safely(() => {
          const answer = reader?.end(problem === undefined) ?? { complete: false };
          const error = problem ?? unreadable;
          // A provider may refuse before it has read the whole request.
          answered = () => call?.finish(error === undefined ? answer : { ...answer, error, complete: false });
          answered();
        });
      if (unpack === undefined) {
        setImmediate(() => finish(fault));
        return;
      }
      const work = unpack(Buffer.concat(packed), { maxOutputLength: LONGEST_UNPACKED }).then(
        (bytes) => {
          safely(() => reader?.push(bytes.toString("utf8")));
          finish(fault);
        },
        (error: unknown) => {
          // The call was made and answered; it is kept without what cannot be read.
          const why = error instanceof Error ? error.message : String(error);
          onError(new Error(`An answer cannot be unpacked (${why}); the call is kept without it.`));
          finish(fault ?? { code: "bad-answer", message: `The answer cannot be unpacked: ${why}` });
        },
      );
      onWork(work);
    },
  };
}

function unknownPacking(status: number, encoding: string): Fault {
  const packed = `The answer is packed as ${JSON.stringify(encoding.slice(0, 100))}`;
  return {
    code: status >= 400 ? `http-${status}` : "bad-answer",
    message: `${packed}; it was passed on and not recorded, which knows ${[...UNPACK.keys()].join(", ")}.`,
  };
}
