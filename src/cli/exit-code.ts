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
  "bad-attempts",
  "bad-history",
  "bad-limit",
  "bad-feedback",
  "bad-option",
  "bad-options",
  "bad-run-id",
  "bad-token",
  "cannot-fork",
  "duplicate-task",
  "folder-holds-another-model",
  "needs-key",
  "needs-yes",
  "nothing-to-resume",
  "other-plan",
  "other-training",
  "no-run",
  "no-shared-tasks",
  "not-in-this-release",
  "port-taken",
  "read-only",
  "read-only-format",
  "resume-differs",
  "run-exists",
  "target-exists",
  "token-needed",
  "trainer-key-refused",
  "trainer-lacks-model",
  "trajectory-missing",
  "unknown-name",
  "usage",
]);

/** Codes whose cure is another input. */
const INPUT_CODES: ReadonlySet<string> = new Set([
  "adapter-misfit",
  "bad-adapter-config",
  "bad-archive",
  "bad-chat-template",
  "bad-commit",
  "bad-element-type",
  "bad-game",
  "bad-input",
  "bad-json",
  "bad-model-config",
  "bad-otlp",
  "bad-recording",
  "bad-run",
  "bad-safetensors",
  "bad-sql",
  "bad-state",
  "bad-tensor-shape",
  "bad-token",
  "bad-tokenizer",
  "bad-weight-index",
  "commit-missing",
  "duplicate-tensor",
  "empty-prompt",
  "file-missing",
  "file-too-large",
  "file-unreadable",
  "format-unknown",
  "group-too-small",
  "missing-adapter",
  "missing-chat-template",
  "missing-state",
  "missing-tensor",
  "missing-tokenizer",
  "missing-weights",
  "needs-unmet",
  "newer-format",
  "no-files",
  "no-games",
  "no-migration",
  "no-progress",
  "no-tokens",
  "not-a-file",
  "not-a-model",
  "not-an-adapter",
  "parent-missing",
  "past-context",
  "path-outside",
  "segment-damaged",
  "segment-missing",
  "too-few-tokens",
  "unknown-architecture",
  "unknown-game",
  "unknown-tensor",
  "unsatisfiable-goal",
  "weights-not-finite",
]);

export function exitCodeFor(error: unknown): number {
  if (isAbort(error)) return EXIT.interrupted;
  const code = errorCode(error) ?? "";
  if (USAGE_CODES.has(code)) return EXIT.usage;
  return INPUT_CODES.has(code) ? EXIT.badInput : EXIT.failed;
}
