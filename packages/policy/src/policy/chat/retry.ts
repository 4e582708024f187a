/**
 * Trying again with back-off. The wait before retry n (from 0) is
 *
 *   min(maxDelayMs, firstDelayMs 2^n) (1/2 + u/2)      u uniform in [0, 1)
 *
 * or what the server asks for in `Retry-After`, if that is longer. A server that asks for more than `maxRetryAfterMs`
 * is not waited for.
 */
import { EngineError, isAbort, throwIfAborted } from "limbeck-base/base/errors";
import type { Rng } from "limbeck-base/base/rng";
import { setTimeout } from "node:timers/promises";

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

// A limit on calls in flight: first come, first served.

export type Slots = ReturnType<typeof createSlots>;

export function createSlots(limit: number) {
  if (!(Number.isInteger(limit) && limit >= 1)) {
    throw new EngineError("bad-option", `concurrency is ${limit}; it must be a whole number of at least 1.`);
  }
  let free = limit;
  const waiting: (() => void)[] = [];
  const enter = (signal: AbortSignal | undefined): Promise<void> => {
    throwIfAborted(signal);
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const go = (): void => {
        signal?.removeEventListener("abort", give);
        resolve();
      };
      const give = (): void => {
        waiting.splice(waiting.indexOf(go), 1);
        reject(new EngineError("cancelled", "The call was cancelled before it began.", { cause: signal?.reason }));
      };
      signal?.addEventListener("abort", give, { once: true });
      waiting.push(go);
    });
  };
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    /** Waits for a slot and runs the work in it. One that is cancelled while it waits never runs. */
    use: async <T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
      await enter(signal);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

// Waiting by a clock that a test can replace.

export interface ChatClock {
  /** Milliseconds since 1970; only dates in `Retry-After` are read against it. */
  now(): number;
  /** Resolves when the time has passed; rejects with "cancelled" when the signal fires. */
  delay(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
}

export const systemClock: ChatClock = {
  now: () => Date.now(),
  delay: async (milliseconds, signal) => {
    throwIfAborted(signal);
    await setTimeout(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => {
      throw new EngineError("cancelled", "The wait was cancelled.", { cause: signal?.reason });
    });
  },
};
