/**
 * A loop without end blocks its thread, and with it every timer. While a file is loaded another thread looks on: when the
 * time is up and nobody has called it off, it ends what runs there. The import never settles; a timer then says why.
 */
import { isMainThread, Worker } from "node:worker_threads";
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
