/** Threads whose program is a file of this package, built or as source. */
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

/**
 * Starts `name` (without ending) beside the module `from`. Built files start by themselves. From sources the thread needs
 * tsx, which Node 20 does not hand on to threads.
 */
export function startThread(from: string, name: string, workerData: unknown): Worker {
  if (!from.endsWith(".ts")) return new Worker(new URL(`./${name}.js`, from), { workerData });
  const entry = new URL(`./${name}.ts`, from).href;
  const compiler = pathToFileURL(
    createRequire(import.meta.url)
      .resolve("tsx/esm/api")
      .replace(/\.cjs$/, ".mjs"),
  ).href;
  const start = `import(${JSON.stringify(compiler)}).then((tsx) => (tsx.register(), import(${JSON.stringify(entry)})));`;
  return new Worker(start, { eval: true, workerData, execArgv: [] });
}
