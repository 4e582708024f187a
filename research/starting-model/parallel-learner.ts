/**
 * A learner that spreads a batch over threads and adds up their gradients in a fixed order, so that a run repeats bit
 * for bit with the same number of threads. For small models this uses the cores better than threads inside an operator.
 */
import { once } from "node:events";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { EngineError, type LocalModel } from "limbeck";
import type { TrainRow } from "limbeck/policy";
import type { WorkerReport, WorkerSetup } from "./gradient-worker.ts";

export interface ParallelLearner extends LocalModel {
  stop(): Promise<void>;
}

/** `program` is the file that calls `serveGradients` when it finds itself in a worker thread. */
export function spreadOver(threads: number, model: LocalModel, program: URL): ParallelLearner {
  const size = model.weights.flat.length;
  const weights = new SharedArrayBuffer(size * 4);
  const workers = Array.from({ length: threads }, () => {
    const gradient = new SharedArrayBuffer(size * 4);
    const workerData: WorkerSetup = { config: model.config, weights, gradient };
    return { thread: startThread(program, workerData), gradient: new Float32Array(gradient) };
  });
  const backward: LocalModel["backward"] = async (rows) => {
    new Float32Array(weights).set(model.weights.flat);
    const parts = partsOf(rows, threads);
    const total = parts.reduce((sum, part) => sum + weightOf(part), 0);
    const reports = await Promise.all(
      parts.map(async (part, at) => {
        const { thread } = workers[at] as (typeof workers)[number];
        thread.postMessage(part, []);
        const [report] = (await once(thread, "message")) as [WorkerReport];
        if (report.error === undefined) return report;
        throw new EngineError("custom:worker-failed", `Thread ${at} of the training: ${report.error}`);
      }),
    );
    let loss = 0;
    parts.forEach((part, at) => {
      // Every thread has averaged over its own tokens.
      const share = weightOf(part) / total;
      loss += share * (reports[at]?.loss ?? 0);
      addTo(model.core.gradient, (workers[at] as (typeof workers)[number]).gradient, share);
    });
    return { loss, metrics: {}, tokens: rows.reduce((sum, { ids }) => sum + ids.length, 0), tokensSaved: 0 };
  };
  return {
    ...model,
    get progress() {
      return model.progress;
    },
    get ref() {
      return model.ref;
    },
    backward,
    stop: async () => void (await Promise.all(workers.map(({ thread }) => thread.terminate()))),
  };
}

/** From sources the thread needs tsx, which Node 20 does not hand on to threads. */
function startThread(program: URL, workerData: WorkerSetup): Worker {
  if (!program.href.endsWith(".ts")) return new Worker(program, { workerData });
  const compiler = pathToFileURL(
    createRequire(import.meta.url)
      .resolve("tsx/esm/api")
      .replace(/\.cjs$/, ".mjs"),
  ).href;
  const start = `import(${JSON.stringify(compiler)}).then((tsx) => (tsx.register(), import(${JSON.stringify(program.href)})));`;
  return new Worker(start, { eval: true, workerData, execArgv: [] });
}

/** Neighbours in length together, so that little is padded; about equally many tokens in every part. */
export function partsOf(rows: readonly TrainRow[], count: number): TrainRow[][] {
  const sorted = rows.toSorted((left, right) => right.ids.length - left.ids.length);
  const total = sorted.reduce((sum, { ids }) => sum + ids.length, 0);
  const parts: TrainRow[][] = Array.from({ length: count }, () => []);
  let before = 0;
  for (const row of sorted) {
    const middle = before + row.ids.length / 2;
    parts[Math.min(count - 1, Math.floor((middle / total) * count))]?.push(row);
    before += row.ids.length;
  }
  return parts.filter((part) => part.length > 0);
}

function weightOf(rows: readonly TrainRow[]): number {
  let sum = 0;
  for (const { mask, weights } of rows) {
    for (let at = 1; at < mask.length; at += 1) sum += mask[at] === 1 ? (weights?.[at] ?? 1) : 0;
  }
  return sum;
}

function addTo(sum: Float32Array, change: Float32Array, share: number): void {
  for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] as number) + share * (change[at] as number);
}
