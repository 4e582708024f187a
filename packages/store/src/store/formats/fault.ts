/** What is wrong at one place of a file: thrown, or reported and skipped when the import is lenient. */
import { EngineError } from "limbeck-base/base/errors";
import type { EngineErrorCode } from "limbeck-base/base/error-codes";
import { quote } from "./bytes.ts";
import type { ReadOptions } from "./source.ts";

export interface FileLine {
  readonly file: string;
  readonly line: number;
}

/** An error whose message begins with the file and the line. */
export function faultAt(
  place: FileLine,
  code: EngineErrorCode,
  message: string,
  details: Record<string, unknown> = {},
): EngineError {
  return new EngineError(code, `${quote(place.file)}, line ${place.line}: ${message}`, {
    details: { file: place.file, line: place.line, ...details },
  });
}

/** Reports the fault when lenient, throws it otherwise. What is not a fault of the input (a cancellation) always passes. */
export function skipOrThrow(error: unknown, place: FileLine, options: ReadOptions): void {
  const about = error instanceof EngineError && error.details["line"] !== undefined;
  if (options.lenient !== true || !about) throw error;
  options.onSkip?.({ file: place.file, line: place.line, code: error.code, message: error.message });
}

/** The result of reading one value, or undefined when it was faulty and is skipped. */
export function attempt<T>(place: FileLine, options: ReadOptions, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    // A value nested a hundred thousand levels deep exhausts the stack of any walk over it.
    const deep = error instanceof RangeError;
    const message = "the value is nested too deeply to be read.";
    skipOrThrow(deep ? faultAt(place, "too-deep", message) : error, place, options);
    return undefined;
  }
}
