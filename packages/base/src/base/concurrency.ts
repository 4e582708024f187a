/** Bounded, ordered, cancellable concurrency. */
import { setMaxListeners } from "node:events";
import { EngineError, throwIfAborted } from "./errors.ts";
import { turnDue } from "./turns.ts";

export interface ConcurrencyOptions {
  readonly signal?: AbortSignal;
}

/**
 * Maps with at most `limit` calls in flight. Results keep the order of the items. The first failure stops new calls,
 * fires the signal that the running ones were given, waits for them to end and is then thrown.
 *
 * @example
 * const squares = await mapLimit([1, 2, 3], 2, (number) => Promise.resolve(number * number));
 * console.log(squares); // [ 1, 4, 9 ]
 */
export async function mapLimit<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T, index: number, signal: AbortSignal) => Promise<R>,
  options: ConcurrencyOptions = {},
): Promise<R[]> {
  const results: R[] = [];
  for await (const result of streamLimit(items, limit, work, options)) results.push(result);
  return results;
}

/**
 * The same as a stream: yields results in the order of the items as soon as each is ready, and reads at most `limit`
 * items ahead of the consumer, so that a long input needs little memory.
 */
export async function* streamLimit<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T, index: number, signal: AbortSignal) => Promise<R>,
  options: ConcurrencyOptions = {},
): AsyncGenerator<R, void, undefined> {
  if (!(Number.isInteger(limit) && limit >= 1)) {
    throw new EngineError("bad-limit", `Concurrency limit ${limit} is not a whole number of at least 1.`);
  }
  throwIfAborted(options.signal);
  const stop = new AbortController();
  // Every call that runs may listen to it.
  setMaxListeners(0, stop.signal);
  const forward = (): void => stop.abort(options.signal?.reason);
  options.signal?.addEventListener("abort", forward, { once: true });
  const running: Promise<R>[] = [];
  const source = iterate(items);
  let index = 0;
  let exhausted = false;
  const failures: unknown[] = [];
  try {
    for (;;) {
      while (!exhausted && failures.length === 0 && running.length < limit) {
        const turn = turnDue();
        if (turn !== undefined) await turn;
        throwIfAborted(options.signal);
        const next = await source.next();
        if (next.done === true) {
          exhausted = true;
          break;
        }
        const promise = work(next.value, index, stop.signal);
        // A call further back may fail while an earlier one is awaited. The earlier one is then cancelled, and what
        // must be thrown is the failure, not the cancellation it caused.
        promise.catch((error: unknown) => {
          failures.push(error);
          stop.abort();
        });
        running.push(promise);
        index += 1;
      }
      const first = running.shift();
      if (first === undefined) return;
      const result = await first.catch((error: unknown) => {
        throwIfAborted(options.signal);
        throw failures.length === 0 ? error : failures[0];
      });
      throwIfAborted(options.signal);
      yield result;
    }
  } finally {
    stop.abort();
    options.signal?.removeEventListener("abort", forward);
    await Promise.allSettled(running);
    await source.return?.();
  }
}

function iterate<T>(items: Iterable<T> | AsyncIterable<T>): AsyncIterator<T> | Iterator<T> {
  return Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
}
