/** Requests to a trainer: one address, one key, retries where a request may be repeated, and cancellation. */
import { randomUUID } from "node:crypto";
import { createRng, type Rng } from "limbeck-base/base/rng";
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import type { EngineErrorCode } from "limbeck-base/base/error-codes";
import { fetchFault } from "limbeck-base/base/http";
import { retryAfterMs, systemClock, withRetries, type ChatClock } from "../chat/retry.ts";
import { publicAddress, redact } from "../chat/endpoint.ts";
import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

export interface TinkerAddress {
  /** Of the server, without `/api/v1`. */
  readonly url: string;
  /** Sent as X-API-Key; never part of an error. */
  readonly apiKey?: string | undefined;
}

export interface TinkerHttpOptions {
  /** Attempts of a request whose answer did not come. Default: 10. */
  readonly attempts?: number;
  /** More of them while the server answers that it is busy (408, 429, 503, …). Default: 1,000, some hours. */
  readonly busyAttempts?: number;
  /** Called when a busy server is waited for. */
  readonly onNotice?: (message: string) => void;
  readonly clock?: ChatClock;
  /** One answer may take this long. Default: 60 s. */
  readonly timeoutMs?: number;
}

export interface Exchange {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly body?: object;
  readonly kind?: RequestKind;
  readonly signal?: AbortSignal | undefined;
  /** In an error's text. */
  readonly what: string;
  /** 1: the caller repeats by itself. */
  readonly attempts?: number;
  readonly timeoutMs?: number;
  /** A server of ours may wait this long with its answer to a submit, and give the result with it. Others do not read it. */
  readonly waitSeconds?: number;
}

export interface TinkerHttp {
  readonly address: string;
  readonly clock: ChatClock;
  readonly rng: Rng;
  /** The parsed body of a successful answer; undefined where it has none. */
  json(path: string, exchange: Exchange): Promise<unknown>;
  /** A stream of bytes, for archives. */
  bytes(path: string, exchange: Exchange): Promise<AsyncIterable<Uint8Array>>;
}

/** A server may ask for a rest this long. */
const LONGEST_REST_MS = 3_600_000;
/** Retries after which there is a notice that something is waited for. */
const TOLD_AFTER = 8;
/** Larger answers are refused: a batch of log-probabilities is far smaller. */
const MAX_ANSWER_BYTES = 512 * 1024 * 1024;

export function createHttp(given: TinkerAddress, options: TinkerHttpOptions = {}): TinkerHttp {
  return new Http(given, options);
}

type Headers = Readonly<Record<string, string>>;

class Http implements TinkerHttp {
  readonly address: string;
  readonly clock: ChatClock;
  // Only the length of pauses is drawn here.
  readonly rng = createRng("tinker back-off");
  readonly #base: URL;
  readonly #apiKey: string | undefined;
  readonly #options: TinkerHttpOptions;
  readonly #timeoutMs: number;
  readonly #exchanger = createExchanger();

  constructor({ url, apiKey }: TinkerAddress, options: TinkerHttpOptions) {
    this.#base = checkAddress(url);
    this.#apiKey = apiKey;
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? 60_000;
    this.address = publicAddress(this.#base);
    this.clock = options.clock ?? systemClock;
  }

  async json(path: string, exchange: Exchange): Promise<unknown> {
    const text = await this.#send((headers) => this.#whole(path, exchange, headers), exchange);
    if (text === "") return undefined;
    // Python writes numbers that are none as they are; the reader of the answer names them.
    const readable = text.replaceAll(/(?<=[[:,\s])-?(?:NaN|Infinity)(?=[\],}\s])/g, "null");
    for (const form of [text, readable]) {
      try {
        return JSON.parse(form);
      } catch {
        // The other form may be JSON.
      }
    }
    throw new EngineError(
      "trainer-bad-response",
      `${this.address} answered ${exchange.what} with ${JSON.stringify(redact(text, [this.#apiKey]).slice(0, 80))}, which is not JSON. Is that address a Tinker server?`,
    );
  }

  async bytes(path: string, exchange: Exchange): Promise<AsyncIterable<Uint8Array>> {
    const response = await this.#send((headers) => this.#stream(path, exchange, headers), exchange);
    if (response.body === null) throw unreachable(this.address, exchange.what, "the answer has no body");
    return response.body;
  }

  #urlOf(path: string): URL {
    const url = new URL(this.#base);
    const [pathname = "", query] = path.split("?");
    url.pathname = `${this.#base.pathname.replace(/\/+$/, "")}${pathname}`;
    if (query !== undefined) url.search = query;
    return url;
  }

  #refusal(answer: Answer, retryAfter: string | null | undefined, { what, kind = "submit" }: Exchange): EngineError {
    const told = { ...answer, retryAfterMs: retryAfterMs(retryAfter, this.clock.now()) };
    return failureOf(told, what, kind, this.#apiKey);
  }

