/**
 * A loop without end blocks its thread, and with it every timer. While a file is loaded another thread looks on: when the
 * time is up and it was not called off, it ends what runs there. The import never settles; a timer then says why.
 */
import { isMainThread, Worker } from "node:worker_threads";
import { callState, IDLE_LIMITS } from "./contain.ts";
import type { PartHome } from "./part.ts";

export interface Watch {
  /** Waits until the thread is gone: one that still watches would hold up the end of the process. */
  end(): Promise<unknown>;
}

/** The program of the thread, as text, because a thread of sources would need a compiler. */
const PROGRAM = `
const { Session } = require("node:inspector");
const { parentPort, workerData } = require("node:worker_threads");
const session = new Session();
session.connectToMainThread();
setTimeout(() => session.post("Runtime.terminateExecution"), workerData.ms);
parentPort.postMessage("ready");
`;

/** The timer of the main thread comes first, where it can. */
const GRACE_MS = 300;

export async function watchMainThread(home: PartHome): Promise<Watch> {
  if (!isMainThread) return { end: () => Promise.resolve() };
  const thread = new Worker(PROGRAM, {
    eval: true,
    workerData: { ms: home.seconds * 1_000 + GRACE_MS },
    execArgv: [],
  });
  thread.unref();
  await new Promise<void>((done) => {
    thread.once("message", () => done());
    // Without an inspector (a Node built without one) a loop at load is not ended; everything else is as it was.
    thread.once("error", () => done());
  });
  return { end: () => thread.terminate() };
}

/*
 * A loop that begins after an `await` in a call of a file blocks the thread as well. When the main thread has done nothing
 * else for long, while such a call was open, what runs there is ended. The call never settles; its own timer says why.
 */
const POLLS = 20;
const BEAT_MS = 200;

/**
 * Looks are counted, not seconds: a machine that slept has not stood still. It connects when it has to: a process that ends
 * with a session open says that it waits for a debugger.
 */
const CALLS_PROGRAM = `
const { Session } = require("node:inspector");
const { workerData: { state, polls, pollMs } } = require("node:worker_threads");
let [last, same] = [-1, 0];
setInterval(() => {
  const beat = Atomics.load(state, 1);
  same = Atomics.load(state, 0) > 0 && beat === last ? same + 1 : 0;
  last = beat;
  if (same < polls) return;
  same = 0;
  const session = new Session();
  session.connectToMainThread();
  session.post("Runtime.terminateExecution", () => session.disconnect());
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
  const thread = new Worker(CALLS_PROGRAM, {
    eval: true,
    workerData: { state: callState, polls: POLLS, pollMs },
    execArgv: [],
  });
  thread.unref();
  // Without an inspector (a Node built without one) such a loop is not ended; everything else is as it was.
  thread.on("error", () => undefined);
  setInterval(() => Atomics.add(callState, 1, 1), BEAT_MS / 2).unref();
}
