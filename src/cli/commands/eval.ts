/** `limbeck eval`: how good a policy is, two policies on the same tasks, and a second look at stored runs. */
import type { Command } from "../command.ts";
import { envOptions, speechOptions, speechSections } from "../rollout/agent-options.ts";
import { searchOptions } from "../search/search-options.ts";
import { modelNatives } from "../natives.ts";
import { rewardNames, searchNames } from "../methods/method-names.ts";
import { flag, shared, text, texts } from "../options.ts";

export const evalCommand: Command = {
  group: "learn",
  summary: "Success of a policy on a task set, with intervals; rubrics and new rewards for stored runs",
  usage:
    "--env ID --policy NAME|DIR [--against NAME|DIR] [--tasks N] [--samples K] | --run RUN [--rubrics] [--reward NAME]",
  description:
    'A policy is a model folder, "bundled", "chat" or a scripted agent of the world, as for limbeck rollout. With --against both play the same tasks, and the difference has an interval and a sign test. Episodes are kept in a new run of the store. Tasks are those of the split test, or what the world holds out in its place; the first line says which.\n' +
    "With --run it plays nothing and looks at a stored run: its success, of a training in one --phase, with --against RUN compared with another run on the tasks both hold, with --rubrics the share of successes and failures that loop, lose track of the state and so on, with --reward the scores another reward would have given.\n" +
    "With --search the lines that a search chooses are the episodes of --policy (limbeck search keeps the whole trees); name the same policy in --against to see what the search brings.\n" +
    "docs/evaluate.md says what every number means.",
  options: {
    ...envOptions,
    policy: shared.policy,
    model: shared.sameModel,
    against: text("NAME|DIR|RUN", "Another policy on the same tasks; a run with --run"),
    tasks: text("N", "How many tasks. Default: 50"),
    samples: text("K", "Episodes of each task, for pass@k. Default: 1"),
    seed: text("N", "Which of the possible evaluations. Default: 0"),
    budget: texts("seconds=N", "Time it may take; tasks not reached in time are in no figure. Default: any"),
    reference: text("NAME", "Scripted agent whose steps are the measure. Default: the world's first; none for none"),
    into: shared.newRun,
    run: text("RUN", "Look at this stored run instead of playing"),
    phase: text("NAME", "Episodes of a training: before, validation, after, training, or all of them"),
    rubrics: flag("Checks of whole trajectories: loops, slips, needless steps, recovery"),
    reward: text("NAME", "Score the run again with this reward", rewardNames),
    "reward-set": texts("KEY=VALUE", "An option of the reward"),
    rewards: text("FILE", "Rewards in the place of the world's own for what is played, as JSON or YAML"),
    keep: flag("With --reward: store the new scores beside the old ones"),
    search: text("METHOD", "Let --policy search before it acts; --against plays without", searchNames),
    ...searchOptions,
    ...speechOptions,
  },
  sections: {
    "Usual options": ["env", "policy", "against", "tasks", "samples"],
    "Which tasks": ["env-set", "experts", "split", "offset", "seed"],
    "A stored run": ["run", "phase", "rubrics", "reward", "reward-set", "rewards", "keep"],
    "A search before it acts": ["search", ...Object.keys(searchOptions)],
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
  jsonFields: {
    event:
      '"policy" for each side, "comparison", "rubric" for each, "rescored" for each trajectory, "rescoring", "end"',
    side: "policy, rubric: policy or against",
    name: "policy: who acted",
    env: "policy: the world",
    envOptions: "policy: its options",
    split: "policy: the split of the tasks",
    tasks: "policy: number of tasks; comparison: tasks both tried",
    episodes: "policy: number of episodes",
    asked: "policy: episodes that were asked for; more than episodes where the budget ended first",
    samples: "policy: tries of the task that had the fewest",
    solved: "policy: episodes that succeeded",
    failed: "policy: episodes that were lost, which are part of no share",
    causes: "policy: how many were lost, by the code of what failed",
    unjudged: "policy: episodes without a word on success; those that were scored count as not solved",
    success:
      "policy: mean over tasks of their share of solved tries, with low and high; mean null where fewer than half were seen; rescored: true, false or null",
    passAtK: "policy: for each k the mean pass@k over tasks, with low and high",
    families: "policy: the same by family of tasks",
    meanSteps: "policy: steps of an episode",
    meanStepsSolved: "policy: steps of a solved episode; null without any",
    invalid: "policy: share of the actions that the world refused",
    efficiency:
      "policy: stepsToReference, weightedSuccess, stepsPerSuccess, tokensPerSuccess, tokensPerEpisode, modelCallsPerEpisode, secondsPerEpisode; null where unknown",
    difference: "comparison, rubric, rescoring: the difference",
    low: "comparison: its 95% interval",
    high: "comparison: its 95% interval",
    sign: "comparison: tasks better, worse and equal, and the exact p",
    separated: "comparison: whether the interval excludes 0",
    steps: "comparison: difference in steps over tasks both solved; null without any",
    rubric: "rubric: its name",
    good: "rubric: whether showing it is good",
    successes: "rubric: applicable, shown, share, low, high and extent among successes",
    failures: "rubric: the same among failures",
    findings: "rubric: for each trajectory whether it is shown (null: not applicable) and the steps that show it",
    id: "rescored: id of the trajectory",
    task: "rescored: id of its task",
    stored: "rescored: the reward it has; rescoring: their mean with low and high",
    rescored: "rescored: the new score; rescoring: their mean with low and high",
    reward: "rescoring: the name of the new reward",
    unscored: "rescoring: how many it could not score",
    changed: "rescoring: how many have another score now",
    correlation: "rescoring: rank correlation of old and new; null when either is constant",
    order: "rescoring: ordered pairs of one group that are kept, tied or reversed",
    storedTells: "rescoring: chance that a success scores above a failure under the stored reward",
    rescoredTells: "rescoring: the same under the new reward",
    metrics: "rescoring: what the reward counted",
    kept: "rescoring: whether the new scores were stored",
    run: "end: the run that holds the episodes",
    complete: "end: false when an error or Ctrl-C ended it early",
    durationMs: "end: time taken",
  },
  natives: (words) =>
    words.text("run") === undefined ? modelNatives(words, ["policy", "model", "against"]) : ["duckdb"],
  // The engine is loaded when it is used, so that help stays quick.
  run: async (invocation) => (await import("../eval/run-eval.ts")).runEval(invocation),
};
