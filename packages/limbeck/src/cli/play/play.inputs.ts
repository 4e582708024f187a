/** What `limbeck play` takes and says. */
import { input } from "limbeck-base/base/input";
import type { Input } from "limbeck-base/base/operation";
import { envPart } from "limbeck-worlds/env.part";
import { policyPart } from "limbeck-policy/policy/policy.part";
import { searchPart } from "limbeck-core/recipe/methods.part";
import { searchInputs } from "../../run/search.inputs.ts";
import { speechInputs } from "../../run/speech.inputs.ts";
import type { Frame } from "../command-of.ts";

export const playInputs = {
  env: input.part(envPart, "ID", "The environment"),
  options: input.values("NAME=VALUE", "An option of the environment; numbers, true, false and JSON are read as such", {
    flag: "set",
  }),
  game: input.path("FILE", "One game file (alfworld)"),
  root: input.path("DIR", "A folder of games (alfworld)"),
  split: input.text("NAME", "Split to take the task from. Default: the first"),
  task: input.count("N", "Which task of the split, from 0", { least: 0, default: 0 }),
  commands: input.path("FILE", "Commands to carry out; - reads standard input"),
  search: input.part(
    searchPart,
    "METHOD",
    "By hand: the word search lets this search of --policy propose an action; you decide",
  ),
  policy: input.part(policyPart, "NAME|DIR", "With --search: a model folder, bundled, chat, or a script"),
  ...searchInputs,
  ...speechInputs,
} as const;

export const playLine = {
  step: "0 for the opening, then counted up",
  action: "what was done; null for the opening",
  observation: "what is seen now",
  admissible: "every action that is accepted now; null where actions are free text",
  reward: "reward of this step; null when it is not known",
  done: "whether the episode has ended",
  ending: "terminated, truncated or failed; null while it goes on",
  success: "true or false; null when the world gave no verdict",
  valid: "whether the action was possible",
} as const;

export type PlayInput = Input<typeof playInputs>;
export type PlayFrame = Frame<{ readonly [Field in keyof typeof playLine]?: unknown }>;
