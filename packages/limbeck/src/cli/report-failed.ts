/** A report that could not be written after the work was done: what is kept, and how to make the report later. */
import { EngineError } from "limbeck-base/base/errors";

export function reportFailed(cause: unknown, kept: string, command: string): EngineError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new EngineError(
    "report-failed",
    `The work is done and kept; only its report failed. ${why}\n${kept}\nTo make the report later:\n  ${command}`,
    { details: { command }, cause },
  );
}
