/**
 * A loop that begins after an `await` in a call of a user's file blocks the thread and with it every timer. Another thread
 * looks on: when the main thread has done nothing else for long, while a call of a file was open, it ends what runs there.
 * The call never settles; its own timer, which can now come, says why.
 */
import { isMainThread, Worker } from "node:worker_threads";

/** How many times the limit of a call the thread may stand still: far longer than the engine itself ever takes. */
export const STILL_LIMITS = 20;
const POLLS = 20;
const BEAT_MS = 200;

/** Open calls, and a number that moves while the thread is alive. */
const state = new Int32Array(new SharedArrayBuffer(8));

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

/** Begins to look on, once; it holds up nothing. Only the main thread can be watched so. */
export function watchCalls(seconds: number): void {
  if (isWatched || !isMainThread) return;
  isWatched = true;
  const pollMs = Math.max(BEAT_MS, (seconds * STILL_LIMITS * 1_000) / POLLS);
  const thread = new Worker(PROGRAM, { eval: true, workerData: { state, polls: POLLS, pollMs }, execArgv: [] });
  thread.unref();
  // Without an inspector (a Node built without one) such a loop is not ended; everything else is as it was.
  thread.on("error", () => undefined);
  setInterval(() => Atomics.add(state, 1, 1), BEAT_MS / 2).unref();
}

export function callBegins(): void {
  Atomics.add(state, 0, 1);
}

export function callEnds(): void {
  Atomics.sub(state, 0, 1);
}
