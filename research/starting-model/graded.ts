/**
 * Makes the models of packages/world-models: a warm-up from the household model, weights in bfloat16, and a card with figures
 * on unseen tasks. `npx tsx research/starting-model/graded.ts --world talk --out packages/world-models/talk`
 */
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { evaluate } from "limbeck";
import type { WorldOptions } from "limbeck/env";
import { bundledStart, openModel } from "limbeck/policy/local";
import { warmUp } from "limbeck/training";

const { values } = parseArgs({
  options: {
    world: { type: "string" },
    out: { type: "string" },
    /** How the world is opened, as JSON. Default: as its bundled model is used. */
    options: { type: "string" },
    /** A warm-up's folder to take, in the place of making one. */
    from: { type: "string" },
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
  await writeFile(join(out, "README.md"), `${card.trimEnd()}\n\n${title}\n\n${table.join("\n")}\n`);
} finally {
  await rm(scratch, { recursive: true, force: true });
}

async function warmed(env: string): Promise<string> {
  const { model } = await warmUp({
    env,
    envOptions: worldOptions,
    out: join(scratch, "warm"),
    until: Number(values.until),
    steps: Number(values.steps),
    seed: Number(values.seed),
    threads: 1,
    onEvent: (event) => {
      if (event.kind === "evaluation")
        process.stdout.write(`${env}: update ${event.update}, success ${event.evaluation.success}\n`);
    },
  });
  return model;
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
