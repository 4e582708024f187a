/** Calls of the world and of the policy: so many at a time, each with a time limit, all given up on cancellation. */
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import type { EngineErrorCode } from "limbeck-base/base/error-codes";
import { cancelledError } from "./scope.ts";

/** What calls worlds and policies. */
export interface Caller {
  /** The call's own outcome, or an error once its time is up. It is handed a signal that fires then, made when it is asked for. */
  world<Result>(call: (given: Given) => Promise<Result>): Promise<Result>;
  /** A call that makes a world, which may keep the signal. */
  opening<Result>(call: (given: Given) => Promise<Result>): Promise<Result>;
  policy<Result>(call: (given: Given) => Promise<Result>): Promise<Result>;
}

/** The calls of a whole search. */
export interface Calls extends Caller {
  close(): void;
}

/** What a call may ask for. */
export interface Given {
  readonly signal: AbortSignal;
}

export interface CallOptions {
  readonly concurrency: number;
  readonly policySeconds: number;
  readonly envSeconds: number;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly task: string;
  readonly policyName: string;
}

/**
 * A signal costs more than all else a call needs, so that one serves many calls, one after the other. What listens and
 * never stops to is then let go with it. What a world is opened with it may keep: those have their own.
 */
const CALLS_PER_SIGNAL = 32;

/** Calls of one kind, and leashes that wait for the next one. */
interface Kind {
  readonly limit: CallLimit;
  readonly callsPerSignal: number;
  readonly idle: Leash[];
}

interface Core {
  readonly signal: AbortSignal;
  readonly gate: Gate;
  readonly watchdog: Watchdog;
}

export function createCalls(options: CallOptions): Calls {
  const { signal, now, concurrency, task, policyName } = options;
  const core: Core = { signal, gate: createGate(concurrency), watchdog: createWatchdog(signal, now) };
  const limit = worldLimit(options.envSeconds, task);
  const shared: Pick<Kind, "callsPerSignal" | "idle"> = { callsPerSignal: CALLS_PER_SIGNAL, idle: [] };
  const world: Kind = { limit, ...shared };
  const opening: Kind = { limit, callsPerSignal: 1, idle: [] };
  const policy: Kind = { limit: policyLimit(options.policySeconds, policyName), ...shared };
  return {
    world: (call) => within(core, world, call),
    opening: (call) => within(core, opening, call),
    policy: (call) => within(core, policy, call),
    close: () => core.watchdog.close(),
  };
}

/** No async function: it would be one more promise, and one more turn, of every call. */
function within<Result>(core: Core, kind: Kind, call: (given: Given) => Promise<Result>): Promise<Result> {
  throwIfAborted(core.signal);
  const entering = core.gate.enter(0);
  if (entering === undefined) return inside(core, kind, call);
  return entering.then(() => {
    if (core.signal.aborted) core.gate.leave();
    throwIfAborted(core.signal);
    return inside(core, kind, call);
  });
}

/** Past the gate, which is left when the call has ended, or was given up. */
function inside<Result>(
  { gate, watchdog }: Core,
  { limit, callsPerSignal, idle }: Kind,
  call: (given: Given) => Promise<Result>,
): Promise<Result> {
  const known = idle.pop();
  known?.again(callsPerSignal);
  const leash = known ?? watchdog.leash();
  const leave = (): void => {
    leash.release();
    if (!leash.given) idle.push(leash);
    gate.leave();
  };
  try {
    return leash.wait(call(leash), limit, leave);
  } catch (error) {
    leave();
    throw error;
  }
}

export function worldLimit(seconds: number, task: string): CallLimit {
  return { ms: seconds * 1_000, code: "env-timeout", what: () => `The world of task "${task}"` };
}

export function policyLimit(seconds: number, policy: string): CallLimit {
  return { ms: seconds * 1_000, code: "policy-timeout", what: () => `Policy "${policy}"` };
}

/** The calls of one walk, one at a time on its own leash; the walk has passed the gate already. */
export class OwnCalls implements Caller {
  readonly #leash: Leash;
  readonly #given: Given;
  readonly #limits: { readonly world: CallLimit; readonly policy: CallLimit };

  /** `given` is what worlds are called with: one signal for all, as one of its own would cost more than the call. */
  constructor(leash: Leash, given: Given, limits: { readonly world: CallLimit; readonly policy: CallLimit }) {
    this.#leash = leash;
    this.#given = given;
    this.#limits = limits;
  }

