/**
 * Learning from a weak start: the bundled household model in houses larger than those it knows (dial small), where it
 * solves less than a tenth. One training of one arm a call; it goes on where it was stopped.
 *
 *     npx tsx research/weak-starts.ts run ARM SEED --out DIR         one training, its figures in DIR/ARM-SEED.json
 *     npx tsx research/weak-starts.ts start SEED --out DIR           the start on the same tasks
 *     npx tsx research/weak-starts.ts sum --out DIR|FILE             the tables of what lies there, or of a file with a run a line
 *
 * `--set NAME=VALUE`, `--strategy NAME`, `--credit NAME` and `--recipe NAME` change an arm for a try; `--name` then names it.
 */
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createChatDialect, openModel, train } from "limbeck";
import { createHousehold } from "limbeck/env";
import { evaluateAgent } from "limbeck/eval";
import { requireTokenizer } from "limbeck/local";
import { createTokenAgent } from "limbeck/search";
import type { UpdateEvent } from "limbeck/training";
import { ARMS, SIZE, type Arm } from "./weak-starts/arms.ts";
import { tables } from "./weak-starts/tables.ts";
import type { Measured, WeakRun } from "./weak-starts/weak-run.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string", default: "runs/weak-starts" },
    model: { type: "string", default: "packages/household-model" },
    updates: { type: "string", default: String(SIZE.updates) },
    tasks: { type: "string", default: String(SIZE.heldOut) },
    split: { type: "string", default: "test" },
    name: { type: "string" },
    recipe: { type: "string" },
    credit: { type: "string" },
    strategy: { type: "string" },
    reward: { type: "string" },
    set: { type: "string", multiple: true, default: [] },
  },
});

const [what = "", ...rest] = positionals;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const { credit, strategy, reward } = values;
const env = createHousehold({ dial: "small" });

/** One episode each of tasks that belong to this seed alone. */
async function heldOut(folder: string, seed: number): Promise<Measured> {
  const model = await openModel(folder, { threads: 1 });
  try {
    const agent = createTokenAgent({
      policy: model,
      dialect: await createChatDialect(requireTokenizer(model)),
      temperature: SIZE.temperature,
      answerTokens: SIZE.answerTokens,
    });
    const tasks = [];
    for await (const task of env.tasks(values.split, { offset: seed * 1_000, count: Number(values.tasks) })) tasks.push(task); // prettier-ignore
    const { evaluation } = await evaluateAgent({ env, agent, tasks, seed });
    const { solved, tasks: played, meanSteps, invalid } = evaluation;
    return { solved, tasks: played, meanSteps, invalid };
  } finally {
    await model.close();
  }
}

async function run(name: string, arm: Arm, seed: number): Promise<void> {
  const dir = join(values.out, "trainings", `${name}-${seed}`);
  const file = join(values.out, `${name}-${seed}.json`);
  await mkdir(join(values.out, "trainings"), { recursive: true });
  const before = await written(file);
  if (before?.after !== undefined) return;
  const updates: WeakRun["updates"][number][] = [...(before?.updates ?? [])];
  const notices = [...(before?.notices ?? [])];
  const keep = async (more: Partial<WeakRun>): Promise<void> => {
    await replace(file, { arm: name, seed, updates, notices, ...more });
  };
  const end = await train({
    recipe: arm.recipe,
    ...(arm.credit === undefined ? {} : { credit: arm.credit }),
    ...(arm.strategy === undefined ? {} : { strategy: arm.strategy }),
    ...(arm.reward === undefined ? {} : { reward: arm.reward }),
    ...(arm.preset === undefined ? {} : { preset: arm.preset }),
    settings: { tasks: SIZE.tasks, group: SIZE.group, maxSteps: SIZE.maxSteps, ...arm.settings },
    texts: values.set.map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)] as const),
    env: "household",
    envOptions: { dial: "small" },
    model: values.model,
    steps: Number(values.updates),
    seed,
    validation: { every: 0, tasks: 0 },
    report: { tasks: 0 },
    checkpointEvery: 1,
    dir,
    keep: false,
    resume: true,
    threads: 1,
    onEvent: (event) => {
      if (event.kind === "notice") notices.push(`${event.update}: ${event.message}`);
      if (event.kind !== "update") return;
      const row = rowOf(event);
      updates[row.update - 1] = row;
      void keep({});
      print(`${name} ${seed}: ${JSON.stringify(row)}`);
    },
    now: () => performance.now(),
  });
  const after = await heldOut(join(dir, "model"), seed);
  await keep({ reason: end.reason, after });
  print(`${name} ${seed}: ${end.reason} after ${end.update}: ${JSON.stringify(after)}`);
}

function rowOf({
  update,
  success,
  episodes,
  entropy,
  metrics,
  seconds,
  spent,
}: UpdateEvent): WeakRun["updates"][number] {
  const { environmentSteps, sampledTokens, modelTokens } = spent;
  const distance = metrics["brake/distance"];
  return { update, success, episodes, entropy, ...(distance === undefined ? {} : { distance }), seconds, environmentSteps, sampledTokens, modelTokens }; // prettier-ignore
}

async function written(file: string): Promise<WeakRun | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as WeakRun;
  } catch {
    return undefined;
  }
}

async function runsIn(place: string): Promise<readonly WeakRun[]> {
  if (place.endsWith(".jsonl")) {
    const lines = (await readFile(place, "utf8")).trim().split("\n");
    return lines.map((line) => JSON.parse(line) as WeakRun);
  }
  const names = (await readdir(place)).filter((name) => name.endsWith(".json")).sort();
  const runs = await Promise.all(names.map((name) => written(join(place, name))));
  return runs.filter((one) => one !== undefined);
}

let writing = Promise.resolve();
/** One after the other: a reader never sees half a result. */
async function replace(file: string, run: WeakRun): Promise<void> {
  const text = `${JSON.stringify(run)}\n`;
  writing = writing.then(async () => {
    await writeFile(`${file}.part`, text);
    await rename(`${file}.part`, file);
  });
  await writing;
}

const [arm = "", seed = ""] = rest;
if (what === "run") {
  const given = Object.fromEntries(Object.entries({ recipe: values.recipe, credit, strategy, reward }).filter(([, one]) => one !== undefined)); // prettier-ignore
  await run(values.name ?? arm, { ...(ARMS[arm] ?? { recipe: "grpo" }), ...given }, Number(seed));
} else if (what === "start") {
  const after = await heldOut(values.model, Number(arm));
  await replace(join(values.out, `start-${arm}.json`), {
    arm: "start",
    seed: Number(arm),
    updates: [],
    notices: [],
    after,
  });
  print(JSON.stringify(after));
} else if (what === "sum") {
  print(tables(await runsIn(values.out)));
} else {
  print(`Say "run ARM SEED" (${Object.keys(ARMS).join(", ")}), "start SEED" or "sum".`);
  process.exitCode = 2;
}
