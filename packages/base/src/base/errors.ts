/**
 * Errors as data: a stable code to branch on, a message for a person, details for a program, and the cause.
 *
 * A message names the thing, the value, what is allowed and the way out.
 */
import type { EngineErrorCode } from "./error-codes.ts";

/** The plain form of an error, as it is stored and printed with `--json`. Its code may come from anywhere. */
export interface PlainError {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: PlainError;
}

/**
 * The one error class of the engine. `code` is API; `message` may improve at any time.
 *
 * @example
 * const error = new EngineError("not-found", "There is no run called demo.", { details: { run: "demo" } });
 * console.log(error.code, error.details); // not-found { run: "demo" }
 */
export class EngineError extends Error {
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: EngineErrorCode,
    message: string,
    options: { readonly details?: Readonly<Record<string, unknown>>; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "EngineError";
    this.code = code;
    this.details = options.details ?? {};
  }

  /** An error received as data (from a thread, a world, a file), thrown with its own code. */
  static from({ code, message, details }: PlainError, cause?: unknown): EngineError {
    return new EngineError(code as EngineErrorCode, message, { ...(details === undefined ? {} : { details }), cause });
  }

  toJSON(): PlainError {
    return errorData(this);
  }
}

/**
 * Any thrown value as data. Node's own codes (ENOSPC, EACCES) are kept; what has none is "internal".
 *
 * @example
 * console.log(errorData(new TypeError("x is not a number"))); // { code: "internal", message: "x is not a number" }
 */
export function errorData(error: unknown): PlainError {
  if (!(error instanceof Error)) return { code: "internal", message: String(error) };
  const details = error instanceof EngineError ? error.details : {};
  return {
    code: errorCode(error) ?? "internal",
    message: error.message,
    ...(Object.keys(details).length > 0 ? { details } : {}),
    ...(error.cause === undefined ? {} : { cause: errorData(error.cause) }),
  };
}

/**
 * The code of an engine error or of a Node system error, if it has one.
 *
 * @example
 * import { readFile } from "node:fs/promises";
 *
 * const code = await readFile("no-such-file").catch(errorCode);
 * console.log(code); // ENOENT
 */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/**
 * True when the work was cancelled through an AbortSignal rather than failed.
 *
 * @example
 * const cancelled = AbortSignal.abort().reason;
 * console.log(isAbort(cancelled), isAbort(new Error("the disk is full"))); // true false
 */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || errorCode(error) === "cancelled");
}

/**
 * Throws a "cancelled" error when the signal has fired; the signal's own reason is the cause.
 *
 * @example
 * import { errorCode } from "limbeck-base/base/errors";
 *
 * try {
 *   throwIfAborted(AbortSignal.abort());
 * } catch (error) {
 *   console.log(errorCode(error)); // cancelled
 * }
 */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new EngineError("cancelled", "The work was cancelled.", { cause: signal.reason });
}

/** What was asked for in a way that cannot be meant. */
export function usageError(message: string, details: Readonly<Record<string, unknown>> = {}): EngineError {
  return new EngineError("usage", message, { details });
}

const silent = new WeakSet<object>();

/** The same error, which ends the work as every error does, and of which nothing is printed. */
export function withoutReport<Thrown>(error: Thrown): Thrown {
  if (typeof error === "object" && error !== null) silent.add(error);
  return error;
}

export function isReported(error: unknown): boolean {
  return !(typeof error === "object" && error !== null && silent.has(error));
}
