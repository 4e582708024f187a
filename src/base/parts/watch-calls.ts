/**
 * A loop that begins after an `await` in a call of a user's file blocks the thread and with it every timer. Another thread
 * looks on: when the main thread has done nothing else for long, while a call of a file was open, it ends what runs there.
 * The call never settles; its own timer, which can now come, says why.
 */
import { isMainThread, Worker } from "node:worker_threads";
import { callState, IDLE_LIMITS } from "./contain.ts";

const POLLS = 20;
const BEAT_MS = 200;

/** Looks are counted, not seconds: a machine that slept has not stood still. */
const PROGRAM = `
const { Session } = require("node:inspector");
const { workerData: { state, polls, pollMs } } = require("node:worker_threads");
const session = new Session();
session.connectToMainThread();
let [last, same] = [-1, 0];
setInterval(() => {
  const beat = Atomics.load(state, 1);
  same = Atomics.load(state, 0) > 0 && beat === last ? same + 1 : 0;
  last = beat;
  if (same < polls) return;
  same = 0;
  session.post("Runtime.terminateExecution");
}, pollMs);
`;

let isWatched = false;

/**
 * Begins to look on, once; it holds up nothing. The thread may stand still for as long as nothing may happen in a call that
 * lets the engine work: far longer than the engine itself ever takes. Only the main thread can be watched so.
 */
export function watchCalls(seconds: number): void {
  if (isWatched || !isMainThread) return;
  isWatched = true;
  const pollMs = Math.max(BEAT_MS, (seconds * IDLE_LIMITS * 1_000) / POLLS);
  const thread = new Worker(PROGRAM, {
    eval: true,
    workerData: { state: callState, polls: POLLS, pollMs },
    execArgv: [],
  });
  thread.unref();
  // Without an inspector (a Node built without one) such a loop is not ended; everything else is as it was.
  thread.on("error", () => undefined);
  setInterval(() => Atomics.add(callState, 1, 1), BEAT_MS / 2).unref();
}
