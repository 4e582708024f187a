/** Calls that may hang: each has a time limit, and all are given up when the rollout is cancelled. */
import { EngineError } from "../base/index.ts";

export interface Watchdog {
  /** The call's own outcome, or an error with this code once the time is up or the rollout cancelled. */
  guard<T>(call: (signal: AbortSignal) => Promise<T>, limit: CallLimit): Promise<T>;
  close(): void;
}

export interface CallLimit {
  readonly ms: number;
  readonly code: string;
  /** What is waited for: 'The world of task "x"'. */
  readonly what: () => string;
}

interface Guarded {
  readonly deadline: number;
  readonly limit: CallLimit;
  readonly abort: AbortController;
  readonly reject: (error: unknown) => void;
}

/** One timer looks at all calls: limits are seconds long, so a quarter of a second is close enough. */
const LOOK_EVERY_MS = 250;

export function createWatchdog(signal: AbortSignal, now: () => number): Watchdog {
  const guarded = new Set<Guarded>();
  const give = (entry: Guarded, error: EngineError): void => {
    guarded.delete(entry);
    entry.reject(error);
    entry.abort.abort(error);
  };
  const look = (): void => {
    const time = now();
    for (const entry of guarded) if (time >= entry.deadline) give(entry, late(entry.limit));
  };
  const cancel = (): void => {
    for (const entry of guarded) give(entry, cancelled(signal));
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();
  signal.addEventListener("abort", cancel, { once: true });
  return {
    guard: (call, limit) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(cancelled(signal));
          return;
        }
        const entry: Guarded = { deadline: now() + limit.ms, limit, abort: new AbortController(), reject };
        guarded.add(entry);
        // An async wrapper would cost a promise a call; a call that throws at once is as good as one that rejects.
        let outcome: ReturnType<typeof call>;
        try {
          outcome = call(entry.abort.signal);
        } catch (error) {
          guarded.delete(entry);
          reject(error);
          return;
        }
        void Promise.resolve(outcome).then(
          (value) => {
            guarded.delete(entry);
            resolve(value);
          },
          (error: unknown) => {
            guarded.delete(entry);
            reject(error);
          },
        );
      }),
    close: () => {
      clearInterval(timer);
      signal.removeEventListener("abort", cancel);
    },
  };
}

function late({ ms, code, what }: CallLimit): EngineError {
  return new EngineError(
    code,
    `${what()} gave no answer in ${ms / 1_000} s. Raise the time limit, or look why it is slow.`,
  );
}

function cancelled(signal: AbortSignal): EngineError {
  return new EngineError("cancelled", "The rollout was cancelled.", { cause: signal.reason });
}
