/** Runs what must not fail the agent. */

/** The result, or undefined after a failure, which is reported. */
export type Safely = <T>(work: () => T) => T | undefined;

export function createSafely(onError: ((error: unknown) => void) | undefined): {
  readonly safely: Safely;
  readonly report: (error: unknown) => void;
} {
  const report = (error: unknown): void => {
    try {
      onError?.(error);
    } catch {
      // A listener that fails must not fail the agent either.
    }
  };
  const safely: Safely = (work) => {
    try {
      return work();
    } catch (error) {
      report(error);
      return undefined;
    }
  };
  return { safely, report };
}
