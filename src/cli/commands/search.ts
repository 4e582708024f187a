/** `limbeck search`: solve tasks by searching, and keep every branch. */
import type { Command } from "../command.ts";
import { searchNames, strategyNames } from "../methods/method-names.ts";
import { envOptions, speechOptions, speechSections } from "../rollout/agent-options.ts";
import { searchOptions } from "../search/search-options.ts";
import { modelNatives } from "../natives.ts";
import { shared, text } from "../options.ts";

const { "search-set": set, "search-budget": budget, ...others } = searchOptions;

export const search: Command = {
  group: "learn",
  summary: "Solve tasks by search: more compute at the moment of decision",
  usage: "--env ID --policy NAME|DIR --method NAME [--budget KIND=N…] [--tasks N] [--set KEY=VALUE…]",
  description:
    "Each task is searched within its own budget, which is never passed; without one the method decides when it has enough. docs/search.md describes the methods and their options.\n" +
    "The policy is a model folder, bundled, chat, or a scripted agent, as for limbeck rollout. Tasks are those of the split valid where none is named; the first line says which. Every branch of every tree is a trajectory of the new run; the line a search would act on is the one without a parent, or marked chosen in its info. Successful ones can be trained on: limbeck export --format parquet, then limbeck sft --successful.\n" +
    "With --strategy the budget is spent by a rollout strategy (docs/strategies.md), whose options are given with --set; of the lines it walks the best one counts, as with best-of-n.\n" +
    "A search sees how the world scores an episode that has ended, as a program with tests would; --blind forbids it. In worlds that say which actions cannot be taken back (shop, tools, archive) it is counted how many were carried out beside the chosen line.",
  options: {
    ...envOptions,
    policy: shared.policy,
    model: shared.sameModel,
    method: text("NAME", "The search. Default: best-of-n", searchNames),
    strategy: text("NAME", "A rollout strategy in its place: the best line it walks counts", strategyNames),
    set,
    budget,
    ...others,
    tasks: text("N", "How many tasks. Default: 8"),
    together: text("N", "Tasks searched at the same time. Default: 8"),
    seed: text("N", "Which of the possible searches. Default: 0"),
    run: shared.newRun,
    ...speechOptions,
  },
  sections: {
    "Usual options": ["env", "policy", "method", "tasks", "budget"],
    "Which tasks": ["env-set", "experts", "split", "offset", "seed"],
    "The search": ["strategy", "set", ...Object.keys(others)],
    ...speechSections,
  },
  examples: [
    "limbeck search --env household --policy bundled --method mcts --budget modelCalls=200",
    "limbeck search --env household --env-set dial=small --policy bundled --strategy tree --set nodes=8 --budget envSteps=300",
    "limbeck search --env shop --policy expert --method weboperator --tasks 20 --json",
    "limbeck search --env countdown --policy chat --form tagged --method pdr --ask --budget tokens=50000",
    "limbeck search --env household --policy bundled --method tree-planner --ask local:models/writer",
  ],
  jsonFields: {
    event: '"search" for each task, "end"',
    task: "search: id of the task",
    success: "search: whether the chosen line succeeded; null when nobody has said. end: share, with low and high",
    reward: "search: the reward of the chosen line; null when unscored",
    actions: "search: the actions of the chosen line",
    nodes: "search: nodes of the tree; end: all of them",
    irreversible: "search, end: actions carried out that cannot be taken back",
    harm: "search, end: those of them beside the chosen line",
    spent: "search, end: modelCalls, tokens, sampledTokens, envSteps, usd and seconds",
    written:
      "end, with --ask: how often the model wrote (model), a template in its place (template), or nobody (nobody): the search's own rule",
    failures: "search: the first failures of calls: code and message",
    run: "end: id of the new run; null when nothing was stored",
    env: "end: the world",
    envOptions: "end: its options",
    split: "end: the split of the tasks",
    tasks: "end: tasks searched",
    solved: "end: tasks whose chosen line succeeded",
    failed: "end: tasks whose search was lost, which are part of no share",
    causes: "end: how many were lost, by the code of what failed",
    trajectories: "end: branches stored",
    complete: "end: false when an error or Ctrl-C ended it early",
    durationMs: "end: time taken",
  },
  natives: (words) => [
    ...modelNatives(words, ["policy", "model"]),
    ...(words.text("ask")?.startsWith("local:") === true ? (["onnxruntime"] as const) : []),
  ],
  // The engine is loaded when it is used, so that help stays quick.
  run: async (invocation) => (await import("../search/run-search-command.ts")).runSearchCommand(invocation),
};
