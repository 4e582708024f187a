/** `limbeck tune`: a short search for the settings of a recipe. */
import { allowOptions } from "../allow-options.ts";
import type { Command } from "../command.ts";
import { creditNames, strategyNames } from "../methods/method-names.ts";
import { rewardOptions } from "../methods/reward-options.ts";
import { flag, shared, text, texts } from "../options.ts";
import { envNames } from "../play/env-names.ts";

export const tune: Command = {
  group: "learn",
  summary: "Find settings of a recipe within a budget",
  usage: "[--env ID] [--recipe NAME] [--budget steps=N|minutes=N] [--over NAME=A,B,C] [--dir DIR] | --resume DIR",
  description:
    "Several settings train for a short while, each with the same seeds; the better half goes on from its checkpoint, until two are left or the budget is spent. What decides is success on validation tasks, never on test tasks. The end is a table with intervals over the seeds, what was too close to call, and a line to train with. A tune whose settings all unlearn says so and advises none.\n" +
    "Searched over are the learning rate and the group size (and the temperature, where a recipe lets it change), as multiples of the recipe's own values, which are always among the trials. --over takes their place: NAME=A,B,C for any setting (limbeck train --settings lists them), credit, strategy, objective or env.NAME; a NAME alone takes multiples of its own value. Of many combinations --trials are drawn, so that each value comes up about as often.\n" +
    "The folder holds tune.json and a journal for each run. A tune that was stopped or killed goes on with --resume DIR and ends alike; with minutes as its budget it counts the minutes of whole rounds.",
  options: {
    env: text("ID", "The world. Default: household", envNames),
    "env-set": shared.envSet,
    recipe: text("NAME", "The recipe. Default: grpo", recipeNames),
    credit: text("METHOD", "Another credit method", creditNames),
    strategy: text("NAME", "Another rollout strategy", strategyNames),
    objective: text("NAME", "Another policy loss"),
    preset: text("NAME", "A named set of settings, such as paper"),
    set: texts("KEY=VALUE", "A setting of every trial"),
    ...rewardOptions,
    model: shared.startModel,
    over: texts("NAME=A,B,C", "What is searched over. Default: learningRate, group"),
    trials: text("N", "Settings that are tried. Default: 6"),
    seeds: text("N", "Seeds of each, from 1 on. Default: 3"),
    budget: text("ACCOUNT=N", "Of all runs together: steps, tokens, model-tokens or minutes. Default: steps=60000"),
    "validation-tasks": text("N", "Validation tasks at the end of a round. Default: 48"),
    jobs: text("N", "Runs side by side. Default: cores / threads"),
    threads: text("N", "Threads of a run. Default: 1"),
    dir: text("DIR", "Folder of the tune. Default: a new one in the store"),
    resume: text("DIR", "Go on with the tune in this folder, or show it again"),
    ...allowOptions("the tune of --resume"),
    "dry-run": flag("Show what would be tried, and end"),
  },
  examples: [
    "limbeck tune",
    "limbeck tune --env household --recipe gigpo --budget minutes=10",
    "limbeck tune --recipe grpo --over learningRate --over klWeight=0,0.01 --trials 8 --budget steps=80000",
    "limbeck tune --resume runs/tune-20260101-120000",
  ],
  jsonFields: {
    event: '"plan", "round", "point", "run", "trial", "comparison"; the last line has none and is the result',
    trials: "plan, round: names of the settings that are tried",
    env: "plan: the world",
    envOptions: "plan: its options",
    split: "plan: the split on which settings are compared",
    seeds: "plan: the seeds",
    rounds: "plan: how many trials each round has; trial: rounds it was in; last line: rounds that were run",
    budget: "plan: what may be spent in all, as ACCOUNT=N",
    jobs: "plan: runs side by side",
    round: "round: which one, from 1",
    amount: "round: what each run may have spent at its end",
    arm: "point, run: name of the setting",
    seed: "point, run: the seed",
    update: "point: after how many updates",
    environmentSteps: "point: spent so far",
    success: "point: share of the validation tasks that were solved; trial: mean, low, high, seeds",
    how: '"kept", "finished" or "failed"',
    why: "run: why it failed",
    name: "trial: its name",
    values: "trial: its settings; last line: those of the best",
    own: "trial: whether these are the recipe's own values",
    gain: "trial: success minus that of its start: mean, low, high, seeds",
    updates: "trial: mean over the seeds",
    steps: "trial: mean over the seeds",
    failures: "trial: why runs of it failed",
    left: "comparison: a setting",
    right: "comparison: the best",
    difference: "comparison: mean of left minus right, within seeds, in the last round of both",
    low: "comparison: 95% interval of it",
    high: "comparison: 95% interval of it",
    better: "comparison: the better one; null where the data cannot say",
    moreSeeds: "comparison: seeds that would separate them if the difference stays; null where nobody can say",
    outcome:
      'last line: "found", "unsure" (its interval holds 0, or seeds are too few for one), "worse" (all unlearn) or "failed"',
    best: "last line: name of the best; null where none is advised",
    tooClose: "last line: settings that may be as good",
    spent: "last line: what all runs have spent, in the account of the budget",
    command: "last line: the line to train with; null where none is advised",
    words: "last line: the result in sentences",
    dir: "last line: the folder",
  },
  natives: ({ flag: has }) => (has("dry-run") ? [] : ["duckdb", "onnxruntime"]),
  run: async (invocation) => (await import("../tune/run-tune.ts")).runTune(invocation),
};

async function recipeNames(): Promise<readonly string[]> {
  return Object.keys((await import("../../recipe/registry.ts")).allRecipes);
}
