/** Calls of the world and of the policy: so many at a time, each with a time limit, all given up on cancellation. */
import { throwIfAborted } from "../base/index.ts";
import { createGate, type Gate } from "./gate.ts";
import { createWatchdog, type CallLimit, type Leash, type Watchdog } from "./watchdog.ts";

export interface Calls {
  /** The call's own outcome, or an error once its time is up. It is handed a signal that fires then, made when it is asked for. */
  world<Result>(call: (given: Given) => Promise<Result>): Promise<Result>;
  policy<Result>(call: (given: Given) => Promise<Result>): Promise<Result>;
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
 * A signal costs more than all else a call needs, so that one serves many calls of the policy, one after the other. What
 * listens and never stops to is then let go with it. What a world is opened with it may keep: those have their own.
 */
const POLICY_CALLS_PER_SIGNAL = 32;

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
  const world: Kind = {
    limit: { ms: options.envSeconds * 1_000, code: "env-timeout", what: () => `The world of task "${task}"` },
    callsPerSignal: 1,
    idle: [],
  };
  const policy: Kind = {
    limit: { ms: options.policySeconds * 1_000, code: "policy-timeout", what: () => `Policy "${policyName}"` },
    callsPerSignal: POLICY_CALLS_PER_SIGNAL,
    idle: [],
  };
  return {
    world: (call) => within(core, world, call),
    policy: (call) => within(core, policy, call),
    close: () => core.watchdog.close(),
  };
}

async function within<Result>(
  { signal, gate, watchdog }: Core,
  { limit, callsPerSignal, idle }: Kind,
  call: (given: Given) => Promise<Result>,
): Promise<Result> {
  throwIfAborted(signal);
  const entering = gate.enter(0);
  if (entering !== undefined) await entering;
  const known = idle.pop();
  known?.again(callsPerSignal);
  const leash = known ?? watchdog.leash();
  try {
    throwIfAborted(signal);
    return await leash.wait(call(leash), limit);
  } finally {
    leash.release();
    if (!leash.given) idle.push(leash);
    gate.leave();
  }
}
