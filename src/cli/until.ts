/** Waiting until a person or a clock ends it. */

/** Resolves when it is stopped, or after a time. */
export function until(signal: AbortSignal, ms: number | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
