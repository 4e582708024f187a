/**
 * Trees of the bundled models against independent episodes and against each other: tokens for as many leaves (TreePO), how
 * different a group is (LATR, ROSE, Dynamic-TreeRPO), and whether the value of a search tells useful ones from useless ones
 * (TreePS-RAG). Nothing is trained.
 *
 *     npx tsx research/proofs/branching.ts --jobs 16             all worlds
 *     npx tsx research/proofs/branching.ts --world countdown     one
 *     npx tsx research/proofs/branching.ts --quick               one seed of one task: none may fail
 *
 * Figures lie below --out (runs/proofs/branching by default), a line for each strategy and seed; what is there is not
 * measured again. Tables are printed at the end.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { bundledModel } from "limbeck/local";
import { openModel } from "limbeck";
import { measured, type Outcome } from "./branching/measure.ts";
import { report } from "./branching/report.ts";
import { FIRST_SEED, WORLDS, type World } from "./branching/worlds.ts";

const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "1" },
    out: { type: "string", default: "runs/proofs/branching" },
    world: { type: "string" },
    seeds: { type: "string" },
    /** Of the first; other than this for pilots. */
    from: { type: "string", default: String(FIRST_SEED) },
    quick: { type: "boolean", default: false },
    /** Of a process that this one started: which of how many shares is its own. */
    share: { type: "string" },
  },
});

interface Line extends Outcome {
  readonly world: string;
  readonly arm: string;
  readonly seed: number;
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const out =
  values.quick && values.share === undefined ? await mkdtemp(join(tmpdir(), "limbeck-branching-")) : values.out;
const worlds = WORLDS.filter(({ name }) => values.world === undefined || values.world === name).map((world) =>
  values.quick ? { ...world, seeds: 1, tasks: 1 } : { ...world, seeds: Number(values.seeds ?? world.seeds) },
);
if (worlds.length === 0)
  throw new Error(`No world ${values.world}; there are ${WORLDS.map(({ name }) => name).join(", ")}.`);

async function lines(): Promise<Line[]> {
  const files = (await readdir(out)).filter((name) => name.endsWith(".jsonl"));
  const texts = await Promise.all(files.map((name) => readFile(join(out, name), "utf8")));
  return texts.flatMap((text) =>
    text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line),
  );
}

/** One share of the seeds. Seed by seed over all arms: what is there when it is stopped is paired. */
async function work(share: number, of: number): Promise<void> {
  const known = new Set((await lines()).map(({ world, arm, seed }) => `${world} ${arm} ${seed}`));
  for (const world of worlds) {
    const model = await openModel(bundledModel(world.env ?? (world.name as "household")), { threads: 1 });
    try {
      for (let seed = share; seed < world.seeds; seed += of) {
        for (const arm of world.arms) {
          if (known.has(`${world.name} ${arm.name} ${seed}`)) continue;
          const outcome = await measured(world, arm, Number(values.from) + seed, model);
          const line = { world: world.name, arm: arm.name, seed, ...outcome };
          await appendFile(join(out, `${share}-of-${of}.jsonl`), `${JSON.stringify(line)}\n`);
        }
      }
    } finally {
      await model.close();
    }
  }
}

async function startWorker(share: number, of: number): Promise<void> {
  const script = fileURLToPath(import.meta.url);
  const own = ["--share", `${share}/${of}`, "--out", out, ...(values.quick ? ["--quick"] : [])];
  const narrowed = (["world", "seeds", "from"] as const).flatMap((name) => (values[name] === undefined ? [] : [`--${name}`, values[name]])); // prettier-ignore
  const child = spawn(process.execPath, [...process.execArgv, script, ...own, ...narrowed], { stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`Share ${share} of ${of} ended with ${code}; start again to go on.`);
}

/** Of seeds that every arm has. */
function paired(world: World, all: readonly Line[]): ReadonlyMap<string, readonly Outcome[]> {
  const of = (arm: string, seed: number): Line | undefined =>
    all.find((line) => line.world === world.name && line.arm === arm && line.seed === seed);
  const seeds = Array.from({ length: world.seeds }, (_, seed) => seed).filter((seed) =>
    world.arms.every(({ name }) => of(name, seed) !== undefined),
  );
  return new Map(world.arms.map(({ name }) => [name, seeds.flatMap((seed) => of(name, seed) ?? [])]));
}

await mkdir(out, { recursive: true });
if (values.share === undefined) {
  const jobs = Number(values.jobs);
  await Promise.all(Array.from({ length: jobs }, (_, share) => startWorker(share, jobs)));
  const all = await lines();
  for (const world of worlds) report(world, paired(world, all), print);
  if (values.quick) await rm(out, { recursive: true, force: true });
} else {
  const [share = 0, of = 1] = values.share.split("/").map(Number);
  await work(share, of);
}
