/**
 * The process of one run: reads the plan, runs the arm, and sends its lines to the process that started it. It can be
 * bundled and started by itself:
 *
 *     node run-arm.mjs plan.json ARM SEED OUTDIR [--allow-commands] [--allow-addresses]
 *
 * and ends with 0 when the run is over, whether it was already or has become so.
 */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { EngineError } from "limbeck-base/base/errors";
import { holdProcess, type HeldProcess } from "limbeck-base/base/parts/hold-process";
import { loadGivenParts, namesParts } from "./arm-parts.ts";
import { checkPlannedWorlds } from "./arm-world.ts";
import type { JournalLine } from "./journal.ts";
import { readPlan } from "./plan.ts";
import { runArm } from "./run-arm.ts";

async function armProcess([planFile, arm, seed, dir, ...flags]: readonly string[]): Promise<void> {
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, abort);
  // Started by an arena that is gone: another may begin this run again, and two must never write one journal.
  const orphaned = (): void => process.exit(130);
  process.once("disconnect", orphaned);
  let held: HeldProcess | undefined;
  try {
    if (planFile === undefined || arm === undefined || dir === undefined || !/^\d+$/.test(seed ?? "")) {
      throw new EngineError("usage", "Give a plan, an arm, a seed and a folder: run-arm plan.json ARM SEED OUTDIR.");
    }
    // Code of a user's file may not end this process, here as little as in a command's.
    held = namesParts(flags) ? holdProcess() : undefined;
    await loadGivenParts(flags);
    const plan = readPlan(JSON.parse(await readFile(planFile, "utf8")), `"${planFile}"`);
    const allowed = { commands: flags.includes("--allow-commands"), addresses: flags.includes("--allow-addresses") };
    await checkPlannedWorlds(plan, { file: planFile, allowed, command: "run-arm plan.json ARM SEED OUTDIR" });
    const now = (): number => performance.now();
    const onLine = (line: JournalLine): void => void process.send?.(line);
    const running = runArm({ plan, arm, seed: Number(seed), dir: resolve(dir), now, signal: stop.signal, onLine });
    await (held === undefined ? running : Promise.race([running, held.broken]));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = stop.signal.aborted ? 130 : 1;
    held?.release();
    // What a broken file left running would keep the process.
    if (held !== undefined) process.exit();
  } finally {
    process.off("disconnect", orphaned);
    if (process.connected) process.disconnect();
  }
}

await armProcess(process.argv.slice(2));
