/**
 * A worker that cannot write, or fails whatever it takes, would empty the queue faster than others can work. It pauses, longer
 * each time, and then tries again. The time is the machine's own, not the time of day.
 */
import type { Worker } from "bullmq";
import { errorData } from "../base/index.ts";
import type { Paused } from "./heartbeat.ts";

export interface Pause {
  begin(state: Paused["state"], error: unknown): void;
  /** Something was played and delivered. */
  end(): void;
  close(): void;
}

type PauseEvent = { readonly kind: Paused["state"]; readonly message: string; readonly waitMs: number };

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;

export function createPause(
  workers: () => readonly Worker[],
  say: (why: Paused | undefined) => void,
  onEvent: (event: PauseEvent) => void,
): Pause {
  let waitMs = FIRST_MS;
  let timer: NodeJS.Timeout | undefined;
  return {
    begin: (state, error) => {
      if (timer !== undefined) return;
      const { message } = errorData(error);
      say({ state, message });
      onEvent({ kind: state, message, waitMs });
      // A worker that is closing takes no more jobs anyway.
      for (const worker of workers()) void worker.pause(true).catch(() => undefined);
      timer = setTimeout(() => {
        timer = undefined;
        // A worker that is closing does not go on.
        for (const worker of workers()) void worker.resume().catch(() => undefined);
      }, waitMs);
      waitMs = Math.min(waitMs * 2, LONGEST_MS);
    },
    end: () => {
      waitMs = FIRST_MS;
      say(undefined);
    },
    close: () => clearTimeout(timer),
  };
}
