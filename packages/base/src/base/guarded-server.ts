/**
 * One guard before every server of ours: host name, origin, token and role, how long and
 * how large a request may be. It also answers for the server's health and numbers, writes the audit log, and speaks TLS where it has
 * a certificate.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createRoleFinder, includesRole, type Caller, type Role, type Routes, type ServerAccess } from "./access.ts";
import type { Tls } from "./tls.ts";
import { EngineError, errorCode } from "./errors.ts";
import { isSameSecret } from "./http.ts";
import { isLoopback } from "./listen.ts";
import { metric, processMetrics, prometheusText, type Metric } from "./prometheus.ts";

export interface Refusal {
  readonly status: number;
  readonly code: "bad-host" | "bad-origin" | "body-too-large" | "unauthorised" | "role-needed";
  readonly message: string;
}

export interface GuardedOptions extends ServerAccess {
  /** In its numbers: "trainer". */
  readonly name: string;
  /** The address it listens at. */
  readonly host: string;
  /** A token that may do everything. Default: none; with no tokens at all everybody may do everything. */
  readonly secret?: string | undefined;
  /** What its requests need. */
  readonly routes: Routes;
  /** Where a request shows its token. Default: `Authorization: Bearer` or `X-API-Key`. */
  readonly shownBy?: (request: IncomingMessage) => string | undefined;
  /** Body of the 401 response. */
  readonly unknown?: string;
  /** Whose pages may ask: its own, or all of this machine. Default: own. */
  readonly pages?: "own" | "machine";
  /** Larger bodies are refused, by their declared length before they are read. Default: 64 MiB. */
  readonly mostBytes?: number;
  /** A request has to be there, whole, after this time; 0 for any. Default: 300 s. */
  readonly requestMs?: number;
  /** Whether it can do its work now, for /readyz. Default: yes. */
  readonly ready?: () => boolean;
  readonly numbers?: () => readonly Metric[];
  /** In the server's own form. Default: JSON with code and message. */
  readonly refuse?: (response: ServerResponse, refusal: Refusal, request: IncomingMessage) => void;
}

/** Callers of requests, where the server has tokens. */
const callers = new WeakMap<IncomingMessage, Caller>();
/** Requests that turned out to change something, whatever their path says. */
const changing = new WeakSet<IncomingMessage>();
const OWNER: Caller = { name: "owner", role: "train" };

const MOST_BYTES = 64 * 1024 * 1024;
const REQUEST_MS = 300_000;
/** A client that sends its headers byte by byte holds a connection no longer than this. */
const HEADERS_MS = 20_000;

type Headers = IncomingMessage["headers"];

/** Whether the caller has the role; always true for a server without tokens. */
export function hasRole(request: IncomingMessage, role: Role): boolean {
  const caller = callers.get(request);
  return caller === undefined || includesRole(caller.role, role);
}

/** For servers where the body says what is asked for: this request changes something and belongs into the audit log. */
export function markChange(request: IncomingMessage): void {
  changing.add(request);
}

