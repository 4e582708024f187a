/** Work that is under way or done, by number. A result can be fetched any number of times, until newer ones push it out. */
import { EngineError } from "limbeck-base/base/errors";
import { HttpFailure } from "./http-failure.ts";

export interface Futures {
  /** Starts the work and answers with its number. */
  begin(work: () => Promise<object>): string;
  /** Waits for the result; a failure of the work is a 400, whatever it was. */
  wait(id: string, timeoutMs: number): Promise<object>;
  /** How much is under way or waits for its turn. */
  pending(): number;
  /** How much was handed in in all. */
  begun(): number;
}

interface Future {
  readonly result: Promise<object>;
  settled: boolean;
  fetched: boolean;
}

/** Results that are kept. Those that were fetched go first. */
const KEPT = 4_096;
/** Work that waits; more is refused with a 429, and clients come back. */
const MOST_PENDING = 4_096;

/**
 * Numbers begin with the time: a client that waits through a restart must not be given another one's result for its own.
 */
export function createFutures(now: number, most: number = MOST_PENDING): Futures {
  const all = new Map<string, Future>();
  const first = now * 100;
  let last = first;
  let pending = 0;
  const makeRoom = (): void => {
    if (all.size < KEPT) return;
    const settled = [...all].filter(([, future]) => future.settled);
    const [id] = settled.find(([, future]) => future.fetched) ?? settled[0] ?? [];
    if (id !== undefined) all.delete(id);
  };
  return {
    pending: () => pending,
    begun: () => last - first,
    begin: (work) => {
      if (pending >= most) {
        throw new HttpFailure(429, `${pending} pieces of work wait here already; hand it in again in a moment.`);
      }
      pending += 1;
      makeRoom();
      last += 1;
      const id = String(last);
      const future: Future = { result: work(), settled: false, fetched: false };
      // It may never be asked for; that is no reason to end the process.
      const settle = (): void => {
        future.settled = true;
        pending -= 1;
      };
      future.result.then(settle, settle);
      all.set(id, future);
      return id;
    },
    wait: async (id, timeoutMs) => {
      if (!/^\d{1,15}$/.test(id)) throw new HttpFailure(422, `request_id "${id.slice(0, 40)}" is not a number.`);
      const future = all.get(id);
      if (future === undefined) {
        const known = Number(id) <= last && Number(id) > first;
        throw known
          ? new HttpFailure(410, `The result of ${id} has expired; hand the request in again.`)
          : new HttpFailure(404, `Future ${id} not found.`);
      }
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<"late">((resolve) => {
        timer = setTimeout(() => resolve("late"), timeoutMs);
      });
      try {
        const outcome = await Promise.race([future.result, late]);
        if (outcome === "late") throw new HttpFailure(408, `Future ${id} is not ready yet; ask again.`);
        future.fetched = true;
        return outcome;
      } catch (error) {
        throw asFailure(error);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

/** Refusals keep their status; failed work is a 400, and only its message goes out. */
function asFailure(error: unknown): HttpFailure {
  if (error instanceof HttpFailure) return error.status === 408 ? error : new HttpFailure(400, error.detail);
  if (error instanceof EngineError) return new HttpFailure(400, error.message);
  return new HttpFailure(400, `The work failed: ${error instanceof Error ? error.message : String(error)}`);
}
