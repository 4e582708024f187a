/**
 * Trains a tiny model with a recipe, until it is done or killed. A process of its own, so that it can be killed.
 *
 *     kill-recipe MODEL DIR UPDATES
 */
import { createCorridor } from "../../src/env/corridor.ts";
import { train } from "../../src/training/index.ts";
import { smallPlan } from "./small-training.ts";

const [model = "", dir = "", updates = "0"] = process.argv.slice(2);
const plan = smallPlan({
  recipe: "opid",
  given: { tasks: 2, group: 3, answerTokens: 6, learningRate: 0.01, teacher: "ema", miniBatches: 2 },
  env: createCorridor({ rooms: 2, maxSteps: 3 }),
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
