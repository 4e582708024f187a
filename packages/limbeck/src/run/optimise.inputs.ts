/** What an optimisation of a skill takes and says. */
import { input } from "limbeck-base/base/input";
import type { Context, EventOf, Input } from "limbeck-base/base/operation";
import { liftEvents, liftInputs } from "./lift.inputs.ts";

const {
  names: _names,
  trials: _trials,
  worthwhile: _worthwhile,
  strict: _strict,
  dryRun: _dryRun,
  ...lifted
} = liftInputs;
const { out: _out, tasks: _tasks, ...asked } = lifted;

export const PROPOSERS = ["skillopt", "gepa", "rewrite", "rules"] as const;

export const optimiseInputs = {
  skill: input.text("NAME", "The skill", { at: 0, required: true }),
  ...asked,
  tasks: input.count(
    "N",
    "Tasks: a quarter of them is what edits are made from, the others are held out for the gate",
    {
      default: 240,
    },
  ),
  proposer: input.choice("ID", "Who proposes edits: skillopt, gepa or rewrite (a chat model), or rules", PROPOSERS, {
    default: "skillopt",
  }),
  lines: input.path("FILE", "rules: lines that may be added to the text, one a line"),
  rounds: input.count("N", "Rounds of this night", { default: 5 }),
  edits: input.count("N", "Edits of a round at most", { default: 4 }),
  gate: input.choice(
    "ID",
    "proven (evidence that holds over all nights), strict (the held-out mean rises) or off",
    ["proven", "strict", "off"],
    { default: "proven" },
  ),
  branch: input.text("NAME", "The git branch that a better text ends in. Default: limbeck/NAME-ROUND"),
} as const;

export const optimiseEvents = {
  agreement: liftEvents.agreement,
  round: {
    round: "which one, over all nights",
    outcome: "accepted, refused or nothing proposed",
    why: "what was measured",
    text: "the text that was proposed",
    lift: "value, low, high and pairs over the text before; missing where nothing was played",
  },
  end: {
    skill: "its name",
    accepted: "rounds that were accepted",
    rounds: "rounds of this night",
    branch: "the branch; null where nothing was better",
    commit: "its commit",
    episodes: "episodes played",
  },
} as const;
export type OptimiseInput = Input<typeof optimiseInputs>;
export type OptimiseContext = Context<EventOf<typeof optimiseEvents>>;
