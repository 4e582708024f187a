/** The thread in which recordings become Parquet: encoding and queries take moments in which nothing could be served. */
import { parentPort, workerData } from "node:worker_threads";
import { openStore } from "../store/open-store.ts";
import type { RecordedLine } from "../store/formats/recorded-lines.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { Recordings } from "./recordings.ts";
import type { RecordingsStatus } from "./recordings-sink.ts";

export interface WorkerSetup {
  readonly root: string;
  readonly run: string;
  readonly idleMs?: number;
}

export type ToWorker =
  | { readonly kind: "add"; readonly line: RecordedLine }
  | { readonly kind: "trajectory"; readonly id: number; readonly trajectory: Trajectory }
  | { readonly kind: "save" | "tick" | "close"; readonly id: number };

export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly code: string; readonly message: string }
  | { readonly kind: "problem"; readonly message: string }
  | { readonly kind: "done"; readonly id: number; readonly status: RecordingsStatus };

const port = parentPort;
if (port !== null) {
  const post = (message: FromWorker): void => port.postMessage(message);
  const { root, ...options } = workerData as WorkerSetup;
  try {
    const recordings = await Recordings.open({
      ...options,
      store: openStore(root),
      onProblem: (message) => post({ kind: "problem", message }),
    });
    port.on("message", (message: ToWorker) => {
      if (message.kind === "add") return recordings.add(message.line);
      const work =
        message.kind === "trajectory" ? recordings.addTrajectory(message.trajectory) : recordings[message.kind]();
      void work.then(() => {
        post({ kind: "done", id: message.id, status: recordings.status() });
        if (message.kind === "close") port.close();
      });
    });
    post({ kind: "ready" });
  } catch (error) {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    post({ kind: "failed", code: code ?? "error", message });
  }
}
