/** Calls that may hang: each has a time limit, and all are given up when the rollout is cancelled. */
import { EngineError } from "../base/index.ts";

export interface Watchdog {
  /** A leash for one walk: it waits for one call at a time. */
  leash(): Leash;
  close(): void;
}

export interface Leash {
  /** The call's own outcome, or an error once the time is up or the rollout cancelled. The walk is then beyond help. */
  wait<T>(call: Promise<T>, limit: CallLimit): Promise<T>;
  /** Fires when a call is given up, so that it can free what it holds. */
  readonly signal: AbortSignal;
  /** A call was given up; no other will be waited for. */
  readonly given: boolean;
  release(): void;
}

export interface CallLimit {
  readonly ms: number;
  readonly code: string;
  /** What is waited for: 'The world of task "x"'. */
  readonly what: () => string;
}

/** One timer looks at all leashes: limits are seconds long, so a quarter of a second is close enough. */
const LOOK_EVERY_MS = 250;

export function createWatchdog(signal: AbortSignal, now: () => number): Watchdog {
  const leashes = new Set<LeashAtWork>();
  const look = (): void => {
    const time = now();
    for (const leash of leashes) leash.look(time);
  };
  const cancel = (): void => {
    for (const leash of leashes) leash.give(cancelled(signal));
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();
  signal.addEventListener("abort", cancel, { once: true });
  return {
    leash: () => {
      const leash = new LeashAtWork(now, leashes);
      if (signal.aborted) leash.give(cancelled(signal));
      return leash;
    },
    close: () => {
      clearInterval(timer);
      signal.removeEventListener("abort", cancel);
    },
  };
}

/** One promise a walk that only ever rejects; a call races it. Cheaper by far than a timer and a promise a call. */
class LeashAtWork implements Leash {
  readonly #now: () => number;
  readonly #all: Set<LeashAtWork>;
  readonly #end: Promise<never>;
  #reject: (error: EngineError) => void = () => undefined;
  #deadline = Infinity;
  #limit: CallLimit | undefined;
  #abort: AbortController | undefined;
  given = false;

  constructor(now: () => number, all: Set<LeashAtWork>) {
    this.#now = now;
    this.#all = all;
    this.#end = new Promise<never>((_resolve, reject) => {
      this.#reject = reject;
    });
    this.#end.catch(() => undefined);
    all.add(this);
  }

  get signal(): AbortSignal {
    return (this.#abort ??= new AbortController()).signal;
  }

  async wait<T>(call: Promise<T>, limit: CallLimit): Promise<T> {
    this.#limit = limit;
    this.#deadline = this.#now() + limit.ms;
    try {
      return await Promise.race([call, this.#end]);
    } finally {
      this.#deadline = Infinity;
    }
  }

  look(time: number): void {
    if (time < this.#deadline || this.#limit === undefined) return;
    const { ms, code, what } = this.#limit;
    this.give(
      new EngineError(code, `${what()} gave no answer in ${ms / 1_000} s. Raise the limit, or look why it is slow.`),
    );
  }

  give(error: EngineError): void {
    this.given = true;
    this.#reject(error);
    this.#abort?.abort(error);
    this.release();
  }

  release(): void {
    this.#all.delete(this);
  }
}

function cancelled(signal: AbortSignal): EngineError {
  return new EngineError("cancelled", "The rollout was cancelled.", { cause: signal.reason });
}
