/**
 * The walk-through of docs/learn/new-world.md at full size: warm-up, training, held-out tasks before and after, for each world
 * and seed. `npx tsx research/new-worlds/study.ts [--world kitchen] [--seeds 1,2,3] [--recipe grpo] >> lines.jsonl`
 *
 * Prints one line of JSON for each world and seed; with `--summary lines.jsonl` the table of the page.
 */
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { evaluate, train } from "limbeck";
import { comparePolicies } from "limbeck/eval";
import { warmUp } from "limbeck/training";
import { newWorlds } from "./worlds.ts";

const { values } = parseArgs({
  options: {
    world: { type: "string", default: Object.keys(newWorlds).join(",") },
    seeds: { type: "string", default: "1,2,3" },
    recipe: { type: "string", default: "grpo" },
    /** Updates of the training. */
    steps: { type: "string", default: "40" },
    /** Of the training, as docs/learn/new-world.md has them. */
    settings: { type: "string", default: '{"tasks":16,"learningRate":0.0001}' },
    /** Those of the command line where nothing is said. */
    base: { type: "string" },
    /** Held-out tasks, each played once by the model before and after. */
    tasks: { type: "string", default: "256" },
    threads: { type: "string", default: "1" },
    summary: { type: "string" },
  },
});

interface Line {
  readonly world: string;
  readonly seed: number;
  readonly recipe: string;
  readonly warm: { readonly updates: number; readonly none: number; readonly right: number; readonly wrong: number };
  readonly before: number;
  readonly after: number;
  readonly difference: number;
  readonly low: number;
  readonly high: number;
  /** Of warm-up and training, without the held-out tasks. */
  readonly seconds: readonly [warmUp: number, train: number];
  readonly processorSeconds: readonly [warmUp: number, train: number];
}

if (values.summary === undefined) {
  for (const world of values.world.split(",") as (keyof typeof newWorlds)[]) {
    for (const seed of values.seeds.split(",").map(Number)) {
      process.stdout.write(`${JSON.stringify(await measured(world, seed))}\n`);
    }
  }
} else process.stdout.write(await table(values.summary));

async function measured(name: keyof typeof newWorlds, seed: number): Promise<Line> {
  const folder = await mkdtemp(join(tmpdir(), "limbeck-new-world-"));
  const threads = Number(values.threads);
  const env = await newWorlds[name].create();
  const warm = await warmUp({
    env,
    demonstrator: newWorlds[name].demonstrators?.["expert"],
    ...(values.base === undefined ? {} : { base: values.base }),
    out: join(folder, "model"),
    seed,
    threads,
    onEvent: (event) => {
      if (event.kind === "evaluation")
        say(`${name} ${seed}: update ${event.update}, ${event.evaluation.success?.toFixed(2)}, ${cpu()} s`);
    },
  });
  const begun = { at: performance.now(), processor: process.cpuUsage() };
  const trained = await train({
    env,
    model: warm.model,
    recipe: values.recipe,
    steps: Number(values.steps),
    settings: JSON.parse(values.settings) as Record<string, number>,
    seed,
    threads,
    // The held-out tasks are played below, with what each came to.
    report: { tasks: 1 },
    dir: join(folder, "run"),
    onEvent: (event) => {
      if (event.kind === "update")
        say(`${name} ${seed}: training ${event.update}, ${event.success.toFixed(2)}, ${cpu()} s`);
    },
  });
  const seconds = (performance.now() - begun.at) / 1_000;
  const { user, system } = process.cpuUsage(begun.processor);
  const play = (policy: string) =>
    evaluate({
      env,
      policy,
      split: "test",
      tasks: Number(values.tasks),
      temperature: 0.4,
      answerTokens: warm.answerTokens,
      threads,
      seed,
    });
  // Chosen by the training itself, on validation tasks: a training may unlearn at its end.
  const best = join(folder, "run", "best");
  const [before, after] = [await play(warm.model), await play(existsSync(best) ? best : trained.model)];
  const { difference, low, high } = comparePolicies(after.trajectories, before.trajectories);
  await rm(folder, { recursive: true });
  const { none, right, wrong } = warm.measured;
  return {
    world: name,
    seed,
    recipe: values.recipe,
    warm: {
      updates: warm.updates,
      none: none.success ?? Number.NaN,
      right: right?.success ?? Number.NaN,
      wrong: wrong?.success ?? Number.NaN,
    },
    before: before.success ?? Number.NaN,
    after: after.success ?? Number.NaN,
    difference,
    low,
    high,
    seconds: [Math.round(warm.seconds), Math.round(seconds)],
    processorSeconds: [Math.round(warm.processorSeconds), Math.round((user + system) / 1e6)],
  };
}

async function table(file: string): Promise<string> {
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  const rows = lines.map((line) => {
    const { world, seed, warm, before, after, difference, low, high, ...times } = JSON.parse(line) as Line;
    const [figures, sum] = [
      (value: number): string => value.toFixed(2),
      ([first, second]: readonly [number, number]): string => `${first} + ${second}`,
    ];
    const advice = [warm.none, warm.right, warm.wrong].map(figures).join(", ");
    const gain = `+${figures(difference)} (${figures(low)} to ${figures(high)})`.replace("+-", "-");
    return `| ${world} | ${seed} | ${warm.updates} | ${advice} | ${figures(before)} | ${figures(after)} | ${gain} | ${sum(times.processorSeconds)} | ${sum(times.seconds)} |`;
  });
  return `${rows.join("\n")}\n`;
}

/** Processor seconds so far. */
function cpu(): string {
  const { user, system } = process.cpuUsage();
  return ((user + system) / 1e6).toFixed(0);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
