/**
 * One guard before every server of ours: by which name and from which page it is asked, how long and how large a request may
 * be. It also answers for the server's health and numbers, and speaks TLS where it has a certificate.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { EngineError } from "./errors.ts";
import { isSameSecret } from "./http.ts";
import { isLoopback } from "./listen.ts";
import { metric, processMetrics, prometheusText, type Metric } from "./prometheus.ts";
import type { Tls } from "./tls.ts";

export interface Refusal {
  readonly status: number;
  readonly code: "bad-host" | "bad-origin" | "body-too-large" | "unauthorised";
  readonly message: string;
}

export interface GuardedOptions {
  /** In its numbers: "trainer". */
  readonly name: string;
  /** The address it was told to listen at. */
  readonly host: string;
  readonly tls?: Tls | undefined;
  /** What /metrics asks for, as a bearer token. Default: nothing. */
  readonly secret?: string | undefined;
  /** Whose pages may ask: its own, or all of this machine. Default: own. */
  readonly pages?: "own" | "machine";
  /** Larger bodies are refused before they are read, where their length is told. Default: 64 MiB. */
  readonly mostBytes?: number;
  /** A request has to be there, whole, after this time; 0 for any. Default: 300 s. */
  readonly requestMs?: number;
  /** Whether it can do its work now, for /readyz. Default: yes. */
  readonly ready?: () => boolean;
  readonly numbers?: () => readonly Metric[];
  /** In the server's own form. Default: JSON with code and message. */
  readonly refuse?: (response: ServerResponse, refusal: Refusal) => void;
}

const MOST_BYTES = 64 * 1024 * 1024;
const REQUEST_MS = 300_000;
/** Whoever sends its headers byte by byte holds a connection no longer than this. */
const HEADERS_MS = 20_000;

type Headers = IncomingMessage["headers"];

/** A server that is not listening yet. Who takes WebSockets asks `refusalOf` by itself. */
export function createGuardedServer(options: GuardedOptions, handle: RequestListener): Server {
  const { tls, requestMs = REQUEST_MS, refuse = refuseAsJson } = options;
  const answered = new Map<string, number>();
  let inFlight = 0;
  const count = (status: number): void => void answered.set(`${status}`, (answered.get(`${status}`) ?? 0) + 1);
  const listener: RequestListener = (request, response) => {
    inFlight += 1;
    response.once("close", () => {
      inFlight -= 1;
      count(response.statusCode);
    });
    const refusal = refusalOf(request, options);
    if (refusal !== undefined) {
      // What is left of its body is not read.
      response.setHeader("connection", "close");
      return refuse(response, refusal);
    }
    const own = request.method === "GET" ? ownPages(options, () => [answered, inFlight])[pathOf(request)] : undefined;
    if (own === undefined) return handle(request, response);
    const { status, type = "text/plain; charset=utf-8", text } = own(request.headers);
    response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(text);
  };
  const times = { keepAliveTimeout: 65_000, requestTimeout: requestMs, headersTimeout: HEADERS_MS };
  const server = tls === undefined ? createServer(times, listener) : secureServer({ ...times, ...tls }, listener);
  // A client that breaks a connection is its own business.
  server.on("clientError", (_error, socket) => socket.destroy());
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

/** Why a request is not answered; undefined where it may be. */
export function refusalOf(
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
  { name, secret, ready = () => true, numbers = () => [] }: GuardedOptions,
  seen: () => readonly [ReadonlyMap<string, number>, number],
): Readonly<Record<string, ((headers: Headers) => Page) | undefined>> {
  return {
    "/healthz": () => ({ status: 200, text: "ok\n" }),
    "/readyz": () => (ready() ? { status: 200, text: "ready\n" } : { status: 503, text: "not ready\n" }),
    "/metrics": ({ authorization, ...headers }) => {
      const shown = headers["x-api-key"] ?? authorization?.replace(/^Bearer\s+/i, "");
      if (secret !== undefined && secret !== "" && !isSameSecret(String(shown ?? ""), secret)) {
        return { status: 401, text: "The numbers need the token or key of this server, as a bearer token.\n" };
      }
      const [answered, inFlight] = seen();
      const samples = [...answered].map(([status, value]) => ({ labels: { server: name, status }, value }));
      const text = prometheusText([
        ...processMetrics(),
        { name: "limbeck_http_requests_total", help: "Answers by status.", kind: "counter", samples },
        metric("gauge", "limbeck_http_requests_in_flight", "Requests that are being answered.", inFlight),
        ...numbers(),
      ]);
      return { status: 200, type: "text/plain; version=0.0.4; charset=utf-8", text };
    },
  };
}

function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?")[0] ?? "/";
}

function refuseAsJson(response: ServerResponse, { status, code, message }: Refusal): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error: { code, message } }));
}
