/**
 * Trains a small model in the world of this folder:
 *
 *     npm run train              # some minutes the first time, then less
 *     npm run train -- --long    # more updates
 *     npm run train -- --tiny    # one update, to see that everything runs
 *
 * The first time it makes the model that the training begins with; with --warm-up it makes it anew.
 */
import { existsSync, rmSync } from "node:fs";
import { train } from "limbeck";
import { warmUp } from "limbeck/training";
import { reward } from "./reward.ts";
import { ANSWER_TOKENS, BASE, SIZES, START } from "./settings.ts";
import world from "./world.ts";

const name = process.argv.includes("--long") ? "long" : process.argv.includes("--tiny") ? "tiny" : "short";
const { warming, learning, report } = SIZES[name];
const env = await world.create();
// What one update makes is no start for anything else.
const start = name === "tiny" ? `${START}-tiny` : START;

// 1. No model has read this world. A small one learns from the expert, until it succeeds now and then.
if (process.argv.includes("--warm-up") && existsSync(`${start}/warm-up.json`)) rmSync(start, { recursive: true });
if (!existsSync(start)) {
  const demonstrator = world.demonstrators?.["expert"];
  const made = await warmUp({ env, demonstrator, base: BASE, out: start, ...warming });
  say(`Warm-up: ${made.updates} updates, success ${made.measured.none.success}. The model lies in ${start}`);
  made.verdict.words.forEach(say);
}

// 2. From there it learns by its own attempts and by the reward of this folder.
const { steps, tasks, group } = learning;
const { before, after, model } = await train({
  env,
  model: start,
  recipe: "grpo",
  reward,
  steps,
  settings: { tasks, group, answerTokens: ANSWER_TOKENS, learningRate: 0.0001 },
  validation: { every: 0 },
  report: { tasks: report },
});
say(`Success before ${before.success}, after ${steps} updates from its own attempts ${after.success}`);
say(`The model lies in ${model}. Look at the runs: npx limbeck runs`);

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
