/** A limit on calls in flight: first come, first served. */
import { EngineError, throwIfAborted } from "../../base/index.ts";

export interface Slots {
  /** Waits for a slot and runs the work in it. One that is cancelled while it waits never runs. */
  use<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T>;
}

export function createSlots(limit: number): Slots {
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
    use: async (work, signal) => {
      await enter(signal);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
