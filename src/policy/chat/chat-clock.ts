/** Waiting by a clock that a test can replace. */
import { setTimeout } from "node:timers/promises";
import { EngineError, throwIfAborted } from "../../base/index.ts";

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
