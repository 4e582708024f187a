/** Work that has begun: a promise of its result, and a list of what happens on the way. */
export type Running<Result, Event> = Promise<Result> & AsyncIterable<Event>;

/**
 * Begins the work. Its events can be looped over, from the first one on, by as many as like; the loop ends with the work
 * and throws what the work throws. `onEvent` gets each as it happens.
 *
 * @example
 * const run = startRunning<number, string>(async (emit) => (emit("begun"), 42));
 * for await (const event of run) console.log(event); // begun
 * console.log(await run); // 42
 */
export function startRunning<Result, Event>(
  work: (emit: (event: Event) => void) => Promise<Result>,
  onEvent?: (event: Event) => void,
): Running<Result, Event> {
  const events: Event[] = [];
  let wake: (() => void)[] = [];
  const wakeAll = (): void => {
    for (const one of wake) one();
    wake = [];
  };
  const state = { isOver: false };
  const result = work((event) => {
    onEvent?.(event);
    events.push(event);
    wakeAll();
  }).finally(() => {
    state.isOver = true;
    wakeAll();
  });
  const iterate = async function* (): AsyncGenerator<Event, void, undefined> {
    // The loop throws the failure; the promise itself may not be awaited at all.
    result.catch(() => undefined);
    for (let at = 0; ; at += 1) {
      while (at >= events.length && !state.isOver) await new Promise<void>((resolve) => wake.push(resolve));
      if (at >= events.length) break;
      yield events[at] as Event;
    }
    await result;
  };
  return Object.assign(result, { [Symbol.asyncIterator]: iterate });
}
