/**
 * Trains a tiny model with a recipe, until it is done or killed. A process of its own, so that it can be killed.
 *
 *     kill-recipe MODEL DIR UPDATES [partial]
 *
 * With partial, tasks take 1, 2 or 4 steps, so that some groups are over before others.
 */
import { createCorridor } from "../../packages/core/src/env/corridor.ts";
import type { Env } from "../../packages/core/src/env/env.ts";
import { train } from "../../packages/training/src/training/train.ts";
import { smallPlan } from "./small-training.ts";

const [model = "", dir = "", updates = "0", strategy = "group"] = process.argv.slice(2);
const lengths = strategy === "partial" ? [1, 4, 2] : [3];
const corridors = lengths.map((maxSteps) => createCorridor({ rooms: 2, maxSteps }));
const longest = createCorridor({ rooms: 2, maxSteps: Math.max(...lengths) });
const env: Env = {
  ...longest,
  open: (task, options) => (corridors[task.seed % corridors.length] ?? longest).open(task, options),
};
const plan = smallPlan({
  recipe: "opid",
  given: {
    tasks: 2,
    group: 3,
    answerTokens: 6,
    learningRate: 0.01,
    teacher: "ema",
    miniBatches: 2,
    ...(strategy === "partial" ? { "strategy.tick": 4 } : {}),
  },
  strategy,
  env,
  envName: "corridor",
  model,
  dir,
  steps: Number(updates),
  validation: { every: 2, tasks: 2, split: "valid" },
  report: { tasks: 2, split: "valid" },
  checkpointEvery: 2,
  keep: true,
  onEvent: (event) => process.stdout.write(`${event.kind}${event.kind === "update" ? ` ${event.update}` : ""}\n`),
  now: () => performance.now(),
});
await train(plan);
