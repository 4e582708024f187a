/** Calls that may hang: each has a time limit, and all are given up when the rollout is cancelled. */
import { EngineError, type EngineErrorCode } from "../base/index.ts";

export interface Watchdog {
  /** A leash for one walk: it waits for one call at a time. */
  leash(): Leash;
  close(): void;
}

export interface Leash {
  /**
   * The call's own outcome, or an error once the time is up or the rollout cancelled. The walk is then beyond help.
   * `ended` is called once, just before either is told.
   */
  wait<T>(call: Promise<T>, limit: CallLimit, ended?: () => void): Promise<T>;
  /** Fires when a call is given up, so that it can free what it holds. */
  readonly signal: AbortSignal;
  /** A call was given up; no other will be waited for. */
  readonly given: boolean;
  release(): void;
  /** Takes it up again after `release`. Its signal serves so many calls, then there is another. */
  again(callsPerSignal: number): void;
}

export interface CallLimit {
  readonly ms: number;
  readonly code: EngineErrorCode;
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

/**
 * A call is given up by rejecting the promise its walk waits for. Racing it against one long promise a walk would be less
 * code, but every race leaves a reaction on that promise, and a long episode has many.
 */
class LeashAtWork implements Leash {
  readonly #now: () => number;
  readonly #all: Set<LeashAtWork>;
  #reject: ((error: EngineError) => void) | undefined;
  #deadline = Infinity;
  #limit: CallLimit | undefined;
  #abort: AbortController | undefined;
  #given: EngineError | undefined;
  #ended: (() => void) | undefined;
  #calls = 1;

  constructor(now: () => number, all: Set<LeashAtWork>) {
    this.#now = now;
    this.#all = all;
    all.add(this);
  }

  get signal(): AbortSignal {
    return (this.#abort ??= new AbortController()).signal;
  }

  get given(): boolean {
    return this.#given !== undefined;
  }

  wait<T>(call: Promise<T>, limit: CallLimit, ended?: () => void): Promise<T> {
    this.#limit = limit;
    this.#deadline = this.#now() + limit.ms;
    this.#ended = ended;
    return new Promise<T>((resolve, reject) => {
      if (this.#given === undefined) this.#reject = reject;
      else {
        this.#end();
        reject(this.#given);
      }
      // A world may answer at once, whatever its types say.
      Promise.resolve(call).then(
        (value) => {
          this.#end();
          resolve(value);
        },
        (error: unknown) => {
          this.#end();
          reject(error);
        },
      );
    });
  }

  look(time: number): void {
    if (time < this.#deadline || this.#limit === undefined) return;
    const { ms, code, what } = this.#limit;
    this.give(
      new EngineError(code, `${what()} gave no answer in ${ms / 1_000} s. Raise the limit, or look why it is slow.`),
    );
  }

  give(error: EngineError): void {
    this.#given = error;
    this.#end();
    this.#reject?.(error);
    this.#abort?.abort(error);
    this.release();
  }

  release(): void {
    this.#all.delete(this);
  }

  #end(): void {
    this.#deadline = Infinity;
    const ended = this.#ended;
    this.#ended = undefined;
    ended?.();
  }

  again(callsPerSignal: number): void {
    this.#calls += 1;
    if (this.#calls > callsPerSignal) {
      this.#abort = undefined;
      this.#calls = 1;
    }
    this.#all.add(this);
  }
}

function cancelled(signal: AbortSignal): EngineError {
  return new EngineError("cancelled", "The rollout was cancelled.", { cause: signal.reason });
}
