/** `limbeck arena`: recipes against each other. */
import { SEARCH_RULE } from "../../run/search.inputs.ts";
import { arenaEvents, arenaInputs, arenaResult } from "../arena/arena.inputs.ts";
import { defineCommand } from "../command-of.ts";

export const arena = defineCommand({
  group: "learn",
  summary: "Compare recipes on the same budget and seeds",
  usage: "[--recipes A,B,C] [--env ID] [--seeds N] [--budget ACCOUNT=N] [--vary KEY=V1,V2…] [--dir DIR] | --resume DIR",
  description:
    "Every recipe trains with every seed, each run in a process of its own, several side by side. Runs of a seed share tasks, starting weights and draws; all stop at the same budget. Then: learning curves with bands, the area under them, steps to a given success, success on held-out tasks, differences within seeds with intervals and a correction for many comparisons, and ratings. What the data cannot separate is not ranked. Without options: grpo, gigpo and opid on household tiny, three seeds, 8,000 environment steps each.\n" +
    "An ablation is --vary: one arm of the recipe for every value, for every combination where it is given several times. A key is a setting of the recipe (limbeck train --settings lists them), credit, strategy, objective, preset, reward, model, noise, or env.NAME for an option of the world.\n" +
    "The folder holds the plan, a journal for each run, report.html and the numbers as Parquet. An arena that was stopped or killed goes on with --resume DIR; what is finished is not repeated.",
  input: arenaInputs,
  rules: [{ ...SEARCH_RULE, only: ["searchOptions", "searchBudget"] }],
  examples: [
    "limbeck arena",
    "limbeck arena --recipes grpo,gigpo,opid --seeds 5 --budget steps=20000 --baseline grpo",
    "limbeck arena --recipes opid --vary teacher=self,reference,ema --vary form=shift,forward --seeds 3",
    "limbeck arena --recipes opid --vary skillControl=none,random,other-task,empty,oracle --baseline opid+skillControl=none",
    "limbeck arena --recipes grpo,opid --search best-of-n --search-budget modelCalls=100",
    "limbeck arena --resume runs/arena-20260101-120000",
  ],
  events: arenaEvents,
  line: arenaResult,
  natives: (given) =>
    given("dryRun") === undefined && given("reportOnly") === undefined ? ["duckdb", "onnxruntime"] : [],
  run: async (input, frame) => await (await import("../arena/run-arena.ts")).runArena(input, frame),
});