/** A server that is not listening yet. For WebSockets, use `createGuard`. */
export function createGuardedServer(options: GuardedOptions, handle: RequestListener): Server {
  const guard = createGuard(options);
  const { tls, requestMs = REQUEST_MS, refuse = refuseAsJson } = options;
  const answered = new Map<string, number>();
  let inFlight = 0;
  const numbers = (): readonly Metric[] => [
    {
      name: "limbeck_http_requests_total",
      help: "Answers by status.",
      kind: "counter",
      samples: [...answered].map(([status, value]) => ({ labels: { server: options.name, status }, value })),
    },
    metric("gauge", "limbeck_http_requests_in_flight", "Requests that are being answered.", inFlight),
    ...(options.numbers?.() ?? []),
  ];
  const count = (status: number): void => void answered.set(`${status}`, (answered.get(`${status}`) ?? 0) + 1);
  const listener: RequestListener = (request, response) => {
    inFlight += 1;
    const refusal = guard.refusalOf(request);
    response.once("close", () => {
      inFlight -= 1;
      count(response.statusCode);
      guard.note(request, response.statusCode, refusal);
    });
    if (refusal !== undefined) {
      // What is left of its body is not read.
      response.setHeader("connection", "close");
      return refuse(response, refusal, request);
    }
    const own = request.method === "GET" ? ownPages(options, numbers)[pathOf(request)] : undefined;
    if (own === undefined) return handle(request, response);
    const { status, type = "text/plain; charset=utf-8", text } = own();
    response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(text);
  };
  const times = { keepAliveTimeout: 65_000, requestTimeout: requestMs, headersTimeout: HEADERS_MS };
  const server = tls === undefined ? createServer(times, listener) : secureServer({ ...times, ...tls }, listener);
  server.once("listening", () => {
    void observeNumbers(options.name, numbers).then((end) => (server.listening ? server.once("close", end) : end()));
  });
  // A client that breaks a connection is its own business.
  server.on("clientError", (error, socket) => {
    const isLong = errorCode(error) === "HPE_HEADER_OVERFLOW";
    if (!isLong || !socket.writable) {
      socket.destroy();
      return;
    }
    socket.end("HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  });
  return server;
}

function secureServer(options: Tls & object, listener: RequestListener): Server {
  try {
    return createSecureServer(options, listener);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError(
      "bad-option",
      `The certificate or its key cannot be used (${why}). Both are PEM files; the key belongs to the certificate and has no password.`,
      { cause },
    );
  }
}

interface Guard {
  /** Why a request is not answered; undefined where it may be. */
  refusalOf(request: IncomingMessage): Refusal | undefined;
  /** Writes it into the audit log where it was refused or changes something. */
  note(request: IncomingMessage, status: number, refusal?: Refusal): void;
}

/** What every server has, whatever else it serves. */
export const OWN_ROUTES = {
  "GET /healthz": "open",
  "GET /readyz": "open",
  "GET /metrics": "read",
} as const satisfies Routes;

export function createGuard(options: GuardedOptions): Guard {
  const { name, secret = "", tokens, shownBy = shownInHeaders, audit } = options;
  const { unknown = "This server needs a token; send it as Authorization: Bearer TOKEN." } = options;
  const roleOf = createRoleFinder({ ...OWN_ROUTES, ...options.routes });
  const needed = (request: IncomingMessage): Role | "open" => roleOf(request.method ?? "GET", pathOf(request));
  const callerOf = (request: IncomingMessage): Caller | undefined => {
    const shown = shownBy(request);
    if (shown === undefined) return undefined;
    return secret !== "" && isSameSecret(shown, secret) ? OWNER : tokens?.find(shown);
  };
  const roleRefusal = (request: IncomingMessage): Refusal | undefined => {
    const role = needed(request);
    if (role === "open" || (secret === "" && tokens === undefined)) return undefined;
    const caller = callerOf(request);
    if (caller === undefined) return { status: 401, code: "unauthorised", message: unknown };
    callers.set(request, caller);
    if (includesRole(caller.role, role)) return undefined;
    const message = `This needs the role "${role}"; the token of "${caller.name}" has "${caller.role}". Who runs the server gives another: limbeck tokens add NAME --role ${role}.`;
    return { status: 403, code: "role-needed", message };
  };
  return {
    refusalOf: (request) => placeRefusal(request, options) ?? roleRefusal(request),
    note: (request, status, refusal) => {
      if (audit === undefined) return;
      const role = needed(request);
      const changes = role === "write" || role === "train" || changing.has(request);
      if (!changes && refusal === undefined && status !== 401 && status !== 403) return;
      audit.write({
        server: name,
        who: callers.get(request)?.name ?? null,
        from: request.socket.remoteAddress ?? "",
        method: request.method ?? "GET",
        path: pathOf(request),
        role,
        status,
        ...(refusal === undefined ? {} : { refused: refusal.code }),
      });
    },
  };
}

function shownInHeaders({ headers }: IncomingMessage): string | undefined {
  const [key] = [headers["x-api-key"]].flat();
  return key ?? bearerOf(headers);
}

export function bearerOf({ authorization }: Headers): string | undefined {
  return /^Bearer\s+(.+)$/i.exec(authorization ?? "")?.[1];
}

/** Why a request from that place, or of that size, is refused. */
export function placeRefusal(
  { headers, method = "GET" }: Pick<IncomingMessage, "headers" | "method">,
  { host, pages = "own", mostBytes = MOST_BYTES }: Pick<GuardedOptions, "host" | "pages" | "mostBytes">,
): Refusal | undefined {
  const asked = headers.host ?? "";
  // A foreign name that points at this machine (DNS rebinding) would make foreign pages its own.
  if (isLoopback(host) && !isLoopback(asked.replace(/:\d+$/, ""))) {
    const message = `This server serves this machine only, not ${JSON.stringify(asked.slice(0, 100))}; use the address it printed.`;
    return { status: 403, code: "bad-host", message };
  }
  if (isForeign(headers, method, pages)) {
    return { status: 403, code: "bad-origin", message: "Pages of other sites may not ask this server." };
  }
  if (Number(headers["content-length"] ?? 0) <= mostBytes) return undefined;
  return {
    status: 413,
    code: "body-too-large",
    message: `A request has at most ${mostBytes} bytes here; send less at once.`,
  };
}

/** A browser lets any page send requests here, and says whose it is; programs say nothing of the kind. */
function isForeign({ host, origin, ...headers }: Headers, method: string, pages: "own" | "machine"): boolean {
  if (origin !== undefined) {
    const page = URL.canParse(origin) ? new URL(origin) : undefined;
    return page === undefined || !(page.host === host || (pages === "machine" && isLoopback(page.hostname)));
  }
  const site = headers["sec-fetch-site"];
  const navigates = headers["sec-fetch-mode"] === "navigate" && method === "GET";
  return (site === "cross-site" || site === "same-site") && !navigates;
}

interface Page {
  readonly status: number;
  readonly type?: string;
  readonly text: string;
}

function ownPages(
  { ready = () => true }: GuardedOptions,
  numbers: () => readonly Metric[],
): Readonly<Record<string, (() => Page) | undefined>> {
  return {
    "/healthz": () => ({ status: 200, text: "ok\n" }),
    "/readyz": () => (ready() ? { status: 200, text: "ready\n" } : { status: 503, text: "not ready\n" }),
    "/metrics": () => ({
      status: 200,
      type: "text/plain; version=0.0.4; charset=utf-8",
      text: prometheusText([...processMetrics(), ...numbers()]),
    }),
  };
}

function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?")[0] ?? "/";
}

function refuseAsJson(response: ServerResponse, { status, code, message }: Refusal): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error: { code, message } }));
}

// The numbers of a server as OpenTelemetry metrics too, where the program that runs it has the API and a provider.

/** Without the package nothing is observed, and nothing is missing either. Gives what ends it. */
export async function observeNumbers(server: string, numbers: () => readonly Metric[]): Promise<() => void> {
  const api = await import("@opentelemetry/api").catch(() => undefined);
  if (api === undefined) return () => undefined;
  const meter = api.metrics.getMeter(`limbeck.${server}`);
  const ends = numbers().map(({ name, help, kind }) => {
    // Exporters to Prometheus put the ending of counters back.
    const [own, options] = [name.replace(/_total$/, ""), { description: help }];
    const instrument =
      kind === "counter" ? meter.createObservableCounter(own, options) : meter.createObservableGauge(own, options);
    const observe = (result: { observe(value: number, attributes: Record<string, string>): void }): void => {
      const samples = numbers().find((metric) => metric.name === name)?.samples ?? [];
      for (const { labels = {}, value } of samples) result.observe(value, { server, ...labels });
    };
    instrument.addCallback(observe);
    return () => instrument.removeCallback(observe);
  });
  return () => {
    for (const end of ends) end();
  };
}
