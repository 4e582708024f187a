/** Jobs that were given up, and the error that says so. */
import { EngineError } from "limbeck-base/base/errors";

/** A job that was given up after all its attempts. */
export interface Parked {
  readonly task: string;
  readonly job: string;
  readonly attempts: number;
  readonly error: string;
}

/** The error for work of which some had to be given up. */
export function parkedError(parked: readonly Parked[], tasks: number): EngineError {
  const [first] = parked;
  return new EngineError(
    "jobs-parked",
    `${parked.length} of ${tasks} tasks were given up after their retries; the others are stored. The first, ${first?.task ?? ""}: ${first?.error ?? ""} "limbeck fleet" lists them, "limbeck fleet --retry" tries again.`,
    { details: { parked } },
  );
}