  world<Result>(call: (given: Given) => Promise<Result>): Promise<Result> {
    return this.#leash.wait(call(this.#given), this.#limits.world);
  }

  opening<Result>(call: (given: Given) => Promise<Result>): Promise<Result> {
    return this.world(call);
  }

  policy<Result>(call: (given: Given) => Promise<Result>): Promise<Result> {
    return this.#leash.wait(call(this.#leash), this.#limits.policy);
  }

  release(): void {
    this.#leash.release();
  }
}

/** Lets at most so many work at a time. Of those that wait the lowest order goes first, then the earliest. */
export interface Gate {
  /** Undefined when one may enter at once. */
  enter(order: number): Promise<void> | undefined;
  leave(): void;
}

interface Waiting {
  readonly order: number;
  readonly enter: () => void;
}

export function createGate(limit: number): Gate {
  const waiting: Waiting[] = [];
  let inside = 0;
  return {
    enter: (order) => {
      if (inside < limit) {
        inside += 1;
        return undefined;
      }
      return new Promise((resolve) => {
        let [low, high] = [0, waiting.length];
        while (low < high) {
          const middle = (low + high) >>> 1;
          if ((waiting[middle] as Waiting).order <= order) low = middle + 1;
          else high = middle;
        }
        waiting.splice(low, 0, { order, enter: resolve });
      });
    },
    leave: () => {
      const next = waiting.shift();
      if (next === undefined) inside -= 1;
      else next.enter();
    },
  };
}

// Calls that may hang: each has a time limit, and all are given up when the rollout is cancelled.

export interface Watchdog {
  /** A leash for one walk: it waits for one call at a time. */
  leash(): Leash;
  close(): void;
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
  const leashes = new Set<Leash>();
  const look = (): void => {
    const time = now();
    for (const leash of leashes) leash.look(time);
  };
  const cancel = (): void => {
    for (const leash of leashes) leash.give(cancelledError("rollout", signal));
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();
  signal.addEventListener("abort", cancel, { once: true });
  return {
    leash: () => {
      const leash = new Leash(now, leashes);
      if (signal.aborted) leash.give(cancelledError("rollout", signal));
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
export class Leash {
  readonly #now: () => number;
  readonly #all: Set<Leash>;
  #reject: ((error: EngineError) => void) | undefined;
  #deadline = Infinity;
  #limit: CallLimit | undefined;
  #abort: AbortController | undefined;
  #given: EngineError | undefined;
  #ended: (() => void) | undefined;
  #calls = 1;

  constructor(now: () => number, all: Set<Leash>) {
    this.#now = now;
    this.#all = all;
    all.add(this);
  }

  /** Fires when a call is given up, so that it can free what it holds. */
  get signal(): AbortSignal {
    return (this.#abort ??= new AbortController()).signal;
  }

  /** A call was given up; no other will be waited for. */
  get given(): boolean {
    return this.#given !== undefined;
  }

  /**
   * The call's own outcome, or an error once the time is up or the rollout cancelled. The walk is then beyond help.
   * `ended` is called once, just before either is known.
   */
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

  /** Takes it up again after `release`. Its signal serves so many calls, then there is another. */
  again(callsPerSignal: number): void {
    this.#calls += 1;
    if (this.#calls > callsPerSignal) {
      this.#abort = undefined;
      this.#calls = 1;
    }
    this.#all.add(this);
  }
}

/** Starts work in order, when there is room for the walks it will need; keeps memory and caches in bounds. */
export interface Admission {
  /** Resolves when the work may begin. `walks` is how many it will need in all. */
  admit(walks: number): Promise<Admitted>;
}

export interface Admitted {
  walkEnded(): void;
  done(): void;
}

export function createAdmission(limit: number): Admission {
  const waiting: { readonly walks: number; readonly begin: (admitted: Admitted) => void }[] = [];
  let load = 0;
  const begin = (walks: number): Admitted => {
    let left = walks;
    load += walks;
    const free = (count: number): void => {
      left -= count;
      load -= count;
      pump();
    };
    return { walkEnded: () => free(Math.min(1, left)), done: () => free(left) };
  };
  const room = (): boolean => load < limit;
  const pump = (): void => {
    while (room() && waiting.length > 0) {
      const next = waiting.shift();
      next?.begin(begin(next.walks));
    }
  };
  return {
    admit: (walks) =>
      new Promise((resolve) => {
        waiting.push({ walks, begin: resolve });
        pump();
      }),
  };
}
