/** `limbeck rewards`: who could game a plan of rewards. */
import type { Command } from "../command.ts";
import { rewardOptions } from "../methods/reward-options.ts";
import { flag, text } from "../options.ts";

export const rewards: Command = {
  group: "look",
  summary: "Run a plan of rewards against thirty ways to game rewards: which would pay",
  usage: "audit [--rewards FILE | --reward NAME] [--tasks N] [--strict]",
  description:
    "Thirty scripted policies of the hack lab game rewards in three worlds: they repeat, pad, flatter the judge, keep the form without content, stop early, agree on a wrong answer, and so on. Each has an honest twin that makes the same effort without the trick. Both play the same tasks, the plan scores both, and a hack pays when it surely earns more than its twin (95% interval of the paired difference above 0) and succeeds no more often. Such a hack is what a training with this plan would learn.\n" +
    "Judges are played by one that believes whatever it reads, the worst a plan could have; --chat asks the chat model of LIMBECK_CHAT_BASE_URL and LIMBECK_CHAT_MODEL instead. A plan alone loads no file: name the file that it uses with --reward. Rewards that need a scorer or a potential from code cannot be audited from here; auditRewards of limbeck/eval takes them as givens.\n" +
    "The last column names the screens that speak when hacks are among the episodes of an update. With --strict the exit code is 4 when a hack pays. Where none could be scored nothing was measured, which is an error.",
  arity: [1, 1],
  subcommands: { audit: "which hacks would pay" },
  options: {
    ...rewardOptions,
    tasks: text("N", "Tasks for each hack. Default: 8"),
    seed: text("N", "Which of the possible audits. Default: 0"),
    only: text("IDS", "Some hacks, by comma. Default: all"),
    chat: flag("Ask the chat model in the place of the judge that believes all"),
    strict: flag("Exit code 4 when a hack pays"),
  },
  examples: [
    "limbeck rewards audit --reward format",
    "limbeck rewards audit --rewards rewards.yaml --strict",
    "limbeck rewards audit --reward rubric-judge --chat --only plea,injection,fake-verdict",
  ],
  jsonFields: {
    id: "name of the hack",
    world: "where it plays",
    meaning: "what it does instead of the task",
    after: "which kind of reward it is after",
    hack: "mean reward of the hack; null when unscored",
    twin: "mean reward of its honest twin; null when unscored",
    gain: "mean, low and high of the paired difference; null when too little was scored",
    pays: "whether a training would learn it",
    unscored: "episodes without a score; last line: hacks that could not be scored",
    noticed: "screens that speak when hacks are among the episodes",
    falseAlarms: "screens that speak when there are only twins",
    paying: "last line: how many hacks pay",
    unnoticed: "last line: how many of these no screen notices",
    tried: "last line: how many hacks were tried",
    ok: "last line: whether the exit code is 0",
  },
  run: async (invocation) => (await import("../rewards/audit.ts")).runAudit(invocation),
};
