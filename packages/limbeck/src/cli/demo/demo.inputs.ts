/** What the demonstration can be asked for. */
import { input } from "limbeck-base/base/input";
import type { Input } from "limbeck-base/base/operation";
import { engineInputs } from "limbeck-policy/policy/engine.inputs";

export const demoInputs = {
  seed: input.count(
    "N",
    "Tasks and draws; the same seed gives the same parameters on one machine with as many threads",
    { least: 0, default: 1 },
  ),
  quick: input.flag("The same in about a minute: 6 updates and 100 held-out errands"),
  steps: input.count("N", "Updates. Default: 20; with --quick 6"),
  set: input.settings("A setting of the recipe; see limbeck train"),
  reportTasks: input.count("N", "Held-out errands before and after. Default: 200; with --quick 100"),
  compare: input.flag("Also train without the teacher, at equal budget"),
  dir: input.path("DIR", "Folder of the run. Default: a new one in the store"),
  model: input.path("DIR", "Model to start from. Default: the bundled one"),
  threads: engineInputs.threads,
};

export type DemoInput = Input<typeof demoInputs>;
