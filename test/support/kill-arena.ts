/**
 * A whole arena, until it is done or killed.
 *
 *     kill-arena PLAN DIR PROGRAM
 */
import { readFile } from "node:fs/promises";
import { readPlan } from "../../packages/training/src/arena/plan.ts";
import { runPlan } from "../../packages/training/src/arena/run-plan.ts";

const [plan = "", dir = "", program = ""] = process.argv.slice(2);
await runPlan({
  plan: readPlan(JSON.parse(await readFile(plan, "utf8"))),
  dir,
  program,
  jobs: 2,
  signal: new AbortController().signal,
  onLine: ({ seed }, { kind, update }) => process.stdout.write(`${seed} ${kind} ${update}\n`),
  onEnd: ({ seed }, { how, why }) => process.stdout.write(`${seed} ${how} ${why ?? ""}\n`),
});
