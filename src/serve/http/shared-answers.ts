/**
 * The same question that several ask at once is answered once: all pages of a run that is being trained ask for the same, again and
 * again. An answer that is there may be kept for a moment, so that many who ask all the time cost what one does. A change made through
 * this server, or that one of its streams reports, parts the requests before it from those after it.
 */

export interface SharedAnswers<Value> {
  /** `compute` is aborted when no request waits any more. */
  ask(key: string, signal: AbortSignal, compute: (signal: AbortSignal) => Promise<Value>): Promise<Value>;
  /** A request from now on is answered anew. */
  part(): void;
}

export interface SharingOptions {
  /** How long an answer serves others after it was made. Default: 0, it does not. */
  readonly keepMs?: number | undefined;
  /** Milliseconds that only grow. */
  readonly now?: () => number;
}

interface Pending<Value> {
  readonly answer: Promise<Value>;
  readonly stop: AbortController;
  waiting: number;
  /** Until when it is given to others, once it is there. */
  until: number | undefined;
}

export function createSharedAnswers<Value>({
  keepMs = 0,
  now = () => performance.now(),
}: SharingOptions = {}): SharedAnswers<Value> {
  const pending = new Map<string, Pending<Value>>();

  const sweep = (): void => {
    const time = now();
    for (const [key, { until }] of pending) if (until !== undefined && until <= time) pending.delete(key);
  };

  const begin = (key: string, compute: (signal: AbortSignal) => Promise<Value>): Pending<Value> => {
    const stop = new AbortController();
    const one: Pending<Value> = { answer: compute(stop.signal), stop, waiting: 0, until: undefined };
    pending.set(key, one);
    const over = (): void => {
      if (pending.get(key) === one) pending.delete(key);
    };
    one.answer.then(() => {
      if (keepMs > 0) one.until = now() + keepMs;
      else over();
    }, over);
    return one;
  };

  return {
    ask: async (key, signal, compute) => {
      sweep();
      const one = pending.get(key) ?? begin(key, compute);
      one.waiting += 1;
      const leave = (): void => {
        one.waiting -= 1;
        if (one.waiting > 0 || one.until !== undefined) return;
        if (pending.get(key) === one) pending.delete(key);
        one.stop.abort(signal.reason);
      };
      if (signal.aborted) leave();
      else signal.addEventListener("abort", leave, { once: true });
      try {
        return await one.answer;
      } finally {
        signal.removeEventListener("abort", leave);
        if (one.until !== undefined) one.waiting -= 1;
      }
    },
    part: () => pending.clear(),
  };
}
