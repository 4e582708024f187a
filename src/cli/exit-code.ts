/** What the exit code says. The numbers are API. */
import { errorCode, isAbort } from "../base/index.ts";

export const EXIT = { done: 0, failed: 1, usage: 2, badInput: 3, interrupted: 130 } as const;

export const EXIT_MEANING: Readonly<Record<number, string>> = {
  [EXIT.done]: "done",
  [EXIT.failed]: "failed: the work could not be finished",
  [EXIT.usage]: "wrong usage: a command, option, name or value that does not exist",
  [EXIT.badInput]: "bad input: a file, a stored segment or an SQL statement that cannot be read",
  [EXIT.interrupted]: "interrupted by Ctrl-C; what was committed is kept",
};

/** Codes whose cure is to type something else. */
const USAGE_CODES: ReadonlySet<string> = new Set([
  "ambiguous-id",
  "bad-options",
  "bad-run-id",
  "needs-yes",
  "no-run",
  "not-in-this-release",
  "read-only",
  "read-only-format",
  "run-exists",
  "target-exists",
  "trajectory-missing",
  "unknown-name",
  "usage",
]);

/** Codes whose cure is another input. */
const INPUT_CODES: ReadonlySet<string> = new Set([
  "bad-commit",
  "bad-game",
  "bad-input",
  "bad-run",
  "bad-sql",
  "commit-missing",
  "file-missing",
  "file-unreadable",
  "format-unknown",
  "needs-unmet",
  "newer-format",
  "no-files",
  "no-games",
  "no-migration",
  "not-a-file",
  "path-outside",
  "segment-damaged",
  "segment-missing",
  "too-few-tokens",
  "unknown-game",
  "unsatisfiable-goal",
]);

export function exitCodeFor(error: unknown): number {
  if (isAbort(error)) return EXIT.interrupted;
  const code = errorCode(error) ?? "";
  if (USAGE_CODES.has(code)) return EXIT.usage;
  return INPUT_CODES.has(code) ? EXIT.badInput : EXIT.failed;
}
