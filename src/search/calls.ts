/** Calls of the world and of the policy: so many at a time, each with a time limit, all given up on cancellation. */
import { throwIfAborted } from "../base/index.ts";
import { createGate } from "../rollout/gate.ts";
import { createWatchdog, type CallLimit } from "../rollout/watchdog.ts";

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

export function createCalls(options: CallOptions): Calls {
  const { signal, now, concurrency } = options;
  const watchdog = createWatchdog(signal, now);
  const gate = createGate(concurrency);
  const within = async <Result>(limit: CallLimit, call: (given: Given) => Promise<Result>): Promise<Result> => {
    throwIfAborted(signal);
    await gate.enter(0);
    const leash = watchdog.leash();
    try {
      throwIfAborted(signal);
      return await leash.wait(call(leash), limit);
    } finally {
      leash.release();
      gate.leave();
    }
  };
  const world = {
    ms: options.envSeconds * 1_000,
    code: "env-timeout",
    what: () => `The world of task "${options.task}"`,
  };
  const policy = {
    ms: options.policySeconds * 1_000,
    code: "policy-timeout",
    what: () => `Policy "${options.policyName}"`,
  };
  return {
    world: (call) => within(world, call),
    policy: (call) => within(policy, call),
    close: () => watchdog.close(),
  };
}
