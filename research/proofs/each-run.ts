/**
 * Studies that are more than an arena: every arm with every seed in a process of its own, its result a file of JSON. What
 * is there already is not run again.
 */
import { fork } from "node:child_process";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

export interface OneRun {
  readonly arm: string;
  readonly seed: number;
  /** Everything small: to see that it runs. */
  readonly quick: boolean;
  /** An empty folder, gone afterwards. */
  readonly dir: string;
  /** The folder of a model to begin with. Default: the study's own. */
  readonly start?: string;
  /** The tasks that are played before and after; what is chosen by them is chosen on "valid". Default: "test". */
  readonly split: string;
  /** Where a study may keep what it has so far, for a run that was cut off. */
  readonly kept: string;
}

export interface RunStudy<Result> {
  /** Where results lie by default. */
  readonly name: string;
  readonly arms: readonly string[];
  readonly run: (one: OneRun) => Promise<Result>;
  readonly report: (results: readonly Reported<Result>[], print: (line?: string) => void) => void;
}

export interface Reported<Result> {
  readonly arm: string;
  readonly seed: number;
  readonly result: Result;
}

const SEEDS = [31, 32, 33, 34, 35];
const print = (line = ""): void => void process.stdout.write(`${line}\n`);

/** The whole of a script: `--jobs N` (0: tell what is there), `--out DIR`, `--seeds A,B`, `--arms A,B`, `--start DIR`, `--split valid`, `--quick`. */
export async function runStudy<Result>(study: RunStudy<Result>): Promise<void> {
  const { values } = parseArgs({
    options: {
      jobs: { type: "string", default: String(availableParallelism()) },
      out: { type: "string", default: `runs/proofs/${study.name}` },
      seeds: { type: "string", default: SEEDS.join(",") },
      arms: { type: "string", default: study.arms.join(",") },
      quick: { type: "boolean", default: false },
      one: { type: "string" },
      start: { type: "string" },
      split: { type: "string", default: "test" },
    },
  });
  const { quick, split } = values;
  const out = quick ? `${values.out}-quick` : values.out;
  const { one, start } = values;
  if (one !== undefined)
    return await runOne(study, one, out, { quick, split, ...(start === undefined ? {} : { start }) });
  const seeds = quick ? [1] : values.seeds.split(",").map(Number);
  const names = seeds.flatMap((seed) => values.arms.split(",").map((arm) => `${arm}/${seed}`));
  await mkdir(out, { recursive: true });
  const waiting = [...names];
  const lane = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      if ((await resultOf(out, name)) === undefined) await inProcess(name);
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, lane));
  const results = await Promise.all(
    names.map(async (name) => {
      const result = await resultOf<Result>(out, name);
      const [arm = "", seed] = name.split("/");
      return result === undefined ? [] : [{ arm, seed: Number(seed), result }];
    }),
  );
  study.report(results.flat(), print);
  print(`${results.flat().length} of ${names.length} runs; results in ${out}.`);
  if (results.flat().length < names.length) process.exitCode = 1;
}

const fileOf = (out: string, name: string): string => join(out, `${name.replace("/", "-")}.json`);

async function resultOf<Result>(out: string, name: string): Promise<Result | undefined> {
  const text = await readFile(fileOf(out, name), "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Result);
}

async function inProcess(name: string): Promise<void> {
  const started = performance.now();
  const code = await new Promise<number | null>((resolve) => {
    fork(process.argv[1] as string, [...process.argv.slice(2), "--one", name]).on("exit", resolve);
  });
  print(
    `${name}: ${code === 0 ? "done" : `failed with ${code}`}, ${((performance.now() - started) / 1_000).toFixed(0)} s`,
  );
}

async function runOne<Result>(
  study: RunStudy<Result>,
  name: string,
  out: string,
  given: Pick<OneRun, "quick" | "split" | "start">,
): Promise<void> {
  const [arm = "", seed] = name.split("/");
  const dir = await mkdtemp(join(tmpdir(), "limbeck-proof-"));
  try {
    await mkdir(out, { recursive: true });
    const file = fileOf(out, name);
    const result = await study.run({ ...given, arm, seed: Number(seed), dir, kept: `${file}.kept` });
    await writeFile(`${file}.part`, `${JSON.stringify(result)}\n`);
    await rename(`${file}.part`, file);
    await rm(`${file}.kept`, { force: true });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
