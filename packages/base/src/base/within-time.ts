/**
 * A call that may try for ever is ended: patterns that came with a file can look at the same letters again and again. V8 looks for an
 * interruption between its tries, inside of patterns too; nothing else of the thread has its turn meanwhile.
 */
import { Script } from "node:vm";

const PLACE = Symbol.for("limbeck.within-time");
const places = globalThis as { [PLACE]?: () => unknown };
const script = new Script('globalThis[Symbol.for("limbeck.within-time")]()');

/** The call's own result; `late` makes the error when its time is up. One such call costs a tenth of a millisecond. */
export function withinTime<Result>(limitMs: number, call: () => Result, late: () => Error): Result {
  const outer = places[PLACE];
  places[PLACE] = call;
  try {
    return script.runInThisContext({ timeout: limitMs }) as Result;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT" ? late() : error;
  } finally {
    if (outer === undefined) delete places[PLACE];
    else places[PLACE] = outer;
  }
}
