/**
 * Makes the models of packages/world-models: a warm-up from a bundled model, weights in bfloat16, and a card with figures on
 * unseen tasks. `npx tsx research/starting-model/graded.ts --world talk --out packages/world-models/talk`
 *
 * Worlds whose answers say again what was read (`emit`, `archive`) begin with a model that can do that, and keep its words.
 * Long episodes can be learnt decision by decision first (`--single`), which teaches little of whole ones:
 *
 *     … --world emit --options '{"level":"small"}' --base tools --words base --advice 0.25 --demonstrations 3000 --steps 600
 *         --every 25 --until 0.35 --threads 2 --out packages/world-models/emit
 *     … --world archive --options '{"size":"tiny"}' --base research --words base --advice 0 --steps 400 --out DIR
 */
import { existsSync } from "node:fs";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { evaluate, rollout, openModel } from "limbeck";
import type { WorldOptions } from "../../packages/core/src/env/world.ts";
import { bundledStart } from "../../packages/policy/src/policy/starts.ts";
import { warmUp, type WarmUpOptions } from "limbeck/training";

const { values } = parseArgs({
  options: {
    world: { type: "string" },
    out: { type: "string" },
    /** How the world is opened, as JSON. Default: as its bundled model is used. */
    options: { type: "string" },
    /** A warm-up's folder to take, in the place of making one. */
    from: { type: "string" },
    base: { type: "string", default: "household" },
    /** Default: that of a warm-up. */
    words: { type: "string" },
    /** Updates by single decisions, each a lesson of its own, before whole episodes. */
    single: { type: "string", default: "0" },
    /** Where the model after them is kept, and taken from if it is there. Default: nowhere. */
    kept: { type: "string" },
    demonstrations: { type: "string", default: "600" },
    advice: { type: "string", default: "0.4" },
    threads: { type: "string", default: "1" },
    /** Updates between two looks, and validation tasks of each. */
    every: { type: "string", default: "20" },
    validation: { type: "string", default: "64" },
    until: { type: "string", default: "0.3" },
    steps: { type: "string", default: "140" },
    seed: { type: "string", default: "7" },
    tasks: { type: "string", default: "300" },
  },
});
const { world, out } = values;
if (world === undefined || out === undefined) throw new Error("Say --world ID and --out DIR.");
const worldOptions: WorldOptions =
  values.options === undefined
    ? { ...bundledStart(world)?.worldOptions }
    : (JSON.parse(values.options) as WorldOptions);
const scratch = await mkdtemp(join(tmpdir(), "limbeck-graded-"));
try {
  const warm = values.from ?? (await warmed(world));
  const model = await openModel(warm, { threads: 1, name: world });
  await model.save(out, { precision: "bfloat16", optimiser: false, progress: {} });
  await model.close();
  await copyFile(join(warm, "warm-up.json"), join(out, "warm-up.json"));
  const card = await readFile(join(warm, "README.md"), "utf8");
  const { answerTokens } = JSON.parse(await readFile(join(warm, "warm-up.json"), "utf8")) as { answerTokens: number };
  const rows = [
    await figures("bundled weights", out, 0.4, answerTokens),
    await figures("bundled weights, temperature 1", out, 1, answerTokens),
  ];
  const table = ["| | tasks | success | 95% interval | steps |", "| --- | ---: | ---: | --- | ---: |", ...rows];
  const title = `## Unseen tasks (test split, ${JSON.stringify(worldOptions)})`;
  const made = card.replaceAll(values.kept ?? join(scratch, "single"), `${values.base}, after ${values.single} updates by single decisions`); // prettier-ignore
  await writeFile(join(out, "README.md"), `${made.trimEnd()}\n\n${title}\n\n${table.join("\n")}\n`);
} finally {
  await rm(scratch, { recursive: true, force: true });
}

async function warmed(env: string): Promise<string> {
  const single = Number(values.single);
  const first = values.kept ?? join(scratch, "single");
  if (single > 0 && !existsSync(first)) {
    const trajectories = await singleDecisions(env);
    const { base, words } = values;
    // Few looks: somebody who wanders takes every step there is.
    const looks = { evaluateEvery: Math.ceil(single / 6), tasks: 16, until: Number(values.until) };
    await taught(env, { base, ...wordsOf(words), trajectories, steps: single, out: first, batchRows: 32, ...looks });
  }
  const { base, words, demonstrations } = values;
  const begin = single > 0 ? { base: first, learningRate: 5e-4 } : { base, ...wordsOf(words) };
  const [until, steps] = [Number(values.until), Number(values.steps)];
  return await taught(env, {
    ...begin,
    demonstrations: Number(demonstrations),
    steps,
    until,
    out: join(scratch, "warm"),
  });
}

function wordsOf(words: string | undefined): Pick<WarmUpOptions, "words"> {
  return words === undefined ? {} : { words: words === "base" ? "base" : "new" };
}

async function taught(env: string, options: Omit<WarmUpOptions, "env" | "envOptions">): Promise<string> {
  const { model } = await warmUp({
    env,
    envOptions: worldOptions,
    seed: Number(values.seed),
    threads: Number(values.threads),
    advice: Number(values.advice),
    evaluateEvery: Number(values.every),
    tasks: Number(values.validation),
    onEvent: (event) => {
      if (event.kind === "evaluation") say(`${env}: update ${event.update}, success ${event.evaluation.success}`);
      if (event.kind === "update" && event.update % 25 === 0) say(`${event.update}: loss ${event.loss.toFixed(3)}`);
    },
    ...options,
  });
  return model;
}

/** What the expert does, one decision a lesson: the message before it and the action. */
async function singleDecisions(env: string): Promise<NonNullable<WarmUpOptions["trajectories"]>> {
  const tasks = Number(values.demonstrations);
  const { trajectories } = await rollout({ env, envOptions: worldOptions, policy: "expert", split: "train", tasks });
  return trajectories.flatMap((one) => one.steps.map((step, at) => ({ ...one, id: `${one.id}/${at}`, steps: [step] })));
}

function say(line: string): void {
  process.stdout.write(`${line}, ${Math.round(process.cpuUsage().user / 1e6)} s\n`);
}

async function figures(label: string, policy: string, temperature: number, answerTokens: number): Promise<string> {
  const { success, low, high, tasks, meanSteps } = await evaluate({
    env: world as string,
    envOptions: worldOptions,
    policy,
    split: "test",
    tasks: Number(values.tasks),
    temperature,
    answerTokens,
    seed: 1,
    threads: 1,
  });
  const shown = [success ?? 0, low ?? 0, high ?? 0].map((value) => value.toFixed(3));
  return `| ${label} | ${tasks} | ${shown[0]} | ${shown[1]} to ${shown[2]} | ${meanSteps.toFixed(1)} |`;
}
