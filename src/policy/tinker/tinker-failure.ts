/**
 * What a trainer's refusal means. `detail` may be a text, a list in FastAPI's shape, or absent, and a body of status 500
 * is plain text; none of it is trusted: it is cut, and keys and control characters are taken out.
 */
import { EngineError, type EngineErrorCode } from "../../base/index.ts";
import { redact } from "../chat/redact.ts";

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs?: number | undefined;
}

/** Statuses after which the same request may succeed. A 409 is a real conflict on SkyRL, a 500 most often a bad payload. */
const RETRYABLE = new Set([408, 425, 429, 502, 503, 504, 529]);

/** What kind of request was refused decides what a 404 or a 400 means. */
export type RequestKind = "submit" | "future" | "look";

export function failureOf(answer: Answer, what: string, kind: RequestKind, apiKey: string | undefined): EngineError {
  const { status, retryAfterMs } = answer;
  const said = redact(detailOf(answer.text), [apiKey]) || "no reason given";
  const [code, message] = meaning(status, said, what, kind);
  return new EngineError(code, message, {
    details: {
      status,
      detail: said,
      retryable: RETRYABLE.has(status),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  });
}

function meaning(
  status: number,
  said: string,
  what: string,
  kind: RequestKind,
): [code: EngineErrorCode, message: string] {
  if (status === 401 || status === 403) {
    return [
      "trainer-key-refused",
      `The trainer refused the API key (status ${status}: ${said}). Give the right one in TINKER_API_KEY or as apiKey.`,
    ];
  }
  if (status === 402) {
    return ["trainer-unpaid", `The trainer has paused for billing (status 402: ${said}). Settle it, then resume.`];
  }
  const forgot = /not loaded|unknown model|model.*not found|session.*not found|unknown session/i.test(said);
  if (forgot && (status === 400 || status === 404)) {
    return [
      "trainer-forgot",
      `The trainer no longer knows this session or model (${what}: ${said}). It was restarted, or the session timed out. Continue from the last checkpoint with --resume, or start again.`,
    ];
  }
  if (status === 410) return ["trainer-future-expired", `The result of ${what} has expired on the trainer: ${said}.`];
  if (status === 404) {
    return [
      kind === "future" ? "trainer-forgot" : "trainer-missing",
      kind === "future"
        ? `The trainer has no record of ${what} (${said}); it was restarted. Continue from the last checkpoint with --resume.`
        : `The trainer has no such thing: ${what} (${said}).`,
    ];
  }
  if (kind === "future" && status === 400) return ["trainer-work-failed", `The trainer could not do ${what}: ${said}.`];
  if (status >= 500) return ["trainer-failed", `The trainer failed at ${what} (status ${status}: ${said}).`];
  return ["trainer-refused", `The trainer refused ${what} (status ${status}): ${said}.`];
}

/** The text of `detail`, whatever its form. */
export function detailOf(text: string): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof body !== "object" || body === null) return String(body);
  const { detail, error } = body as { readonly detail?: unknown; readonly error?: unknown };
  if (typeof detail === "string") return detail;
  if (Array.isArray(detail)) return detail.map((issue) => issueText(issue)).join("; ");
  return typeof error === "string" ? error : JSON.stringify(body);
}

function issueText(issue: unknown): string {
  if (typeof issue !== "object" || issue === null) return String(issue);
  const { loc, msg } = issue as { readonly loc?: unknown; readonly msg?: unknown };
  return `${Array.isArray(loc) ? loc.join(".") : "request"}: ${typeof msg === "string" ? msg : "refused"}`;
}

/** Nobody answered at all. */
export function unreachable(address: string, what: string, reason: string): EngineError {
  return new EngineError(
    "trainer-unreachable",
    `No trainer answers at ${address} (${what}: ${reason}). Start it ("limbeck trainer --model DIR") or check the address.`,
    { details: { retryable: true } },
  );
}
