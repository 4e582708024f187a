/** Waiting that can be given up. */
import { EngineError } from "../base/index.ts";

/** The promise's own outcome, or "cancelled" as soon as the signal fires. The promise itself is not stopped. */
export async function abortable<T>(promise: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await promise;
  return await new Promise<T>((resolve, reject) => {
    const give = (): void => reject(new EngineError("cancelled", "The work was cancelled.", { cause: signal.reason }));
    // Watched to its end even when given up, so that a late failure is no unhandled rejection.
    void Promise.resolve(promise)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", give));
    if (signal.aborted) give();
    else signal.addEventListener("abort", give, { once: true });
  });
}
