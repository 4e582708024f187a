/** Errors as answers: a status for the browser, a code for programs, a sentence for people. */
import { exitClassOf } from "../../base/exit-class.ts";
import { errorData, isAbort, type EngineErrorCode } from "../../base/index.ts";
import type { ApiError } from "../api/base.ts";

const STATUS = {
  "bad-request": 400,
  "bad-run-id": 400,
  "bad-sql": 400,
  "bad-host": 403,
  "bad-origin": 403,
  "command-refused": 403,
  "address-refused": 403,
  "read-only": 403,
  "not-writable": 403,
  unauthorised: 401,
  "not-found": 404,
  "no-run": 404,
  "no-trajectory": 404,
  "no-group": 404,
  "no-skill": 404,
  "no-library": 404,
  "no-arena": 404,
  "no-game": 404,
  "no-model": 404,
  "unknown-name": 404,
  "too-slow": 408,
  "episode-ended": 409,
  quarantined: 409,
  "needs-yes": 409,
  "labels-changed": 409,
  "library-busy": 409,
  "wrong-media": 415,
  "too-large": 413,
  // A stored episode whose world has changed since.
  "bad-task": 422,
  "too-many": 429,
  "redis-away": 503,
} as const satisfies Partial<Record<EngineErrorCode, number>>;

/** What is asked for in a wrong way is the request's fault; what is wrong with the store is nobody's, and the page shows the message. */
export function statusOf(code: string): number {
  if (Object.hasOwn(STATUS, code)) return STATUS[code as keyof typeof STATUS];
  return exitClassOf(code) === "usage" ? 400 : 500;
}

export function problemOf(error: unknown): { readonly status: number; readonly body: ApiError } {
  if (isAbort(error)) {
    const body = { error: { code: "cancelled", message: "The request was given up before it was answered." } };
    return { status: 499, body };
  }
  const { code, message, details } = errorData(error);
  const shown =
    details === undefined ? {} : { details: JSON.parse(JSON.stringify(details)) as Record<string, unknown> };
  return { status: statusOf(code), body: { error: { code, message, ...shown } } };
}
