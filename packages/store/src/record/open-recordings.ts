/** Opens recordings in a thread of their own, so that storing them never holds up what is being served. */
import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { EngineError } from "limbeck-base/base/errors";
import { startThread } from "limbeck-base/base/thread";
import { openStore } from "../store/open-store.ts";
import { Recordings } from "./recordings.ts";
import type { RecordingsSink, RecordingsStatus } from "./recordings-sink.ts";
import type { FromWorker, ToWorker, WorkerSetup } from "./recordings-worker.ts";

export interface OpenRecordingsOptions extends WorkerSetup {
  readonly onProblem?: (problem: string) => void;
}

/**
 * Takes recorded lines and finished trajectories into a run of the store. Where no thread can be started, in this one.
 *
 * @example
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const folder = mkdtempSync(join(tmpdir(), "limbeck-runs-"));
 * const recordings = await openRecordings({ root: folder, run: "agents" });
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 1, group: 1 });
 * for (const trajectory of trajectories) await recordings.addTrajectory(trajectory);
 * await recordings.tick();
 * console.log(recordings.status().stored); // 1
 * await recordings.close();
 * rmSync(folder, { recursive: true });
 */
export async function openRecordings(options: OpenRecordingsOptions): Promise<RecordingsSink> {
  const { onProblem, ...setup } = options;
  const worker = startThread(import.meta.url, "recordings-worker", setup);
  // No thread: it is done in this one, below.
  const [first] = (await Promise.race([once(worker, "message"), once(worker, "exit")]).catch(() => [])) as [
    FromWorker?,
  ];
  if (first?.kind === "ready") return new WorkerRecordings(worker, onProblem);
  await worker.terminate();
  if (first?.kind === "failed") throw EngineError.from(first);
  const { root, ...rest } = setup;
  return await Recordings.open({ ...rest, store: openStore(root), ...(onProblem === undefined ? {} : { onProblem }) });
}

class WorkerRecordings implements RecordingsSink {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, () => void>();
  #status: RecordingsStatus = { open: 0, stored: 0, dropped: 0 };
  #last = 0;
  #alive = true;
  #lost = 0;

  constructor(worker: Worker, onProblem: ((problem: string) => void) | undefined) {
    this.#worker = worker;
    worker.on("message", (message: FromWorker) => {
      if (message.kind === "problem") onProblem?.(message.message);
      if (message.kind !== "done") return;
      this.#status = message.status;
      this.#settle(message.id);
    });
    worker.on("error", (error) =>
      onProblem?.(`Recording has stopped; agents go on. Restart the proxy: ${error.message}`),
    );
    worker.on("exit", () => {
      this.#alive = false;
      for (const id of this.#waiting.keys()) this.#settle(id);
    });
  }

  add(line: Parameters<RecordingsSink["add"]>[0]): void {
    if (this.#alive) this.#post({ kind: "add", line });
    else this.#lost += 1;
  }

  addTrajectory(trajectory: Parameters<RecordingsSink["addTrajectory"]>[0]): Promise<void> {
    return this.#ask((id) => ({ kind: "trajectory", id, trajectory }));
  }

  save(): Promise<void> {
    return this.#ask((id) => ({ kind: "save", id }));
  }

  tick(): Promise<void> {
    return this.#ask((id) => ({ kind: "tick", id }));
  }

  status(): RecordingsStatus {
    return { ...this.#status, dropped: this.#status.dropped + this.#lost };
  }

  async close(): Promise<void> {
    await this.#ask((id) => ({ kind: "close", id }));
    await this.#worker.terminate();
  }

  #post(message: ToWorker): void {
    this.#worker.postMessage(message, []);
  }

  async #ask(make: (id: number) => ToWorker): Promise<void> {
    if (!this.#alive) return;
    const id = (this.#last += 1);
    const done = new Promise<void>((resolve) => this.#waiting.set(id, resolve));
    this.#post(make(id));
    await done;
  }

  #settle(id: number): void {
    this.#waiting.get(id)?.();
    this.#waiting.delete(id);
  }
}
