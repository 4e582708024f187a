/**
 * The same question that several ask at once is answered once: all pages of a run that is being trained ask for the same, again and
 * again. Nothing is kept: who asks after an answer is there has a new one. A change made through this server parts those who asked
 * before from those who ask after it.
 */

export interface SharedAnswers<Value> {
  /** `compute` is told when nobody waits any more. */
  ask(key: string, signal: AbortSignal, compute: (signal: AbortSignal) => Promise<Value>): Promise<Value>;
  /** Whoever asks from now on is answered anew. */
  part(): void;
}

interface Pending<Value> {
  readonly answer: Promise<Value>;
  readonly stop: AbortController;
  waiting: number;
}

export function createSharedAnswers<Value>(): SharedAnswers<Value> {
  const pending = new Map<string, Pending<Value>>();

  const begin = (key: string, compute: (signal: AbortSignal) => Promise<Value>): Pending<Value> => {
    const stop = new AbortController();
    const one: Pending<Value> = { answer: compute(stop.signal), stop, waiting: 0 };
    pending.set(key, one);
    const over = (): void => {
      if (pending.get(key) === one) pending.delete(key);
    };
    one.answer.then(over, over);
    return one;
  };

  return {
    ask: async (key, signal, compute) => {
      const one = pending.get(key) ?? begin(key, compute);
      one.waiting += 1;
      const leave = (): void => {
        one.waiting -= 1;
        if (one.waiting > 0) return;
        if (pending.get(key) === one) pending.delete(key);
        one.stop.abort(signal.reason);
      };
      if (signal.aborted) leave();
      else signal.addEventListener("abort", leave, { once: true });
      try {
        return await one.answer;
      } finally {
        signal.removeEventListener("abort", leave);
      }
    },
    part: () => pending.clear(),
  };
}
