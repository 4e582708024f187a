/**
 * Trains a tiny model with a recipe, until it is done or killed. A process of its own, so that it can be killed.
 *
 *     kill-recipe MODEL DIR UPDATES
 */
import { createCorridor } from "../../src/env/corridor.ts";
import { getRecipe, resolveSettings, train } from "../../src/recipe/index.ts";
import { createStatisticsAnalyst } from "../../src/skill/index.ts";

const [model = "", dir = "", updates = "0"] = process.argv.slice(2);
const recipe = getRecipe("opid");
const given = { tasks: 2, group: 3, answerTokens: 6, learningRate: 0.01, teacher: "ema", miniBatches: 2 };
await train({
  recipe: "opid",
  credit: "opid",
  strategy: "group",
  settings: resolveSettings({ name: "opid", recipe, credit: "opid", given }),
  env: createCorridor({ rooms: 2, maxSteps: 3 }),
  envName: "corridor",
  model,
  dir,
  analyst: createStatisticsAnalyst(),
  updates: Number(updates),
  seed: 1,
  validation: { every: 2, tasks: 2, split: "valid" },
  report: { tasks: 2, split: "valid" },
  evaluationTemperature: 0.4,
  stopAt: null,
  checkpointEvery: 2,
  resume: true,
  threads: 1,
  onEvent: (event) => process.stdout.write(`${event.kind}${event.kind === "update" ? ` ${event.update}` : ""}\n`),
  now: () => performance.now(),
  signal: new AbortController().signal,
});
