/** What `limbeck arena` takes and says. */
import { input } from "limbeck-base/base/input";
import type { EventOf, Input } from "limbeck-base/base/operation";
import { allowInputs } from "limbeck-worlds/world.inputs";
import { searchPart } from "limbeck-core/recipe/methods.part";
import { rewardInputs } from "../../run/reward.inputs.ts";
import { searchInputs } from "../../run/search.inputs.ts";
import { trainInputs } from "../../run/train.inputs.ts";
import type { Frame } from "../command-of.ts";

const { env, envOptions, model, settings } = trainInputs;
const { searchOptions, searchBudget } = searchInputs;

export const arenaInputs = {
  recipes: input.text("A,B,C", "Recipes to compare. Default: grpo,gigpo,opid"),
  vary: input.texts("KEY=V1,V2", "An arm for every value"),
  env,
  envOptions,
  model,
  seeds: input.text("N|A-B", "How many, from 1 on; or a range: 11-20. Default: 3"),
  budget: input.text("ACCOUNT=N", "steps, tokens, model-tokens, seconds or updates. Default: steps=8000"),
  settings: { ...settings, meaning: "A setting of every arm that has it" },
  ...rewardInputs,
  baseline: input.text("ARM", "Compare with this arm only. Default: all pairs"),
  targets: input.text("A,B", "Success to reach. Default: 0.6,0.8"),
  noise: input.number("SHARE", "Share of the words of an observation that are lost or garbled", { least: 0, most: 1 }),
  validateEvery: input.count("N", "Updates between points of a curve. Default: 3"),
  validationTasks: input.count("N", "Tasks of a point. Default: 48"),
  finalTasks: input.count("N", "Held-out tasks at the end. Default: 96; 0 for none", { least: 0 }),
  search: input.part(searchPart, "METHOD", "On held-out tasks the trained policies search before they act"),
  searchOptions,
  searchBudget,
  retentionTasks: input.count("N", "Held-out tasks to see whether skills are still needed. Default: 0", { least: 0 }),
  jobs: input.count("N", "Runs side by side. Default: cores / threads"),
  threads: input.count("N", "Threads of a run. Default: 1"),
  keepRuns: input.flag("Keep every run in the store, and its model"),
  plan: input.path("FILE", "The whole plan as JSON, in place of the options above"),
  dir: input.path("DIR", "Folder of the arena. Default: a new one in the store"),
  resume: input.path("DIR", "Go on with the arena in this folder, or show it again"),
  ...allowInputs("the plan of --plan or --resume"),
  reportOnly: input.flag("Start nothing; report on what is finished so far"),
  dryRun: input.flag("Show arms, seeds and order, and end"),
} as const;

const [NAME, SEED, SPENT, HOW] = ["its name", "the seed", "spent so far", '"kept", "finished" or "failed"'];

export const arenaEvents = {
  plan: {
    env: "the world",
    envOptions: "its options",
    arms: "names of the arms",
    seeds: "the seeds",
    order: "the order in which runs start, as ARM/SEED",
    jobs: "runs side by side",
  },
  point: {
    arm: NAME,
    seed: SEED,
    update: "after how many updates",
    environmentSteps: SPENT,
    sampledTokens: SPENT,
    seconds: "spent so far, without evaluations",
    success: "share of the validation tasks that were solved",
  },
  run: { arm: NAME, seed: SEED, how: HOW, why: "why it failed" },
  arm: {
    arm: NAME,
    account: "what is held equal",
    area: "area under the validation curve: mean, low, high, seeds",
    end: "validation success when the budget was spent, the same way",
    final: "success on held-out tasks, the same way",
    reached: "for each target what the median seed needed, null where it did not get there",
    retention: "success with and without skills, after and before the training",
    rank: "ranks it may have: best and worst",
    rating: "Elo points with interval",
  },
  comparison: {
    account: "what is held equal",
    measure: '"area", "end" or "held-out"',
    left: "one arm",
    right: "the other",
    pairs: "seeds that both have",
    difference: "mean of left minus right",
    low: "95% interval of it",
    high: "95% interval of it",
    adjustedP: "p after Holm's correction",
    better: "the better arm; null where the data cannot say",
    moreSeeds: "seeds that would separate them if the difference stays; null where nobody can say",
    words: "the same as a sentence",
  },
} as const;

export const arenaResult = {
  verdict: "the outcome in one sentence",
  winner: "the arm that is better than every other; null for none",
  arms: "names of the arms",
  missing: "runs that are not finished",
  dir: "the folder",
  report: "the page to look at; null where it could not be written",
  points: "the curves as Parquet",
  comparisons: "the comparisons as Parquet",
} as const;

export type ArenaInput = Input<typeof arenaInputs>;
export type ArenaFrame = Frame<EventOf<typeof arenaEvents, typeof arenaResult>>;
