/** `limbeck tune`: a short search for the settings of a recipe. */
import { defineCommand } from "../command-of.ts";
import { tuneEvents, tuneInputs, tuneResult } from "../tune/tune.inputs.ts";

export const tune = defineCommand({
  group: "learn",
  summary: "Find settings of a recipe within a budget",
  usage: "[--env ID] [--recipe NAME] [--budget steps=N|minutes=N] [--over NAME=A,B,C] [--dir DIR] | --resume DIR",
  description:
    "Several settings train for a short while, each with the same seeds; the better half goes on from its checkpoint, until two are left or the budget is spent. What decides is success on validation tasks, never on test tasks. The end is a table with intervals over the seeds, what was too close to call, and a line to train with. A tune whose settings all unlearn says so and advises none.\n" +
    "Searched over are the learning rate and the group size (and the temperature, where a recipe lets it change), as multiples of the recipe's own values, which are always among the trials. --over takes their place: NAME=A,B,C for any setting (limbeck train --settings lists them), credit, strategy, objective or env.NAME; a NAME alone takes multiples of its own value. Of many combinations --trials are drawn, so that each value comes up about as often.\n" +
    "The folder holds tune.json and a journal for each run. A tune that was stopped or killed goes on with --resume DIR and ends alike; with minutes as its budget it counts the minutes of whole rounds.",
  input: tuneInputs,
  examples: [
    "limbeck tune",
    "limbeck tune --env household --recipe gigpo --budget minutes=10",
    "limbeck tune --recipe grpo --over learningRate --over klWeight=0,0.01 --trials 8 --budget steps=80000",
    "limbeck tune --resume runs/tune-20260101-120000",
  ],
  events: tuneEvents,
  line: tuneResult,
  natives: (given) => (given("dryRun") === undefined ? ["duckdb", "onnxruntime"] : []),
  run: async (input, frame) => await (await import("../tune/run-tune.ts")).runTune(input, frame),
});
