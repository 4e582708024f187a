/**
 * Results of heavy calls: a submit answers with a number at once, and asking for that number waits on the server. A failed
 * piece of work is a 400 of the question, although its submit had succeeded.
 */
import { EngineError, errorCode, throwIfAborted } from "limbeck-base/base/errors";
import { redact } from "../chat/endpoint.ts";
import type { Exchange, TinkerHttp } from "./http.ts";
import { readAs, submittedSchema, type Submitted } from "./wire.ts";

export interface Work {
  readonly path: string;
  readonly body: object;
  /** In an error's text. */
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
  /** Attempts of the submit. Default: the connection's own. */
  readonly attempts?: number;
}

/** One question waits this long; a proxy in between may cut longer ones. */
const POLL_MS = 45_000;
/** Half of the requests are saved where a server gives a result with its answer to the submit. */
const WAIT_SECONDS = 30;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** An answer that comes sooner was not waited for on the server. */
const EARLY_MS = 1_000;
/** The hosted service sends a result's size first; the next request follows at once. */
const FREE_QUESTIONS = 2;
/** Questions in a row that may fail for want of a connection: about eight minutes. */
const FAILED_POLLS = 20;
/** How often expired work is handed in again. */
const RESUBMITS = 2;

export async function submit(http: TinkerHttp, work: Work): Promise<string> {
  return (await handIn(http, work)).request_id;
}

async function handIn(http: TinkerHttp, work: Work, more: Pick<Exchange, "waitSeconds"> = {}): Promise<Submitted> {
  const { path, body, what, signal, attempts } = work;
  const exchange = { body, what, signal, ...more, ...(attempts === undefined ? {} : { attempts }) };
  return readAs(submittedSchema, await http.json(path, exchange), what);
}

/**
 * Asks until there is a result, for hours if need be: a server that answers "not yet", "too much" or "not now" is at work.
 * Only questions without an answer are counted, and a server that is started anew has their time to come back.
 */
export async function retrieve(
  http: TinkerHttp,
  requestId: string,
  { what, signal }: Pick<Work, "what" | "signal">,
): Promise<unknown> {
  let unanswered = 0;
  /** Refusals, and answers "not yet", in a row that came at once. */
  let [early, again] = [0, 0];
  for (;;) {
    throwIfAborted(signal);
    const asked = http.clock.now();
    let answer: unknown;
    try {
      answer = await http.json("/api/v1/retrieve_future", {
        body: { request_id: requestId },
        what,
        signal,
        kind: "future",
        attempts: 1,
        timeoutMs: POLL_MS,
      });
    } catch (error) {
      if (!(error instanceof EngineError) || error.details["retryable"] !== true) throw error;
      const { status, retryAfterMs } = error.details;
      unanswered = status === undefined ? unanswered + 1 : 0;
      if (unanswered > FAILED_POLLS) throw error;
      const isWaiting = status === 408 && http.clock.now() - asked >= EARLY_MS;
      early = isWaiting ? 0 : early + 1;
      // Not ready after a wait on the server: ask again at once.
      const times = status === 408 ? early - 1 : early;
      if (times > 0) await pause(http, times, signal, Number(retryAfterMs ?? 0));
      continue;
    }
    const state = readState(answer, what);
    if (state === "done") return answer;
    [unanswered, early] = [0, 0];
    again = http.clock.now() - asked < EARLY_MS && state === "again" ? again + 1 : 0;
    if (state === "paused") await pause(http, 2, signal);
    else if (again > FREE_QUESTIONS) await pause(http, again - FREE_QUESTIONS, signal);
  }
}

/** Submits and waits; work whose result has expired is handed in again. */
export async function perform(http: TinkerHttp, work: Work): Promise<unknown> {
  for (let resubmit = 0; ; resubmit += 1) {
    const { request_id, limbeck } = await handIn(http, work, { waitSeconds: WAIT_SECONDS });
    if (limbeck?.result !== undefined) return limbeck.result;
    try {
      return await retrieve(http, request_id, work);
    } catch (error) {
      if (errorCode(error) !== "trainer-future-expired" || resubmit >= RESUBMITS) throw error;
    }
  }
}

/** The hosted service has more answers than a result: not yet, only the size, and a failure with status 200. */
function readState(answer: unknown, what: string): "done" | "again" | "paused" {
  if (typeof answer !== "object" || answer === null) return "done";
  const { type, status, queue_state, error, category } = answer as Readonly<Record<string, unknown>>;
  if (type === "try_again") return queue_state === "active" ? "again" : "paused";
  if (status === "complete_metadata") return "again";
  if (typeof error !== "string" || category === undefined) return "done";
  const detail = redact(error, []);
  const details = { category: typeof category === "string" ? category : "unknown", detail };
  throw new EngineError("trainer-work-failed", `The trainer could not do ${what}: ${detail}.`, { details });
}

async function pause(http: TinkerHttp, times: number, signal: AbortSignal | undefined, leastMs = 0): Promise<void> {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (times - 1));
  await http.clock.delay(Math.max(leastMs, longest * (0.5 + http.rng.float() / 2)), signal);
}
