/**
 * A whole plan: every arm with every seed, each in a process of its own, several side by side. Seeds come one after the
 * other and the arms of a seed in an order drawn anew, so that whatever is finished can be compared in pairs and no arm
 * always has the quiet machine.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createRng, shuffle } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import { mapLimit } from "limbeck-base/base/concurrency";
import { replaceFile, textIfThere } from "limbeck-base/base/files";
import { programWords } from "limbeck-base/base/child-program";
import { partWords } from "./arm-parts.ts";
import { withNamedWorld } from "./arm-world.ts";
import { isFinished, journalFile, readJournal, type JournalLine } from "./journal.ts";
import { readPlan, type ArenaPlan } from "./plan.ts";
import { isTrained } from "./results.ts";

export interface RunName {
  readonly arm: string;
  readonly seed: number;
}

export interface RunPlanOptions {
  readonly plan: ArenaPlan;
  readonly dir: string;
  /** Processes side by side. Default: as many as the machine has cores for. */
  readonly jobs?: number;
  /** The program of one run, where it is not the one beside this file: a bundle of `arm-process.ts`. */
  readonly program?: string;
  readonly signal: AbortSignal;
  readonly onLine?: (run: RunName, line: JournalLine) => void;
  readonly onEnd?: (run: RunName, ended: RunEnd) => void;
}

export interface RunEnd {
  /** "kept": it was over before. */
  readonly how: "kept" | "finished" | "failed";
  /** Why it failed. */
  readonly why?: string;
}

/**
 * The order in which runs are started.
 *
 * @example
 * const arms = ["grpo", "gigpo"].map((name) => ({ name, recipe: name, settings: {} }));
 * console.log(runOrder({ arms, seeds: [1, 2], order: "order" }).map(({ arm, seed }) => `${arm} ${seed}`)); // [ "grpo 1", "gigpo 1", "grpo 2", "gigpo 2" ]
 */
export function runOrder({ arms, seeds, order }: Pick<ArenaPlan, "arms" | "seeds" | "order">): RunName[] {
  const rng = createRng(order);
  return seeds.flatMap((seed) => shuffle(arms, rng.split(seed)).map(({ name }) => ({ arm: name, seed })));
}

/**
 * How many runs the machine has cores for.
 *
 * @example
 * console.log(defaultJobs(2, 8)); // 4
 */
export function defaultJobs(threads: number, cores = availableParallelism()): number {
  return Math.max(1, Math.floor(cores / threads));
}

const PLAN = "plan.json";

/**
 * The plan of a folder.
 *
 * @example
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const dir = await mkdtemp(join(tmpdir(), "arena-"));
 * console.log(await storedPlan(dir)); // undefined
 * await rm(dir, { recursive: true });
 */
export async function storedPlan(dir: string): Promise<ArenaPlan | undefined> {
  const file = join(dir, PLAN);
  const text = await textIfThere(file);
  return text === undefined ? undefined : readPlan(JSON.parse(text), `"${file}"`);
}

/**
 * Writes the plan into the folder, where `storedPlan` and every process of a run find it.
 *
 * @example
 * import { mkdtemp, readdir, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { readPlan } from "limbeck-training/arena/plan";
 *
 * const dir = await mkdtemp(join(tmpdir(), "arena-"));
 * const arms = [{ name: "grpo", recipe: "grpo" }];
 * const plan = readPlan({ version: 1, arms, seeds: [1], env: "household", model: "my-model", budget: { account: "steps", amount: 8000 } });
 * await storePlan(dir, plan);
 * console.log(await readdir(dir)); // [ "plan.json" ]
 * await rm(dir, { recursive: true });
 */
export async function storePlan(dir: string, plan: ArenaPlan): Promise<void> {
  await replaceFile(join(dir, PLAN), `${JSON.stringify(plan, undefined, 2)}\n`);
}

/**
 * Runs what is not over yet. A run that fails is reported and the others go on.
 *
 * @example
 * import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { dirname, join } from "node:path";
 * import { journalFile } from "limbeck-training/arena/journal";
 * import { readPlan } from "limbeck-training/arena/plan";
 *
 * const dir = await mkdtemp(join(tmpdir(), "arena-"));
 * const arms = [{ name: "grpo", recipe: "grpo" }];
 * const plan = readPlan({ version: 1, arms, seeds: [1], env: "household", model: "my-model", budget: { account: "steps", amount: 8000 } });
 * // A run that is over already is kept.
 * const journal = journalFile(dir, "grpo", 1);
 * await mkdir(dirname(journal));
 * await writeFile(journal, '{"kind":"end","update":9}\n');
 * const { signal } = new AbortController();
 * await runPlan({ plan, dir, signal, onEnd: ({ arm, seed }, { how }) => console.log(arm, seed, how) }); // grpo 1 kept
 * await rm(dir, { recursive: true });
 */
export async function runPlan(options: RunPlanOptions): Promise<void> {
  const { dir, signal } = options;
  const plan = await plannedFor(options.plan, await storedPlan(dir));
  const { jobs = defaultJobs(plan.threads) } = options;
  await storePlan(dir, plan);
  await mapLimit(
    runOrder(plan),
    jobs,
    async (run, _index, stop) => {
      const lines = await readJournal(journalFile(dir, run.arm, run.seed));
      if (isFinished(lines) && isTrained(plan, lines)) {
        options.onEnd?.(run, { how: "kept" });
        return;
      }
      const why = await runChild(run, options, stop);
      options.onEnd?.(run, why === undefined ? { how: "finished" } : { how: "failed", why });
    },
    { signal },
  );
}

/** Gone on with, the world is the one that was stored; begun, it is named. */
async function plannedFor(plan: ArenaPlan, held: ArenaPlan | undefined): Promise<ArenaPlan> {
  if (held === undefined) return await withNamedWorld(plan);
  return { ...plan, envOptions: { ...held.envOptions, ...plan.envOptions } };
}

/** Why it failed; undefined when all went well. */
async function runChild(
  run: RunName,
  { dir, program, onLine }: RunPlanOptions,
  signal: AbortSignal,
): Promise<string | undefined> {
  // The plan is the caller's own by now: who read it from a file has asked what it may do.
  const allowed = ["--allow-commands", "--allow-addresses", ...partWords()];
  const child = startChild([join(dir, PLAN), run.arm, String(run.seed), dir, ...allowed], program);
  const errors: string[] = [];
  child.stderr?.on("data", (data: Buffer) => errors.push(String(data)));
  child.on("message", (line) => onLine?.(run, line as JournalLine));
  const stop = (): void => void child.kill("SIGTERM");
  signal.addEventListener("abort", stop, { once: true });
  try {
    const [code, killed] = (await once(child, "close")) as [number | null, string | null];
    if (signal.aborted) throw new EngineError("cancelled", "The arena was interrupted; --resume goes on.");
    if (code === 0) return undefined;
    return reasonOf(errors.join("")) ?? `it ended by ${killed ?? `exit code ${code}`}`;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** The line that names an error, where a crash wrote many; the last one otherwise. */
function reasonOf(said: string): string | undefined {
  const lines = said.split("\n").filter((line) => line.trim() !== "");
  return (lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1))?.trim();
}

/** The channel is the child's proof that its parent lives; it ends itself when that breaks. */
function startChild(args: readonly string[], given: string | undefined): ChildProcess {
  const stdio = ["ignore", "ignore", "pipe", "ipc"] as const;
  const program = given === undefined ? programWords(import.meta.url, "arm-process") : [given];
  return spawn(process.execPath, [...program, ...args], { stdio: [...stdio] });
}
