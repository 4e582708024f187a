/**
 * Knows when to look: at jobs of which an event came, and at all of them every few seconds, because events can be
 * missed while a connection is gone. Time is the machine's own, so that a clock that jumps changes nothing.
 */
import { EngineError } from "../base/index.ts";
import type { WorkerReport } from "./fleet-report.ts";
import { isSameLine, OWN_LINE, sayLine } from "./protocol.ts";

export interface Watch {
  /** Something happened to this job. */
  touch(key: string): void;
  /** Waits until there is something to look at. Fails where no worker is left that could do the work. */
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

/** Rounds without a worker before there is a notice. */
const PATIENCE = 3;
/** Rounds in which every worker was set aside before the work is given up; they tried again several times meanwhile. */
const HOPELESS = 15;

/** No worker is there, or none of the same release. */
function nobody(present: readonly WorkerReport[]): string {
  if (present.length === 0) return "No worker is there. Start one: limbeck worker --redis URL.";
  const others = present.map((worker) => `${worker.name} speaks ${sayLine(worker)}`).join(", ");
  return `No worker is there that could take the jobs: ${others}; this is ${sayLine(OWN_LINE)}. Use the same release everywhere.`;
}

function stuck(workers: readonly WorkerReport[]): string {
  const [first] = workers;
  if (first === undefined || workers.some(({ state }) => state !== "blocked" && state !== "set-aside")) return "";
  if (first.state === "blocked") return `Every worker is blocked: ${first.problem ?? ""}`;
  return `Every worker is set aside, because it failed several jobs in a row: ${first.problem ?? ""}`;
}

export function createWatch(options: WatchOptions): Watch {
  const { everyMs, backOffMs, onNotice, now = () => performance.now() } = options;
  const touched = new Set<string>();
  const delayedSince = new Map<string, number>();
  let [due, alone, hopeless, told] = [false, 0, 0, ""];
  let lost: EngineError | undefined;
  let wake: (() => void) | undefined;
  const look = async (): Promise<void> => {
    due = true;
    wake?.();
    const present = await options.workers();
    const workers = present.filter((worker) => isSameLine(worker, OWN_LINE));
    alone = workers.length === 0 ? alone + 1 : 0;
    const asideAll = workers.length > 0 && workers.every(({ state }) => state === "set-aside");
    hopeless = asideAll ? hopeless + 1 : 0;
    const problem = alone >= PATIENCE ? nobody(present) : stuck(workers);
    if (problem !== "" && problem !== told) onNotice(problem);
    told = problem;
    if (hopeless < HOPELESS) return;
    lost = new EngineError("jobs-parked", `${problem} What was asked for is taken back; mend it and ask again.`);
    wake?.();
  };
  // While Redis is gone a look waits with it; the next ones must not queue up behind.
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    look()
      // The next look comes soon; a Redis that stays away is noticed by its connection.
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
      if (lost !== undefined) throw lost;
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
