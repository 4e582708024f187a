/** `limbeck rollout`: episodes of a policy in an environment, into a new run. */
import type { Command } from "../command.ts";
import { strategyNames } from "../methods/method-names.ts";
import { rewardOptions } from "../methods/reward-options.ts";
import { envOptions, speechOptions, speechSections } from "../rollout/agent-options.ts";
import { modelNatives } from "../natives.ts";
import { ask, flag, shared, text, texts } from "../options.ts";

export const rollout: Command = {
  group: "learn",
  summary: "Collect trajectories into the store",
  usage: "--env ID --policy NAME|DIR [--strategy NAME] [--count TASKS] [--group N] [--seed N] [--set KEY=VALUE…]",
  description:
    'The policy is a model folder, "bundled" (the model that comes with the package), "chat" (a chat model by the variables LIMBECK_CHAT_BASE_URL, LIMBECK_CHAT_MODEL and LIMBECK_CHAT_API_KEY), or a scripted agent of the world: expert and others that limbeck envs ID lists.\n' +
    "The strategy decides which episodes are walked: docs/strategies.md describes each and its options, which are given with --set. The same seed gives the same trajectories whatever the concurrency.\n" +
    "Budgets of the whole rollout are given with --budget: envSteps, sampledTokens, tokens, reusedTokens, modelCalls or seconds. They are never passed; what they cut short is kept as truncated and unscored. A policy or a world that fails costs one trajectory. After Ctrl-C what was finished is kept, and what was not is kept as truncated.\n" +
    "Rewards in the place of the world's own are a name (--reward) or a plan of several (--rewards), as for limbeck train. Episodes are then stored when all are played.\n" +
    "With --resume a run gets one more rollout. Strategies that remember something (docs/rollouts.md) take it up: partial goes on with the episodes it had begun. Strategy, its options, world and policy must be those of the run; tasks, seed and budgets may differ.\n" +
    "With --fleet the tasks become jobs for workers (docs/fleet.md). They write to this store, whose folder they must see, or send episodes back with --deliver caller. A run that exists is continued: nothing is stored twice.",
  options: {
    ...envOptions,
    ...speechOptions,
    policy: shared.policy,
    strategy: text("NAME", "Which episodes are walked. Default: group", strategyNames),
    set: texts("KEY=VALUE", "An option of the strategy"),
    group: text("N", "Episodes per task: short for --set size=N, or what the strategy calls it"),
    count: text("TASKS", "How many tasks. Default: 8"),
    seed: text("N", "Which of the possible rollouts. Default: 0"),
    "episode-tokens": text("N", "Sampled tokens of an episode. Default: any"),
    "episode-seconds": text("S", "Time of an episode. Default: any"),
    budget: texts("KIND=N", "A budget of the whole rollout"),
    limit: texts("KIND=N", "The same as --budget"),
    ...rewardOptions,
    scorer: text(
      "NAME|DIR",
      "A trained scorer for strategies that want to know how likely an episode is to succeed: a bundled one by its world, or a folder of limbeck reward train",
    ),
    ask: ask(
      "Let a model write what the method wants written: reflections, corrections. By itself or as chat, the chat model (LIMBECK_CHAT_…); policy, the model that plays; bundled, the writer of limbeck-writer-model; local:DIR, a model folder or GGUF file. Where it fails, templates write",
    ),
    attempts: text("N", "Attempts at a step of a failing world. Default: 3"),
    fleet: text("URL", "Let workers play: the Redis server of limbeck worker"),
    deliver: text(
      "WAY",
      "With --fleet: store (workers write to this store) or caller (through Redis). Default: store",
      () => ["store", "caller"],
    ),
    "queue-limit": text("N", "With --fleet: most jobs in the queue at once. Default: 10000"),
    library: text("DIR", "Give the policy the skills in use that fit, and report to them"),
    protocol: flag("With --library: also tell the branches of its protocol (skills extract --protocol)"),
    learn: flag(
      "With --library: demote skills by their uses after every episode, and keep what a single success shows as advice",
    ),
    run: shared.newRun,
    dir: text("DIR", "Folder of the new run. Default: in the store"),
    resume: flag("Go on with the run of --run or --dir; start it where there is none"),
  },
  sections: {
    "Usual options": ["env", "policy", "count", "group", "strategy"],
    "Which tasks": ["env-set", "experts", "split", "offset", "seed"],
    "The method": ["set", ...Object.keys(rewardOptions), "scorer", "ask"],
    Limits: ["budget", "limit", "episode-tokens", "episode-seconds", "attempts"],
    Skills: ["library", "protocol", "learn"],
    "Where it goes": ["run", "dir", "resume", "fleet", "deliver", "queue-limit"],
    ...speechSections,
  },
  examples: [
    "limbeck rollout --env household --env-set dial=tiny --policy expert --count 20",
    "limbeck rollout --env household --env-set dial=tiny --policy bundled --group 8 --count 16 --seed 1",
    "limbeck rollout --env countdown --policy chat --form tagged --count 10 --budget modelCalls=100 --json",
    "limbeck rollout --env household --env-set dial=tiny --policy bundled --strategy partial --run long --resume",
    "limbeck rollout --env household --policy bundled --group 8 --count 500 --fleet redis://127.0.0.1:6379",
  ],
  jsonFields: {
    event: '"trajectory" for each one stored, "notice" with --fleet, "end"',
    message: "notice: what a person should know, such as that no worker is there",
    id: "trajectory: its id",
    task: "trajectory: id of its task",
    group: "trajectory: with whom it is compared",
    parent: "trajectory: for a branch, the trajectory, step and token it left; null otherwise",
    ending: "trajectory: terminated, truncated or failed",
    success: "trajectory: true or false; null when nobody has said",
    reward: "trajectory: the reward; null when unscored",
    steps: "trajectory: its own steps; end: all steps stored",
    tokens: "trajectory: its own sampled tokens",
    failure: "trajectory: code of what failed; null otherwise",
    run: "end: id of the run; null when nothing was stored",
    trajectories: "end: trajectories stored",
    succeeded: "end: how many succeeded",
    failed: "end: how many were lost",
    causes: "end: how many were lost, by the code of what failed; empty with --fleet",
    spent: "end: envSteps, sampledTokens, reusedTokens, modelCalls and seconds",
    kept: "end: groups that go on in the next rollout of the run, and the tokens sampled for them",
    metrics: "end: what the strategy did, by metric, and draft/tokensPerCheck with --draft; empty with --fleet",
    complete: "end: false when an error or Ctrl-C ended it early",
    parked: "end, with --fleet: tasks that were given up, with attempts and error",
    durationMs: "end: time taken",
  },
  natives: (words) => (words.text("fleet") === undefined ? modelNatives(words, ["policy"]) : ["fleet"]),
  // The engine is loaded when it is used, so that help stays quick.
  run: async (invocation) => (await import("../rollout/run-rollout.ts")).runRollout(invocation),
};
