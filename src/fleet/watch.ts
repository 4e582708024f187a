/**
 * Knows when to look: at jobs of which an event came, and at all of them every few seconds, because events can be
 * missed while a connection is gone. Time is the machine's own, so that a clock that jumps changes nothing.
 */
import type { WorkerReport } from "./fleet-report.ts";

export interface Watch {
  /** Something happened to this job. */
  touch(key: string): void;
  /** Waits until there is something to look at. */
  next(signal: AbortSignal | undefined): Promise<{ readonly touched: readonly string[]; readonly all: boolean }>;
  /** Whether a job has been waiting for its next attempt for longer than any back-off. */
  overdue(key: string, delayed: boolean): boolean;
  close(): void;
}

export interface WatchOptions {
  readonly everyMs: number;
  /** The longest back-off. */
  readonly backOffMs: number;
  readonly workers: () => Promise<readonly WorkerReport[]>;
  readonly onNotice: (message: string) => void;
  readonly now?: () => number;
}

/** Rounds without a worker before somebody is told. */
const PATIENCE = 3;

export function createWatch(options: WatchOptions): Watch {
  const { everyMs, backOffMs, onNotice, now = () => performance.now() } = options;
  const touched = new Set<string>();
  const delayedSince = new Map<string, number>();
  let [due, rounds, told] = [false, 0, ""];
  let wake: (() => void) | undefined;
  const look = async (): Promise<void> => {
    due = true;
    wake?.();
    const workers = await options.workers();
    rounds = workers.length === 0 ? rounds + 1 : 0;
    const stuck = workers.filter(({ state }) => state === "blocked");
    const problem =
      rounds >= PATIENCE
        ? "No worker is there. Start one: limbeck worker --redis URL."
        : workers.length > 0 && stuck.length === workers.length
          ? `Every worker is blocked: ${stuck[0]?.problem ?? ""}`
          : "";
    if (problem !== "" && problem !== told) onNotice(problem);
    told = problem;
  };
  // While Redis is gone a look waits with it; the next ones must not queue up behind.
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    look()
      .catch(() => undefined)
      .finally(() => (looking = false));
  }, everyMs);
  return {
    touch: (key) => {
      touched.add(key);
      wake?.();
    },
    next: async (signal) => {
      if (touched.size === 0 && !due) {
        const stop = (): void => wake?.();
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal?.addEventListener("abort", stop, { once: true });
          if (signal?.aborted === true) resolve();
        });
        signal?.removeEventListener("abort", stop);
        wake = undefined;
      }
      const seen = { touched: [...touched], all: due };
      touched.clear();
      due = false;
      return seen;
    },
    overdue: (key, delayed) => {
      if (!delayed) {
        delayedSince.delete(key);
        return false;
      }
      const since = delayedSince.get(key) ?? now();
      delayedSince.set(key, since);
      return now() - since > backOffMs + everyMs;
    },
    close: () => {
      clearInterval(timer);
      wake?.();
    },
  };
}