  #notReached(error: unknown, { what, signal }: Exchange): EngineError {
    throwIfAborted(signal);
    return unreachable(this.address, what, redact(fetchFault(error), [this.#apiKey]));
  }

  /** Follows where the address leads, and gives the answer as it comes. */
  async #stream(path: string, exchange: Exchange, headers: Headers): Promise<Response> {
    const { method = "POST", body, signal } = exchange;
    throwIfAborted(signal);
    const limit = AbortSignal.timeout(exchange.timeoutMs ?? this.#timeoutMs);
    let response: Response;
    try {
      response = await fetch(this.#urlOf(path), {
        method,
        headers,
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (response.ok) return response;
    } catch (error) {
      throw this.#notReached(error, exchange);
    }
    // The status is reported; a body that breaks off adds nothing.
    const text = await response.text().catch(() => "");
    throw this.#refusal({ status: response.status, text }, response.headers.get("retry-after"), exchange);
  }

  async #whole(path: string, exchange: Exchange, headers: Headers): Promise<string> {
    const { method = "POST", body, what, signal, timeoutMs = this.#timeoutMs } = exchange;
    throwIfAborted(signal);
    const failed = (error: unknown): never => {
      throw this.#notReached(error, exchange);
    };
    const sent = { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal };
    const limits = { timeoutMs, mostBytes: MAX_ANSWER_BYTES };
    const answer = await this.#exchanger(this.#urlOf(path), { ...sent, ...limits }).catch(failed);
    if (answer.status >= 300 && answer.status < 400) {
      return await (await this.#stream(path, exchange, headers)).text().catch(failed);
    }
    if (answer.bytes === undefined) {
      throw new EngineError("trainer-bad-response", `The answer to ${what} is longer than ${MAX_ANSWER_BYTES} bytes.`);
    }
    const text = answer.bytes.toString();
    if (answer.status >= 200 && answer.status < 300) return text;
    throw this.#refusal({ status: answer.status, text }, answer.headers["retry-after"], exchange);
  }

  #send<T>(way: (headers: Headers) => Promise<T>, exchange: Exchange): Promise<T> {
    const { attempts = 10, busyAttempts = 1_000, onNotice } = this.#options;
    const headers = {
      accept: "application/json",
      ...(exchange.body === undefined ? {} : { "content-type": "application/json" }),
      ...(this.#apiKey === undefined ? {} : { "x-api-key": this.#apiKey }),
      ...(exchange.waitSeconds === undefined ? {} : { "x-limbeck-wait": String(exchange.waitSeconds) }),
      // The same for every attempt, so that a server that keeps them answers a repeated request with its first answer.
      ...((exchange.method ?? "POST") === "POST" ? { "x-idempotency-key": randomUUID() } : {}),
    };
    let retries = 0;
    return withRetries(() => way(headers), {
      retries: (exchange.attempts ?? attempts) - 1,
      // A request with a number of attempts of its own means that number.
      busyRetries: exchange.attempts === undefined ? busyAttempts : 0,
      maxRetryAfterMs: LONGEST_REST_MS,
      firstDelayMs: 500,
      maxDelayMs: 10_000,
      clock: this.clock,
      rng: this.rng,
      signal: exchange.signal,
      onRetry: () => {
        retries += 1;
        if (retries === TOLD_AFTER) onNotice?.(`${exchange.what}: the trainer does not take it; it is tried again.`);
      },
    });
  }
}

function checkAddress(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const shown = url === undefined ? given : publicAddress(url);
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw new EngineError("bad-option", `The trainer's address "${shown}" is not one of http:// or https://.`);
  }
  if (url.username === "" && url.password === "") return url;
  throw new EngineError(
    "bad-option",
    `The trainer's address ${shown} holds a user name or password; give the key in TINKER_API_KEY.`,
  );
}

// What a trainer's refusal means. `detail` may be a text, a list in FastAPI's shape, or absent, and a body of status 500
// is plain text; none of it is trusted: it is cut, and keys and control characters are taken out.

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs?: number | undefined;
}

/** Statuses after which the same request may succeed. A 409 is a real conflict on SkyRL, a 500 most often a bad payload. */
const RETRYABLE = new Set([408, 425, 429, 502, 503, 504, 529]);

/** What kind of request was refused decides what a 404 or a 400 means. */
type RequestKind = "submit" | "future" | "look";

function failureOf(answer: Answer, what: string, kind: RequestKind, apiKey: string | undefined): EngineError {
  const { status, retryAfterMs } = answer;
  const why = redact(detailOf(answer.text), [apiKey]) || "no reason given";
  const [code, message] = meaning(status, why, what, kind);
  return new EngineError(code, message, {
    details: {
      status,
      detail: why,
      retryable: RETRYABLE.has(status),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  });
}

function meaning(
  status: number,
  why: string,
  what: string,
  kind: RequestKind,
): [code: EngineErrorCode, message: string] {
  if (status === 401 || status === 403) {
    return [
      "trainer-key-refused",
      `The trainer refused the API key (status ${status}: ${why}). Give the right one in TINKER_API_KEY or as apiKey.`,
    ];
  }
  if (status === 402) {
    return ["trainer-unpaid", `The trainer has paused for billing (status 402: ${why}). Settle it, then resume.`];
  }
  const forgot = /not loaded|unknown model|model.*not found|session.*not found|unknown session/i.test(why);
  if (forgot && (status === 400 || status === 404)) {
    return [
      "trainer-forgot",
      `The trainer no longer knows this session or model (${what}: ${why}). It was restarted, or the session timed out. Continue from the last checkpoint with --resume, or start again.`,
    ];
  }
  if (status === 410) return ["trainer-future-expired", `The result of ${what} has expired on the trainer: ${why}.`];
  if (status === 404) {
    return [
      kind === "future" ? "trainer-forgot" : "trainer-missing",
      kind === "future"
        ? `The trainer has no record of ${what} (${why}); it was restarted. Continue from the last checkpoint with --resume.`
        : `The trainer has no such thing: ${what} (${why}).`,
    ];
  }
  if (kind === "future" && status === 400) return ["trainer-work-failed", `The trainer could not do ${what}: ${why}.`];
  if (status >= 500) return ["trainer-failed", `The trainer failed at ${what} (status ${status}: ${why}).`];
  return ["trainer-refused", `The trainer refused ${what} (status ${status}): ${why}.`];
}

/** The text of `detail`, whatever its form. */
function detailOf(text: string): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof body !== "object" || body === null) return String(body);
  const { detail, error } = body as { readonly detail?: unknown; readonly error?: unknown };
  if (typeof detail === "string") return detail;
  if (Array.isArray(detail)) return detail.map((issue) => issueText(issue)).join("; ");
  return typeof error === "string" ? error : JSON.stringify(body);
}

function issueText(issue: unknown): string {
  if (typeof issue !== "object" || issue === null) return String(issue);
  const { loc, msg } = issue as { readonly loc?: unknown; readonly msg?: unknown };
  return `${Array.isArray(loc) ? loc.join(".") : "request"}: ${typeof msg === "string" ? msg : "refused"}`;
}

/** There was no answer at all. */
function unreachable(address: string, what: string, reason: string): EngineError {
  return new EngineError(
    "trainer-unreachable",
    `No trainer answers at ${address} (${what}: ${reason}). Start it ("limbeck trainer --model DIR") or check the address.`,
    { details: { retryable: true } },
  );
}

// One request and its whole answer over kept connections. `fetch` takes four times the processor's time for the same, which
// counts where an update asks some thousand times (docs/learn/gpu.md).

interface SentRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  /** Answers that are longer are refused. */
  readonly mostBytes: number;
}

