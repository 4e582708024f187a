/** `limbeck search`: solve tasks by searching, and keep every branch. */
import { defineOperation } from "limbeck-base/base/operation";
import { searchRunEvents, searchRunInputs, type SearchShows } from "./search-run.inputs.ts";
import { speechSections } from "./speech.inputs.ts";

export const searchOperation = defineOperation({
  name: "search",
  group: "learn",
  summary: "Solve tasks by search: more compute at the moment of decision",
  usage: "--env ID --policy NAME|DIR --method NAME [--budget KIND=N…] [--tasks N] [--set KEY=VALUE…]",
  description:
    "Each task is searched within its own budget, which is never passed; without one the method decides when it has enough. docs/lookup/search.md describes the methods and their options.\n" +
    "The policy is a model folder, bundled, chat, or a scripted agent, as for limbeck rollout. Tasks are those of the split valid where none is named; the first line says which. Every branch of every tree is a trajectory of the new run; the line a search would act on is the one without a parent, or marked chosen in its info. Successful ones can be trained on: limbeck export --format parquet, then limbeck sft --successful.\n" +
    "With --strategy the budget is spent by a rollout strategy (docs/lookup/generated/strategies.md), whose options are given with --set; of the lines it walks the best one counts, as with best-of-n.\n" +
    "A search sees how the world scores an episode that has ended, as a program with tests would; --blind forbids it. In worlds that say which actions cannot be taken back (shop, tools, archive) it is counted how many were carried out beside the chosen line.",
  input: searchRunInputs,
  rules: [
    { never: ["policy", "model"], say: "--policy and --model both name who acts." },
    {
      only: ["search", "value", "valueOptions"],
      without: "strategy",
      say: "belongs to a search; a strategy compares whole episodes. Leave it or --strategy out.",
    },
  ],
  sections: {
    "Usual options": ["env", "policy", "method", "tasks", "budget"],
    "Which tasks": ["env-set", "experts", "split", "offset", "seed"],
    "The search": ["strategy", "set", "value", "value-set", "scorer", "prices", "ask", "blind"],
    ...speechSections,
  },
  examples: [
    "limbeck search --env household --policy bundled --method mcts --budget modelCalls=200",
    "limbeck search --env household --env-set dial=small --policy bundled --strategy tree --set nodes=8 --budget envSteps=300",
    "limbeck search --env shop --policy expert --method weboperator --tasks 20 --json",
    "limbeck search --env countdown --policy chat --form tagged --method pdr --ask --budget tokens=50000",
    "limbeck search --env household --policy bundled --method tree-planner --ask local:models/writer",
  ],
  events: searchRunEvents,
  shows: undefined as SearchShows | undefined,
  natives: (given, parts) => (given("ask")?.startsWith("local:") === true ? ["onnxruntime"] : parts),
  run: async (given, context): Promise<void> =>
    await (await import("./search-into-run.ts")).searchIntoRun(given, context),
});
