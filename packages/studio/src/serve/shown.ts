/** What the server, the terminal and the pages work out alike. Pages import values from here: no schema and no server code comes along. */
import type { RunStatus } from "./api/runs.ts";

export { hasInterval } from "limbeck-base/base/statistics/student-t";
export { storedWorldWords } from "limbeck-core/env/world-words";

/** Whether it is still being written. */
export function goesOn(status: RunStatus | undefined): boolean {
  return status === "starting" || status === "running";
}
