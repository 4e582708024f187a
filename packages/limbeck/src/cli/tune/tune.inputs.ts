/** What `limbeck tune` takes and says. */
import { input } from "limbeck-base/base/input";
import type { EventOf, Input } from "limbeck-base/base/operation";
import { allowInputs } from "limbeck-worlds/world.inputs";
import { rewardInputs } from "../../run/reward.inputs.ts";
import { trainInputs } from "../../run/train.inputs.ts";
import type { Frame } from "../command-of.ts";

const { recipe, credit, strategy, objective, preset, env, envOptions, model, settings } = trainInputs;
const same = { credit, strategy, objective, preset, env, envOptions, model, ...rewardInputs };

/** What `limbeck train` takes with the same meaning. */
export const trialInputs = {
  recipe: { ...recipe, meaning: "The recipe. Default: grpo" },
  ...same,
  settings: { ...settings, meaning: "A setting of every trial" },
} as const;

export const tuneInputs = {
  ...trialInputs,
  over: input.texts("NAME=A,B,C", "What is searched over. Default: learningRate, group"),
  trials: input.count("N", "Settings that are tried. Default: 6", { least: 2 }),
  seeds: input.count("N", "Seeds of each, from 1 on. Default: 3"),
  budget: input.text("ACCOUNT=N", "Of all runs together: steps, tokens, model-tokens or minutes. Default: steps=60000"),
  validationTasks: input.count("N", "Validation tasks at the end of a round. Default: 48"),
  jobs: input.count("N", "Runs side by side. Default: cores / threads"),
  threads: input.count("N", "Threads of a run. Default: 1"),
  dir: input.path("DIR", "Folder of the tune. Default: a new one in the store"),
  resume: input.path("DIR", "Go on with the tune in this folder, or show it again"),
  ...allowInputs("the tune of --resume"),
  dryRun: input.flag("Show what would be tried, and end"),
} as const;

const [TRIALS, ARM, SEED] = ["names of the settings that are tried", "name of the setting", "the seed"];

export const tuneEvents = {
  plan: {
    trials: TRIALS,
    env: "the world",
    envOptions: "its options",
    split: "the split on which settings are compared",
    seeds: "the seeds",
    rounds: "how many trials each round has",
    budget: "what may be spent in all, as ACCOUNT=N",
    jobs: "runs side by side",
  },
  round: { trials: TRIALS, round: "which one, from 1", amount: "what each run may have spent at its end" },
  point: {
    arm: ARM,
    seed: SEED,
    update: "after how many updates",
    environmentSteps: "spent so far",
    success: "share of the validation tasks that were solved",
  },
  run: { arm: ARM, seed: SEED, how: '"kept", "finished" or "failed"', why: "why it failed" },
  trial: {
    name: "its name",
    rounds: "rounds it was in",
    success: "mean, low, high, seeds",
    values: "its settings",
    own: "whether these are the recipe's own values",
    gain: "success minus that of its start: mean, low, high, seeds",
    updates: "mean over the seeds",
    steps: "mean over the seeds",
    failures: "why runs of it failed",
  },
  comparison: {
    left: "a setting",
    right: "the best",
    difference: "mean of left minus right, within seeds, in the last round of both",
    low: "95% interval of it",
    high: "95% interval of it",
    better: "the better one; null where the data cannot say",
    moreSeeds: "seeds that would separate them if the difference stays; null where nobody can say",
  },
} as const;

export const tuneResult = {
  outcome: '"found", "unsure" (its interval holds 0, or seeds are too few for one), "worse" (all unlearn) or "failed"',
  best: "name of the best; null where none is advised",
  values: "those of the best",
  rounds: "rounds that were run",
  tooClose: "settings that may be as good",
  spent: "what all runs have spent, in the account of the budget",
  command: "the line to train with; null where none is advised",
  words: "the result in sentences",
  dir: "the folder",
} as const;

export type TuneInput = Input<typeof tuneInputs>;
export type TuneFrame = Frame<EventOf<typeof tuneEvents, typeof tuneResult>>;
