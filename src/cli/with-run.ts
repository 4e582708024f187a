/** One run from the command line, for commands that are not operations yet: errors become an exit code. */
import { isAbort } from "../base/errors.ts";
import type { RunEnd, RunPlace, RunWork } from "../run/with-run.ts";
import type { Invocation } from "./command.ts";
import { EXIT, exitCodeFor } from "./exit-code.ts";

export async function withRun(
  invocation: Invocation,
  work: Omit<RunWork, "place" | "say"> & {
    readonly place?: RunPlace;
    readonly say: (end: RunEnd) => number | void;
  },
): Promise<number> {
  let code: number | void = EXIT.done;
  const place = work.place ?? { root: invocation.storeRoot, id: invocation.text("run") };
  try {
    const { withRun: fillRun } = await import("../run/with-run.ts");
    await fillRun(invocation.io, { ...work, place, say: (end) => void (code = work.say(end)) });
    return code ?? EXIT.done;
  } catch (error) {
    if (work.reportsStop === true || !isAbort(error)) invocation.report(error);
    return exitCodeFor(error);
  }
}
