/**
 * The process of one run. It can be bundled and started by itself:
 *
 *     node run-arm.mjs plan.json ARM SEED OUTDIR
 *
 * and ends with 0 when the run is over, whether it was already or has become so.
 */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { EngineError } from "../base/index.ts";
import type { JournalLine } from "./journal.ts";
import { readPlan } from "./plan.ts";
import { runArm } from "./run-arm.ts";

const [planFile, arm, seed, dir] = process.argv.slice(2);
const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => stop.abort());
// Started by an arena that is gone: another may begin this run again, and two must never write one journal.
process.once("disconnect", () => process.exit(130));

try {
  if (planFile === undefined || arm === undefined || dir === undefined || !/^\d+$/.test(seed ?? "")) {
    throw new EngineError("usage", "Give a plan, an arm, a seed and a folder: run-arm plan.json ARM SEED OUTDIR.");
  }
  const plan = readPlan(JSON.parse(await readFile(planFile, "utf8")), `"${planFile}"`);
  const now = (): number => performance.now();
  const onLine = (line: JournalLine): void => void process.send?.(line);
  await runArm({ plan, arm, seed: Number(seed), dir: resolve(dir), now, signal: stop.signal, onLine });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = stop.signal.aborted ? 130 : 1;
} finally {
  process.removeAllListeners("disconnect");
  if (process.connected) process.disconnect();
}
