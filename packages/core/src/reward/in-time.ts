/**
 * What comes from outside, with a limit for every call. A judge that never answers would stop a training for ever; late,
 * it has failed like any other that failed, and what it should have scored is unscored.
 */
import { EngineError, isAbort } from "limbeck-base/base/errors";
import type { Givens } from "./reward.ts";

/** Seconds that one call may take. A judge on a slow machine that is asked by many at once takes a minute. */
export const CALL_SECONDS = 300;

const ASKED = ["judge", "verify", "scoreSteps", "scoreTokens"] as const;

export function inTime(givens: Givens, seconds: number): Givens {
  const limited = ASKED.flatMap((name) => {
    const call = givens[name] as ((...given: unknown[]) => unknown) | undefined;
    return call === undefined
      ? []
      : [[name, (...given: unknown[]) => answered(() => call(...given), seconds, givens.signal)] as const];
  });
  return { ...givens, ...(Object.fromEntries(limited) as Partial<Givens>) };
}

/** What answers at once is handed on at once. */
function answered(call: () => unknown, seconds: number, signal: AbortSignal | undefined): unknown {
  const answer = call();
  return answer instanceof Promise ? waited(answer, seconds, signal) : answer;
}

async function waited(answer: Promise<unknown>, seconds: number, signal: AbortSignal | undefined): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  let stop: (() => void) | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new EngineError("timeout", `it did not answer within ${seconds} seconds`)),
      seconds * 1_000,
    );
    stop = () => reject(new EngineError("cancelled", "The run was cancelled.", { cause: signal?.reason }));
    signal?.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([answer, late]);
  } catch (error) {
    // Somebody's own time limit ends in the same error as a run that was cancelled; only the signal knows.
    if (!isAbort(error) || signal?.aborted === true) throw error;
    throw new EngineError("timeout", `it gave up: ${(error as Error).message}`, { cause: error });
  } finally {
    clearTimeout(timer);
    if (stop !== undefined) signal?.removeEventListener("abort", stop);
  }
}
