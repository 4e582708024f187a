/**
 * A loop without end blocks its thread, and with it every timer. Another thread looks on: when the main thread has been in
 * a file for too long, it ends what runs there. The promise of that call never settles; a timer then says why.
 */
import { isMainThread, Worker } from "node:worker_threads";
import { pathToFileURL } from "node:url";
import type { PartHome } from "./part.ts";

export interface Watch {
  end(): void;
}

/** The program of the thread, as text, because a thread of sources would need a compiler. */
const PROGRAM = `
const { Session } = require("node:inspector");
const { parentPort, workerData } = require("node:worker_threads");
const session = new Session();
session.connectToMainThread();
const isIn = ({ url }) => workerData.files.includes(url);
session.on("Debugger.paused", ({ params }) => {
  if (params.callFrames.some(isIn)) session.post("Runtime.terminateExecution");
  session.post("Debugger.resume");
  session.post("Debugger.disable");
});
const look = () => {
  session.post("Debugger.enable");
  session.post("Debugger.pause");
};
setTimeout(look, workerData.ms);
setInterval(look, Math.max(1000, workerData.ms)).unref();
parentPort.postMessage("ready");
`;

export async function watchMainThread(home: PartHome): Promise<Watch> {
  if (!isMainThread) return { end: () => undefined };
  const files = [home.file, pathToFileURL(home.file).href];
  const thread = new Worker(PROGRAM, { eval: true, workerData: { files, ms: home.seconds * 1_000 }, execArgv: [] });
  thread.unref();
  await new Promise<void>((done) => {
    thread.once("message", () => done());
    // Without an inspector (a Node built without one) a loop at load is not ended; everything else is as it was.
    thread.once("error", () => done());
  });
  return { end: () => void thread.terminate() };
}
