/**
 * The documented path of docs/learn/new-world.md for worlds that no model has read, word for word on the command line: check,
 * warm-up, the training that warm-up advises and the same with other recipes, held-out tasks before and after on the same tasks.
 *
 *     npx tsx research/new-worlds/run.ts --out runs/strangers                        all worlds and arms, three seeds
 *     npx tsx research/new-worlds/run.ts tickets form --arms advised --seeds 1       a part of it
 *     npx tsx research/new-worlds/run.ts --out runs/strangers --table                what is there so far, and nothing is run
 *     npx tsx research/new-worlds/run.ts --out runs/tiny --seeds 1 --quick           everything once, at a size that says nothing
 *
 * What is done is not done again: a study that was stopped goes on where it was. Outputs, models and runs lie below --out.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, open, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { strangers } from "./strangers.ts";
import { tableOf, type Done, type Played, type Trained, type Warmed } from "./table.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string", default: "runs/strangers" },
    seeds: { type: "string", default: "1,2,3" },
    /** `advised` is the training that warm-up ends with; any other name is its recipe. */
    arms: { type: "string", default: "advised,opid,gigpo" },
    /** Held-out tasks, each played once by the model before and after. */
    tasks: { type: "string", default: "200" },
    threads: { type: "string", default: "1" },
    table: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
  },
});

/** What stands behind a command in a quick try: the last of two equal options counts. */
const QUICK: Readonly<Record<string, string>> = {
  check: "--runs 1",
  "warm-up": "--demonstrations 12 --steps 2 --validation-tasks 2 --batch 2",
  train:
    "--steps 1 --report-tasks 1 --validate-every 0 --set tasks=1 --set group=2 --set maxSteps=2 --set answerTokens=4",
  eval: "--tasks 4 --max-steps 3",
};

interface Ran {
  readonly code: number;
  readonly out: string;
}

const out = resolve(values.out);
const seeds = values.seeds.split(",").map(Number);
const arms = values.arms.split(",");
const unknown = positionals.filter((name) => !Object.hasOwn(strangers, name));
if (unknown.length > 0)
  throw new Error(`No world ${unknown.join(", ")}; there are ${Object.keys(strangers).join(", ")}.`);
const worlds = positionals.length === 0 ? Object.keys(strangers) : positionals;

const done: Done[] = [];
for (const world of worlds) for (const seed of seeds) for (const arm of arms) done.push(await walked(world, seed, arm));
process.stdout.write(tableOf(done));

/** One arm: what it shares with others of its world and seed is done by the first. */
async function walked(world: string, seed: number, arm: string): Promise<Done> {
  const file = join(ROOT, "research", "new-worlds", `${world}.ts`);
  const [folder, shared] = [join(out, world, `${seed}`, arm), join(out, world, `${seed}`)];
  const [model, dir] = [join(shared, "model"), join(folder, "run")];
  const common = ["--seed", `${seed}`, "--threads", values.threads];
  await ran(join(out, world, "check"), ["check", file]);
  const warm = await ran(join(shared, "warm-up"), ["warm-up", "--env", file, "--out", model, ...common], () =>
    rm(model, { recursive: true, force: true }),
  );
  if (warm?.code !== 0) return { world, seed, arm };
  const words = advisedWords(warm.out, arm);
  const train = ["train", "--env", file, "--model", model, ...words, "--dir", dir, "--resume", "--json", ...common];
  const trained = await ran(join(folder, "train"), train);
  const [best, last] = [join(dir, "best"), join(dir, "model")];
  const after = existsSync(best) ? best : last;
  const sides = ["--policy", after, "--against", model, "--split", "test", "--tasks", values.tasks];
  const evaluation = [
    "eval",
    "--env",
    file,
    ...sides,
    "--temperature",
    "0.4",
    "--store",
    join(folder, "store"),
    "--json",
  ];
  const played = trained?.code === 0 ? await ran(join(folder, "eval"), [...evaluation, ...common]) : undefined;
  return {
    world,
    seed,
    arm,
    warmed: JSON.parse(await readFile(join(model, "warm-up.json"), "utf8")) as Warmed,
    trained: trained && (jsonLines(trained) as Trained[]),
    played: played && (jsonLines(played) as Played[]),
  };
}

/** The words of the training that a warm-up ends with, with the recipe of the arm. */
function advisedWords(text: string, arm: string): readonly string[] {
  const words = /^Go on: limbeck train .*?--model \S+ (.*)$/m.exec(text)?.[1]?.split(" ");
  if (words === undefined) throw new Error(`The warm-up does not end with a line "Go on: limbeck train …":\n${text}`);
  const at = words.indexOf("--recipe");
  return arm === "advised" ? words : [...(at < 0 ? words : words.toSpliced(at, 2)), "--recipe", arm];
}

/**
 * A command, or what it came to the last time; with --table undefined where it was not run. What failed is tried again, and a
 * training that was stopped goes on: its lines are kept.
 */
async function ran(file: string, words: readonly string[], before?: () => Promise<void>): Promise<Ran | undefined> {
  const [record, lines] = [`${file}.json`, `${file}.out`];
  if (existsSync(record)) {
    const kept = JSON.parse(await readFile(record, "utf8")) as Pick<Ran, "code">;
    if (kept.code === 0 || values.table) return { ...kept, out: await readFile(lines, "utf8") };
  }
  if (values.table) return undefined;
  await before?.();
  await mkdir(dirname(file), { recursive: true });
  const small = values.quick ? (QUICK[words[0] ?? ""] ?? "").split(" ") : [];
  const begun = performance.now();
  const kept = await open(lines, words.includes("--resume") ? "a" : "w");
  const code = await typed([...words, ...small], kept.fd);
  await kept.close();
  const seconds = (performance.now() - begun) / 1_000;
  process.stderr.write(`${relative(out, file)}: code ${code}, ${seconds.toFixed(0)} s\n`);
  await writeFile(record, JSON.stringify({ code, seconds, words }));
  return { code, out: await readFile(lines, "utf8") };
}

/** Its output goes into a file, also where this process ends before it. */
async function typed(words: readonly string[], lines: number): Promise<number> {
  const program = spawn(process.execPath, [join(ROOT, "scripts", "limbeck.mjs"), ...words], {
    cwd: ROOT,
    stdio: ["ignore", lines, "inherit"],
  });
  return await new Promise<number>((end, fail) => {
    program.on("error", fail);
    program.on("close", (code) => end(code ?? 1));
  });
}

/** Its whole lines of JSON. */
function jsonLines({ out: text }: Ran): readonly unknown[] {
  return text.split("\n").flatMap((line) => (/^\{.*\}$/.test(line) ? [JSON.parse(line)] : []));
}
