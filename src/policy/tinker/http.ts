/** Requests to a trainer: one address, one key, retries where a request may be repeated, and cancellation. */
import { randomUUID } from "node:crypto";
import { createRng, EngineError, throwIfAborted, type Rng } from "../../base/index.ts";
import { fetchFault } from "../../base/http.ts";
import { systemClock, type ChatClock } from "../chat/chat-clock.ts";
import { publicAddress, redact } from "../chat/redact.ts";
import { retryAfterMs, withRetries } from "../chat/retry.ts";
import { createExchanger } from "./exchange.ts";
import { failureOf, unreachable, type Answer, type RequestKind } from "./tinker-failure.ts";

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
  /** Told when a busy server is waited for. */
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
  /** 1: whoever asks repeats by itself. */
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
/** Retries after which a person is told that something is waited for. */
const TOLD_AFTER = 8;
/** Larger answers are refused: a batch of log-probabilities is far smaller. */
const MAX_ANSWER_BYTES = 512 * 1024 * 1024;

export function createHttp(given: TinkerAddress, options: TinkerHttpOptions = {}): TinkerHttp {
  const { attempts = 10, busyAttempts = 1_000, clock = systemClock, timeoutMs = 60_000, onNotice } = options;
  const { apiKey } = given;
  const base = checkAddress(given.url);
  const address = publicAddress(base);
  // Only the length of pauses is drawn here.
  const rng = createRng("tinker back-off");

  const exchanger = createExchanger();

  const urlOf = (path: string): URL => {
    const url = new URL(base);
    const [pathname = "", query] = path.split("?");
    url.pathname = `${base.pathname.replace(/\/+$/, "")}${pathname}`;
    if (query !== undefined) url.search = query;
    return url;
  };

  const refusal = (answer: Answer, retryAfter: string | null | undefined, { what, kind = "submit" }: Exchange) =>
    failureOf({ ...answer, retryAfterMs: retryAfterMs(retryAfter, clock.now()) }, what, kind, apiKey);

  const notReached = (error: unknown, { what, signal }: Exchange): EngineError => {
    throwIfAborted(signal);
    return unreachable(address, what, redact(fetchFault(error), [apiKey]));
  };

  /** Follows where the address leads, and gives the answer as it comes. */
  const stream = async (path: string, exchange: Exchange, headers: Record<string, string>): Promise<Response> => {
    const { method = "POST", body, signal } = exchange;
    throwIfAborted(signal);
    const limit = AbortSignal.timeout(exchange.timeoutMs ?? timeoutMs);
    let response: Response;
    try {
      response = await fetch(urlOf(path), {
        method,
        headers,
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (response.ok) return response;
    } catch (error) {
      throw notReached(error, exchange);
    }
    // The status is told; of a body that breaks off there is nothing to add.
    const text = await response.text().catch(() => "");
    throw refusal({ status: response.status, text }, response.headers.get("retry-after"), exchange);
  };

  const whole = async (path: string, exchange: Exchange, headers: Record<string, string>): Promise<string> => {
    const { method = "POST", body, what, signal } = exchange;
    throwIfAborted(signal);
    const sent = { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal };
    const limits = { timeoutMs: exchange.timeoutMs ?? timeoutMs, mostBytes: MAX_ANSWER_BYTES };
    const answer = await exchanger(urlOf(path), { ...sent, ...limits }).catch((error: unknown) => {
      throw notReached(error, exchange);
    });
    if (answer.status >= 300 && answer.status < 400) {
      const followed = await stream(path, exchange, headers);
      return await followed.text().catch((error: unknown) => {
        throw notReached(error, exchange);
      });
    }
    if (answer.bytes === undefined) {
      throw new EngineError("trainer-bad-response", `The answer to ${what} is longer than ${MAX_ANSWER_BYTES} bytes.`);
    }
    const text = answer.bytes.toString();
    if (answer.status >= 200 && answer.status < 300) return text;
    throw refusal({ status: answer.status, text }, answer.headers["retry-after"], exchange);
  };

  const send = <T>(
    way: (path: string, exchange: Exchange, headers: Record<string, string>) => Promise<T>,
    path: string,
    exchange: Exchange,
  ): Promise<T> => {
    const headers = {
      accept: "application/json",
      ...(exchange.body === undefined ? {} : { "content-type": "application/json" }),
      ...(apiKey === undefined ? {} : { "x-api-key": apiKey }),
      ...(exchange.waitSeconds === undefined ? {} : { "x-limbeck-wait": String(exchange.waitSeconds) }),
      // The same for every attempt, so that a server that keeps them answers a repeated request with its first answer.
      ...((exchange.method ?? "POST") === "POST" ? { "x-idempotency-key": randomUUID() } : {}),
    };
    let retries = 0;
    return withRetries(() => way(path, exchange, headers), {
      retries: (exchange.attempts ?? attempts) - 1,
      // Who gives a number of attempts means that number.
      busyRetries: exchange.attempts === undefined ? busyAttempts : 0,
      maxRetryAfterMs: LONGEST_REST_MS,
      firstDelayMs: 500,
      maxDelayMs: 10_000,
      clock,
      rng,
      signal: exchange.signal,
      onRetry: () => {
        retries += 1;
        if (retries === TOLD_AFTER) onNotice?.(`${exchange.what}: the trainer does not take it; it is tried again.`);
      },
    });
  };

  return {
    address,
    clock,
    rng,
    json: async (path, exchange) => {
      const text = await send(whole, path, exchange);
      if (text === "") return undefined;
      try {
        return JSON.parse(text);
      } catch {
        // Python writes numbers that are none as they are; the reader of the answer names them.
      }
      try {
        return JSON.parse(text.replaceAll(/(?<=[[:,\s])-?(?:NaN|Infinity)(?=[\],}\s])/g, "null"));
      } catch {
        throw new EngineError(
          "trainer-bad-response",
          `${address} answered ${exchange.what} with ${JSON.stringify(redact(text, [apiKey]).slice(0, 80))}, which is not JSON. Is that address a Tinker server?`,
        );
      }
    },
    bytes: async (path, exchange) => {
      const response = await send(stream, path, exchange);
      if (response.body === null) throw unreachable(address, exchange.what, "the answer has no body");
      return response.body;
    },
  };
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
