/** What the exit code says. The numbers are API. */
import { errorCode, isAbort } from "limbeck-base/base/errors";
import { exitClassOf } from "limbeck-base/base/exit-class";

export const EXIT = { done: 0, failed: 1, usage: 2, input: 3, gate: 4, interrupted: 130 } as const;

export const EXIT_MEANING: Readonly<Record<number, string>> = {
  [EXIT.done]: "done",
  [EXIT.failed]: "failed: the work could not be finished",
  [EXIT.usage]: "wrong usage: a command, option, name or value that does not exist or does not fit",
  [EXIT.input]: "bad input: a file, a stored run or an SQL statement that cannot be read or used",
  [EXIT.gate]: "a gate did not pass: the work was done, and its result is not good enough",
  [EXIT.interrupted]: "interrupted by Ctrl-C; what was committed is kept",
};

/** By what cures the error (`base/error-codes.ts`). */
export function exitCodeFor(error: unknown): number {
  return isAbort(error) ? EXIT.interrupted : EXIT[exitClassOf(errorCode(error))];
}
