/**
 * What an error of a client says, in the words that the proxy has for the same: it sees the connection, not the error, and a
 * recording must not depend on who wrote it down.
 */
import type { ReadAnswer } from "./wire/shape.ts";
import { BROKEN_OFF, CLIENT_LEFT, unreachable, type Fault } from "./lines.ts";

interface Fields {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly type?: unknown;
  readonly message?: unknown;
  readonly statusCode?: unknown;
  readonly cause?: unknown;
}

const DEEPEST = 5;
/** No connection came about, or it ended before an answer began. */
const NO_CONNECTION =
  /^(?:ECONN(?:REFUSED|RESET|ABORTED)|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|E(?:HOST|NET)UNREACH|EPIPE|UND_ERR_(?:CONNECT_TIMEOUT|SOCKET|HEADERS_TIMEOUT))$/;

/** `answering`: the answer had begun. */
export function readFault(error: unknown, answering = false): Fault {
  if (typeof error === "string") return { code: "provider-error", message: error };
  const chain = causesOf(error);
  if (chain.some(({ name }) => name === "AbortError" || name === "TimeoutError")) return CLIENT_LEFT;
  const [first = {}] = chain;
  const { statusCode, message } = first;
  if (typeof statusCode === "number" && statusCode >= 400)
    return { code: `http-${statusCode}`, message: textOf(message, error) };
  const cut = chain.find(({ code, message: said }) => isConnection(code) || said === "terminated");
  if (cut !== undefined) {
    const begun = answering || typeof statusCode === "number" || cut.message === "terminated";
    return begun ? BROKEN_OFF : unreachable(textOf(cut.message, error));
  }
  if (typeof statusCode === "number") return { code: "bad-answer", message: textOf(message, error) };
  const code = [first.code, first.type].find((name) => typeof name === "string" && name !== "");
  return { code: typeof code === "string" ? code : "error", message: textOf(message, error) };
}

/** An answer whose stream came to its end (`whole`), broke with an error, or was left by its reader. */
export function cutShort(answer: ReadAnswer, whole: boolean, error: unknown): ReadAnswer {
  if (whole || answer.complete) return answer;
  return { ...answer, error: error === undefined ? CLIENT_LEFT : readFault(error, true), complete: false };
}

function causesOf(error: unknown): Fields[] {
  const chain: Fields[] = [];
  for (let at = error; typeof at === "object" && at !== null && chain.length < DEEPEST; at = (at as Fields).cause) {
    chain.push(at);
  }
  return chain;
}

function isConnection(code: unknown): boolean {
  return typeof code === "string" && NO_CONNECTION.test(code);
}

function textOf(message: unknown, error: unknown): string {
  return typeof message === "string" ? message : String(error);
}
