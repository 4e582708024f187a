/** Why a call outside failed, in one short line that is safe to store and to print. */
import { isAbort } from "limbeck-base/base/errors";
import { unscored } from "limbeck-base/trajectory/score";
import type { Score } from "limbeck-base/trajectory/trajectory";

const LONGEST = 200;

/** Text of others on one line: no control characters, not too long. */
export function oneLine(text: string, longest = LONGEST): string {
  // oxlint-disable-next-line no-control-regex -- these are what must not reach a terminal or a log
  const clean = text.replaceAll(/[\u0000-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]+/g, " ").trim();
  return clean.length > longest ? `${clean.slice(0, longest).trimEnd()}...` : clean;
}

/** A failure is unscored, never zero. A cancelled run is no failure and goes on being thrown. */
export function failureScore(who: string, error: unknown): Score {
  if (isAbort(error)) throw error;
  return unscored(`${who} failed: ${oneLine(error instanceof Error ? error.message : String(error))}`);
}
