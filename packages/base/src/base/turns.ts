/** Work that never waits for anything outside keeps signals, timers and sockets waiting: now and then they have their turn. */
import { setImmediate as nextTurn } from "node:timers/promises";

/** A signal is heard after so much of such work at the latest. Work that waits by itself in between never notices. */
const SLICE_MS = 50;
/** When work was first seen since the last turn; undefined after each. */
let since: number | undefined;

/** Something to wait for where the work has gone on without a turn for too long; else undefined, so that nothing is waited for in vain. */
export function turnDue(): Promise<void> | undefined {
  if (since === undefined) {
    since = performance.now();
    setImmediate(() => (since = undefined)).unref();
    return undefined;
  }
  return performance.now() - since < SLICE_MS ? undefined : nextTurn();
}
