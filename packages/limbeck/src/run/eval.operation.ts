/** `limbeck eval`: how good a policy is, two policies on the same tasks, and a second look at stored runs. */
import { defineOperation } from "limbeck-base/base/operation";
import { evalEvents, evalInputs, type EvalShows } from "./eval.inputs.ts";
import { SEARCH_RULE } from "./search.inputs.ts";
import { speechSections } from "./speech.inputs.ts";

export const evalOperation = defineOperation({
  name: "eval",
  group: "learn",
  summary: "Success of a policy on a task set, with intervals; rubrics and new rewards for stored runs",
  usage:
    "--env ID --policy NAME|DIR [--against NAME|DIR] [--tasks N] [--samples K] | --run RUN [--rubrics] [--reward NAME]",
  description:
    'A policy is a model folder, "bundled", "chat" or a scripted agent of the world, as for limbeck rollout. With --against both play the same tasks, and the difference has an interval and a sign test. Episodes are kept in a new run of the store. Tasks are those of the split test, or what the world holds out in its place; the first line says which.\n' +
    "With --run it plays nothing and looks at a stored run: its success, of a training in one --phase, with --against RUN compared with another run on the tasks both hold, with --rubrics the share of successes and failures that loop, lose track of the state and so on, with --reward the scores another reward would have given.\n" +
    "With --search the lines that a search chooses are the episodes of --policy (limbeck search keeps the whole trees); name the same policy in --against to see what the search brings.\n" +
    "docs/lookup/evaluate.md says what every number means.",
  input: evalInputs,
  rules: [
    {
      oneOf: ["env", "run"],
      say: '"limbeck eval" needs either --env ID, to play, or --run RUN, to look at a stored run.',
    },
    {
      only: ["phase", "reward", "rewardOptions", "keep"],
      with: "run",
      say: "belongs to --run RUN, which looks at a stored run.",
    },
    {
      only: [
        ...(["envOptions", "policy", "model", "split", "offset", "tasks", "samples", "seed", "reference"] as const),
        ...(["into", "budget", "search", "rewards"] as const),
      ],
      with: "env",
      say: "belongs to --env ID, which plays.",
    },
    {
      never: ["policy", "model"],
      say: "--policy and --model both name who acts; the other one to compare with is --against.",
    },
    SEARCH_RULE,
  ],
  sections: {
    "Usual options": ["env", "policy", "against", "tasks", "samples"],
    "Which tasks": ["env-set", "experts", "split", "offset", "seed"],
    "A stored run": ["run", "phase", "rubrics", "reward", "reward-set", "rewards", "keep"],
    "A search before it acts": [
      "search",
      "search-set",
      "search-budget",
      "value",
      "value-set",
      "scorer",
      "prices",
      "ask",
      "blind",
    ],
    ...speechSections,
  },
  examples: [
    "limbeck eval --env household --policy bundled --tasks 100",
    "limbeck eval --env household --env-set dial=small --split valid --policy bundled --against wanderer --samples 4 --rubrics",
    "limbeck eval --env shop --policy expert --search weboperator --against expert --tasks 20",
    "limbeck eval --run 2026 --phase after",
    "limbeck eval --run 2026 --reward efficiency",
    "limbeck eval --run 2026 --rubrics --json",
  ],
  events: evalEvents,
  shows: undefined as EvalShows | undefined,
  natives: (given, parts) => (given("run") === undefined ? parts : ["duckdb"]),
  run: async (given, context): Promise<void> => {
    if (given.run === undefined) return await (await import("./play-sides.ts")).playSides(given, context);
    return await (await import("./look-at-run.ts")).lookAtRun({ ...given, run: given.run }, context);
  },
});
