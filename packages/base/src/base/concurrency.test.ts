import fc from "fast-check";
import { expect, test } from "vitest";
import { mapLimit, streamLimit } from "./concurrency.ts";
import { EngineError } from "./errors.ts";

/** Resolves after this many turns of the microtask queue: order without a clock. */
async function turns<T>(count: number, value: T): Promise<T> {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
  return value;
}

test("keeps the order of the items and never exceeds the limit", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 9 })), fc.integer({ min: 1, max: 5 }), async (waits, limit) => {
      let running = 0;
      let most = 0;
      const results = await mapLimit(waits, limit, async (wait, index) => {
        running += 1;
        most = Math.max(most, running);
        const value = await turns(wait, index);
        running -= 1;
        return value;
      });
      expect(results).toEqual(waits.map((_, index) => index));
      expect(most).toBeLessThanOrEqual(limit);
    }),
  );
});

test("throws the first failure, not the cancellations it caused, after all running calls have ended", async () => {
  let ended = 0;
  const work = async (item: number, _index: number, signal: AbortSignal): Promise<number> => {
    try {
      if (item === 2) throw new EngineError("custom:broken", "item 2 broke");
      await new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new EngineError("cancelled", "stopped")));
      });
      return item;
    } finally {
      ended += 1;
    }
  };
  await expect(mapLimit([0, 1, 2, 3, 4, 5], 3, work)).rejects.toThrow("item 2 broke");
  expect(ended).toBe(3);
});

test("stops when the caller's signal fires, with the reason as cause", async () => {
  const controller = new AbortController();
  const started: number[] = [];
  const promise = mapLimit(
    [1, 2, 3, 4],
    2,
    async (item, _index, signal) => {
      started.push(item);
      if (item === 2) controller.abort(new Error("Ctrl-C"));
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener("abort", () => resolve());
      });
      return item;
    },
    { signal: controller.signal },
  );
  await expect(promise).rejects.toMatchObject({ code: "cancelled", cause: { message: "Ctrl-C" } });
  expect(started).toEqual([1, 2]);
});

test("reads at most `limit` items ahead of the consumer and closes the source when the consumer leaves", async () => {
  let read = 0;
  let closed = false;
  async function* source(): AsyncGenerator<number> {
    try {
      for (;;) {
        read += 1;
        yield read;
      }
    } finally {
      closed = true;
    }
  }
  for await (const value of streamLimit(source(), 3, async (item) => turns(1, item))) {
    expect(read).toBeLessThanOrEqual(value + 3);
    if (value === 10) break;
  }
  expect(closed).toBe(true);
});

test("refuses a limit that is not a whole number of at least 1", async () => {
  await expect(mapLimit([1], 0, async (item) => item)).rejects.toThrow(/limit 0 is not a whole number/);
  await expect(mapLimit([1], 1.5, async (item) => item)).rejects.toThrow(/limit 1\.5/);
});

test("any number of calls may listen to their signal without a warning", async () => {
  const warned: string[] = [];
  const hear = ({ name }: Error): void => void warned.push(name);
  process.on("warning", hear);
  const items = Array.from({ length: 30 }, (_, at) => at);
  await mapLimit(items, 30, async (item, _index, signal) => {
    signal.addEventListener("abort", () => undefined, { once: true });
    return turns(2, item);
  });
  // Warnings come in a later turn of the loop.
  await new Promise((done) => setImmediate(done));
  process.off("warning", hear);
  expect(warned).toEqual([]);
});
