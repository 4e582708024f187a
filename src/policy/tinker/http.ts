/** Requests to a trainer: one address, one key, retries where a request may be repeated, and cancellation. */
import { randomUUID } from "node:crypto";
import { createRng, EngineError, throwIfAborted, type Rng } from "../../base/index.ts";
import { fetchFault, readBytes } from "../../base/http.ts";
import { systemClock, type ChatClock } from "../chat/chat-clock.ts";
import { publicAddress, redact } from "../chat/redact.ts";
import { retryAfterMs, withRetries } from "../chat/retry.ts";
import { failureOf, unreachable, type RequestKind } from "./tinker-failure.ts";

export interface TinkerAddress {
  /** Of the server, without `/api/v1`. */
  readonly url: string;
  /** Sent as X-API-Key; never part of an error. */
  readonly apiKey?: string | undefined;
}

export interface TinkerHttpOptions {
  /** Attempts of a request whose answer did not come. Default: 10. */
  readonly attempts?: number;
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

/** Larger answers are refused: a batch of log-probabilities is far smaller. */
const MAX_ANSWER_BYTES = 512 * 1024 * 1024;

export function createHttp(given: TinkerAddress, options: TinkerHttpOptions = {}): TinkerHttp {
  const { attempts = 10, clock = systemClock, timeoutMs = 60_000 } = options;
  const { apiKey } = given;
  const base = checkAddress(given.url);
  const address = publicAddress(base);
  // Only the length of pauses is drawn here.
  const rng = createRng("tinker back-off");

  const once = async (path: string, exchange: Exchange, headers: Record<string, string>): Promise<Response> => {
    const { method = "POST", body, what, signal, kind = "submit" } = exchange;
    throwIfAborted(signal);
    const limit = AbortSignal.timeout(exchange.timeoutMs ?? timeoutMs);
    const url = new URL(base);
    const [pathname = "", query] = path.split("?");
    url.pathname = `${base.pathname.replace(/\/+$/, "")}${pathname}`;
    if (query !== undefined) url.search = query;
    let response: Response;
    try {
      response = await fetch(url, {
        method,
        headers,
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (response.ok) return response;
    } catch (error) {
      throwIfAborted(signal);
      throw unreachable(address, what, redact(fetchFault(error), [apiKey]));
    }
    const text = await response.text().catch(() => "");
    const asked = retryAfterMs(response.headers.get("retry-after"), clock.now());
    throw failureOf({ status: response.status, text, retryAfterMs: asked }, what, kind, apiKey);
  };

  const send = (path: string, exchange: Exchange): Promise<Response> => {
    const headers = {
      accept: "application/json",
      ...(exchange.body === undefined ? {} : { "content-type": "application/json" }),
      ...(apiKey === undefined ? {} : { "x-api-key": apiKey }),
      // The same for every attempt, so that a server that keeps them answers a repeated request with its first answer.
      ...((exchange.method ?? "POST") === "POST" ? { "x-idempotency-key": randomUUID() } : {}),
    };
    return withRetries(() => once(path, exchange, headers), {
      retries: (exchange.attempts ?? attempts) - 1,
      firstDelayMs: 500,
      maxDelayMs: 10_000,
      clock,
      rng,
      signal: exchange.signal,
      onRetry: () => undefined,
    });
  };

  return {
    address,
    clock,
    rng,
    json: async (path, exchange) => {
      const response = await send(path, exchange);
      const text = await readText(response, exchange);
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
      const response = await send(path, exchange);
      if (response.body === null) throw unreachable(address, exchange.what, "the answer has no body");
      return response.body;
    },
  };
}

async function readText(response: Response, { what, signal }: Exchange): Promise<string> {
  const bytes = await readBytes(response.body, MAX_ANSWER_BYTES).catch((error: unknown) => {
    throwIfAborted(signal);
    throw unreachable(publicAddress(new URL(response.url)), what, `the answer broke off: ${fetchFault(error)}`);
  });
  if (bytes !== undefined) return bytes.toString();
  throw new EngineError("trainer-bad-response", `The answer to ${what} is longer than ${MAX_ANSWER_BYTES} bytes.`);
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
