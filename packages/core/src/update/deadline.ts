/** Time as a budget: what is left of it, and the end of the work where nothing is. */
import { EngineError, errorCode } from "limbeck-base/base/errors";

/** What a training or an evaluation may spend. */
export interface TimeBudget {
  /** Counted from its beginning. Default: any. */
  readonly seconds?: number | undefined;
}

export interface Deadline {
  /** Seconds in all. */
  readonly seconds: number;
  /** Seconds that are left; 0 where the time is up. */
  left(): number;
  /** Throws "budget" where the time is up. Whoever is about to call a model asks first. */
  readonly check: () => void;
}

/** `now` gives milliseconds. No budget, no deadline. */
export function createDeadline({ seconds }: TimeBudget, now: () => number): Deadline | undefined {
  if (seconds === undefined) return undefined;
  if (!(seconds >= 0)) {
    throw new EngineError("bad-limit", `A budget of ${seconds} seconds is not a number of at least 0.`);
  }
  const started = now();
  const left = (): number => Math.max(0, seconds - (now() - started) / 1_000);
  return {
    seconds,
    left,
    check: () => {
      if (left() > 0) return;
      throw new EngineError("budget", `The budget of ${seconds} seconds is spent.`, { details: { seconds } });
    },
  };
}

/** Whether the work ended because its time was up. */
export function isTimeUp(error: unknown, deadline: Deadline | undefined): deadline is Deadline {
  return deadline !== undefined && deadline.left() === 0 && errorCode(error) === "budget";
}