interface WholeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Undefined where it is too long; the rest was not read. */
  readonly bytes: Buffer | undefined;
}

type Exchanger = (url: URL, sent: SentRequest) => Promise<WholeAnswer>;

/** A connection that was idle for longer is closed here, before the server closes it under a request. */
const KEPT = { keepAlive: true, timeout: 30_000 };

function createExchanger(): Exchanger {
  const plain = new HttpAgent(KEPT);
  const secure = new HttpsAgent(KEPT);
  return (url, sent) =>
    new Promise((resolve, reject) => {
      const { method, headers, body, signal, timeoutMs, mostBytes } = sent;
      const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
      const options = { method, headers: { ...headers, ...length } };
      const outgoing =
        url.protocol === "https:"
          ? httpsRequest(url, { ...options, agent: secure })
          : httpRequest(url, { ...options, agent: plain });
      const stop = (): void => void outgoing.destroy(new Error("cancelled"));
      const timer = setTimeout(() => outgoing.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
      const settled = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", stop);
      };
      const fail = (error: Error): void => {
        settled();
        reject(error);
      };
      signal?.addEventListener("abort", stop, { once: true });
      outgoing.on("error", fail);
      outgoing.on("response", (incoming) => {
        readWhole(
          incoming,
          mostBytes,
          (bytes) => {
            settled();
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, bytes });
          },
          fail,
        );
      });
      outgoing.end(body);
    });
}

function readWhole(
  incoming: IncomingMessage,
  most: number,
  done: (bytes: Buffer | undefined) => void,
  fail: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= most) {
      chunks.push(chunk);
      return;
    }
    incoming.removeAllListeners("data");
    done(undefined);
    incoming.destroy();
  });
  incoming.on("end", () => done(Buffer.concat(chunks)));
  incoming.on("error", (error) => fail(new Error(`the answer broke off: ${error.message}`)));
}
