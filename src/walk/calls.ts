/** Calls of the world and of the policy: so many at a time, each with a time limit, all given up on cancellation. */
import { throwIfAborted } from "../base/index.ts";
import { createGate, type Gate } from "./gate.ts";
import { createWatchdog, type CallLimit, type Leash, type Watchdog } from "./watchdog.ts";

/** Whoever calls worlds and policies. */
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

/** The calls of one walk, one at a time on its own leash; whoever walks has passed the gate already. */
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
