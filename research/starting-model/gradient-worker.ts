/** One thread of the training: takes weights and rows, gives back the gradient of their cross-entropy. */
import { parentPort, workerData } from "node:worker_threads";
import { objectives } from "limbeck/update";
import type { TrainRow } from "limbeck/policy";
import { createModel, type ModelConfig } from "limbeck/local";

export interface WorkerSetup {
  readonly config: ModelConfig;
  /** The weights of the model that learns, shared. */
  readonly weights: SharedArrayBuffer;
  /** Where this thread puts its gradient. */
  readonly gradient: SharedArrayBuffer;
}

export interface WorkerReport {
  readonly loss: number;
  readonly error?: string;
}

export async function serveGradients(): Promise<void> {
  const { config, weights, gradient } = workerData as WorkerSetup;
  const model = await createModel(config, { seed: 0, threads: 1, budgetTokens: 2_048, packing: "never" });
  const objective = objectives["cross-entropy"].create();
  const answer = async (rows: readonly TrainRow[]): Promise<WorkerReport> => {
    model.weights.flat.set(new Float32Array(weights));
    model.discard();
    const { loss } = await model.backward(rows, objective);
    new Float32Array(gradient).set(model.core.gradient);
    return { loss };
  };
  parentPort?.on("message", (rows: readonly TrainRow[]) => {
    answer(rows).then(
      (report) => parentPort?.postMessage(report, []),
      (error: unknown) => parentPort?.postMessage({ loss: 0, error: String(error) } satisfies WorkerReport, []),
    );
  });
}
