/** `limbeck train`: run a recipe. */
import { trainGroups, trainInputs } from "../../run/train.inputs.ts";
import { defineCommand } from "../command-of.ts";
import { sectionsOf } from "../options-of.ts";

const EVALUATION =
  "success with interval (null where fewer than half were seen), tasks, how many were lost (failed) and why (causes), mean steps, share of refused actions";
const UPDATES = "updates in all";

export const train = defineCommand({
  group: "learn",
  summary: "Train a policy with a recipe",
  usage: "[--recipe NAME] [--env ID] [--model DIR] [--steps N] [--seed N] [--dir DIR] [--set KEY=VALUE…] [--resume]",
  description:
    "An update rolls out groups of episodes, assigns credit and changes the weights. Without options: the recipe opid on household tiny with the bundled model. Success on held-out tasks is measured before the first and after the last update, and on validation tasks in between.\n" +
    "The folder of the run holds everything: episodes, skills, metrics (limbeck runs, show and sql read them) and the model, in model/. A run that was killed goes on with --resume and the same options, and ends with the same parameters as one that was not.\n" +
    "A run stops with exit code 1 when fewer than half of the episodes of an update, or of the held-out tasks, were finished, and before an update with NaN values. The cause is named, the last good weights are kept, and --resume goes on from them.\n" +
    "Settings of the recipe are given with --set, those of its credit method as credit.NAME, of the rollout strategy as strategy.NAME, of a search that collects as collect.NAME, of a policy loss chosen by --objective as objective.NAME, of whoever supplies what the credit method needs as PROVIDER.NAME; --settings lists them. Rewards in the place of the world's own are a name (--reward) or a plan of several with weights, options and screens (--rewards); docs/lookup/generated/rewards.md tells of them. With --next the training goes on in another world, or with other options of the same one, with the same settings and --steps updates more; credit methods keep what they carry, and held-out tasks of the earlier worlds are played again. Each task has a folder of its own below --dir. A file given by --config holds the same keys as JSON under settings, nested or with dots, and may hold the options above it.",
  input: trainInputs,
  sections: sectionsOf(trainGroups),
  rules: [
    {
      never: ["gpu", "trainer"],
      say: '"limbeck train --gpu" starts a trainer of its own; leave out --trainer.',
    },
    {
      never: ["gpu", "baseModel"],
      say: '"limbeck train --gpu" starts a trainer of its own; leave out --base-model.',
    },
    { never: ["gpu", "next"], say: "--next is for a model of this process: leave out --gpu." },
    { only: ["python", "device"], with: "gpu", say: "is for --gpu." },
    { only: ["baseModel"], with: "trainer", say: "is for --trainer URL." },
    { only: ["fleetRewards", "serve"], with: "fleet", say: "is for --fleet URL." },
    { only: ["announce"], with: "serve", say: "is for --serve HOST:PORT: it says how workers reach that address." },
    { only: ["resume"], with: "dir", say: "needs --dir DIR, the folder of the run." },
  ],
  examples: [
    "limbeck train",
    "limbeck train --recipe grpo --steps 100 --seed 2 --dir runs/grpo-2",
    "limbeck train --recipe opid --set teacher=self --set form=shift --set credit.episodeWeight=0.01",
    "limbeck train --recipe grpo --credit gigpo --set credit.gamma=0.9 --json",
    "limbeck train --recipe grpo --credit mc-critic --set continuations.count=2",
    "limbeck train --recipe grpo --collect mcts --set collect.envSteps=120",
    "limbeck train --recipe grpo --objective sapo --set miniBatches=4",
    "limbeck train --recipe grpo --strategy archive --set tasks.pool=64",
    "limbeck train --recipe grpo --reward trace",
    "limbeck train --recipe grpo --env tools --rewards rewards.yaml",
    "limbeck train --dir runs/grpo-2 --recipe grpo --steps 100 --seed 2 --resume",
    "limbeck train --recipe grpo --trainer http://127.0.0.1:4143",
    "limbeck train --recipe opid --env alfworld --model models/tinyllama --gpu --lora 32",
    "limbeck train --recipe grpo --model models/my-model --thinking off --stop '\\n' --lora 8",
    "limbeck train --recipe grpo --credit gigpo --schema > training.schema.json",
    "limbeck train --recipe grpo --credit rapo --env-set 'families=[\"pick_cool_then_place_in_recep\"]' --next 'household families=[\"pick_heat_then_place_in_recep\"]'",
    "limbeck train --recipe grpo --lag 2",
    "limbeck train --recipe grpo --lag 1 --fleet redis://127.0.0.1:6379",
  ],
  events: {
    start: {
      run: "the run",
      recipe: "the recipe",
      env: "the world",
      parameters: "numbers that learn",
      from: "updates done before",
      updates: UPDATES,
    },
    before: { evaluation: EVALUATION },
    update: {
      updates: UPDATES,
      update: "which one",
      success: "share of the training episodes that succeeded, of those that were not lost",
      episodes: "training episodes",
      reward: "their mean reward",
      entropy: "mean surprise of a sampled token, in nats",
      metrics: "everything that was measured, by name",
      phases: "seconds of each phase",
      spent: "environment steps, tokens and seconds so far",
      seconds: "seconds it took",
    },
    probe: { evaluation: EVALUATION },
    validation: { evaluation: EVALUATION },
    notice: { message: "what a person should know" },
    after: { evaluation: EVALUATION },
    kept: {
      evaluation: EVALUATION,
      task: "the earlier task, from 1",
      had: "its held-out success when its own training ended",
      drop: "that minus its success now",
      after: "the task after which it was measured",
    },
  },
  line: {
    run: "its folder",
    kept: "with --next: for each earlier task what it had, its success now and the drop",
    before: "success, low, high, tasks, failed and causes before training",
    after: "success and the rest after the training",
    seconds: "of the whole run",
    environmentSteps: "steps of training episodes",
    tokens: "sampled tokens of training episodes",
    reason: "finished, early-stop, or stopped by the brake",
    digest: "SHA-256 of the parameters; null where they are elsewhere",
    name: "--settings: a setting",
    kind: "--settings: number, limit (a number or none), flag or choice",
    default: "--settings: its default",
    allowed: "--settings: what it takes",
    meaning: "--settings: what it does",
    "*": "--schema: the fields of a JSON schema",
  },
  natives: (given) => {
    if (given("listSettings") !== undefined || given("schema") !== undefined) return [];
    return given("trainer") === undefined && given("gpu") === undefined ? ["duckdb", "onnxruntime"] : ["duckdb"];
  },
  run: async (input, frame) => await (await import("../train/run-train.ts")).runTrain(input, frame),
});
