/**
 * Trying again with back-off. The wait before retry n (from 0) is
 *
 *   min(maxDelayMs, firstDelayMs 2^n) (1/2 + u/2)      u uniform in [0, 1)
 *
 * or what the server asks for in `Retry-After`, if that is longer. A server that asks for more than `maxRetryAfterMs`
 * is not waited for.
 */
import { EngineError, isAbort, type Rng } from "../../base/index.ts";
import type { ChatClock } from "./chat-clock.ts";

export interface ChatRetryOptions {
  /** Retries after the first attempt. Default: 4. */
  readonly retries?: number;
  /** Default: 500. */
  readonly firstDelayMs?: number;
  /** Default: 30 s. */
  readonly maxDelayMs?: number;
  /** Default: 120 s. */
  readonly maxRetryAfterMs?: number;
}

export async function withRetries<T>(
  work: () => Promise<T>,
  options: ChatRetryOptions & {
    readonly clock: ChatClock;
    readonly rng: Rng;
    readonly signal: AbortSignal | undefined;
    readonly onRetry: () => void;
    /** Retries after refusals of a server that is busy, beside those that are counted. Default: those count too. */
    readonly busyRetries?: number;
  },
): Promise<T> {
  const { retries = 4, firstDelayMs = 500, maxDelayMs = 30_000, maxRetryAfterMs = 120_000, clock, rng } = options;
  const { busyRetries = 0 } = options;
  let busy = 0;
  for (let retry = 0; ; retry += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof EngineError) || isAbort(error) || error.details["retryable"] !== true) throw error;
      const isBusy = error.details["status"] !== undefined && busy < busyRetries;
      busy += Number(isBusy);
      if (!isBusy && retry - busy >= retries) throw gaveUp(error, retry + 1, "");
      const asked = Number(error.details["retryAfterMs"] ?? 0);
      if (asked > maxRetryAfterMs) {
        throw gaveUp(
          error,
          retry + 1,
          ` It asks for ${asked} ms of rest, more than maxRetryAfterMs (${maxRetryAfterMs}).`,
        );
      }
      const backOffMs = Math.min(maxDelayMs, firstDelayMs * 2 ** retry) * (0.5 + rng.float() / 2);
      options.onRetry();
      await clock.delay(Math.max(asked, backOffMs), options.signal);
    }
  }
}

function gaveUp(error: EngineError, attempts: number, why: string): EngineError {
  const times = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  const { code, message, details } = error;
  return EngineError.from({
    code,
    message: `${message}${why} Gave up after ${times}.`,
    details: { ...details, attempts },
  });
}

/** `Retry-After` as milliseconds: seconds, or a date. Undefined where it is neither. */
export function retryAfterMs(header: string | null | undefined, now: number): number | undefined {
  if (header === null || header === undefined || header.trim() === "") return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, Math.ceil(seconds * 1_000));
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
