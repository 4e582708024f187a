/** How a model is warmed up: what it begins with and how it learns. */
import { input } from "limbeck-base/base/input";
import { engineInputs } from "limbeck-policy/policy/engine.inputs";

export const warmUpInputs = {
  base: input.text("NAME|DIR", "A bundled model, a folder, base (a package of its own), or fresh: a new model", {
    default: "household",
  }),
  words: input.choice("KIND", "new (a tokenizer from the demonstrations) or base. Default: new for a bundled base", [
    "new",
    "base",
  ]),
  demonstrations: input.count("N", "Tasks that are shown; 60 with --policy", { default: 600 }),
  until: input.number(
    "SHARE",
    "Validation success at which it stops, as a share of what is left above a blind or random answer",
    { above: 0, most: 1, default: 0.25 },
  ),
  advice: input.number("SHARE", "Lessons with advice", { least: 0, most: 0.9, default: 0.4 }),
  steps: input.count("N", "Most updates", { default: 600 }),
  batchRows: input.count("N", "Lessons of an update", { flag: "batch", default: 16 }),
  learningRate: input.number("X", "Default: 0.001 for a bundled base, 0.0005 for a folder and base, 0.003 for fresh", {
    least: 0,
  }),
  evaluateEvery: input.count("N", "Updates between two validations", { default: 20 }),
  tasks: input.count("N", "Of each; the figures at the end are of twice as many", {
    flag: "validation-tasks",
    default: 64,
  }),
  seed: input.count("N", "Lessons and draws", { least: 0, default: 1 }),
  threads: engineInputs.threads,
};
