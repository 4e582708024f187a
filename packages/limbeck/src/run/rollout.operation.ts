/** `limbeck rollout`: episodes of a policy in an environment, into a new run. */
import { speechSections } from "./speech.inputs.ts";
import { defineOperation } from "limbeck-base/base/operation";
import { rolloutEvents, rolloutInputs, type RolloutShows } from "./rollout.inputs.ts";

/**
 * Episodes of a policy in a world, into a run of the store, which `resume` goes on with; `rollout` of limbeck gives them back instead.
 *
 * @example
 * import { mkdtemp } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const store = await mkdtemp(join(tmpdir(), "rolled-"));
 * const rolled = { env: "household", envOptions: { dial: "tiny" }, policy: "expert", group: "1", tasks: 2 };
 * const emit = (one: object) => "succeeded" in one && console.log(one.succeeded);
 * await rolloutRun(rolled, { store, emit }); // 2
 */
export const rolloutRun = defineOperation({
  name: "rollout",
  group: "learn",
  summary: "Collect trajectories into the store",
  usage: "--env ID --policy NAME|DIR [--strategy NAME] [--count TASKS] [--group N] [--seed N] [--set KEY=VALUE…]",
  description:
    'The policy is a model folder, "bundled" (the model that comes with the package), "chat" (a chat model by the variables LIMBECK_CHAT_BASE_URL, LIMBECK_CHAT_MODEL and LIMBECK_CHAT_API_KEY), or a scripted agent of the world: expert and others that limbeck envs ID lists.\n' +
    "The strategy decides which episodes are walked: docs/lookup/generated/strategies.md describes each and its options, which are given with --set. The same seed gives the same trajectories whatever the concurrency.\n" +
    "Budgets of the whole rollout are given with --budget: envSteps, sampledTokens, tokens, reusedTokens, modelCalls or seconds. They are never passed; what they cut short is kept as truncated and unscored. A policy or a world that fails costs one trajectory. After Ctrl-C what was finished is kept, and what was not is kept as truncated.\n" +
    "Rewards in the place of the world's own are a name (--reward) or a plan of several (--rewards), as for limbeck train. Episodes are then stored when all are played.\n" +
    "With --resume a run gets one more rollout. Strategies that remember something (docs/lookup/rollouts.md) take it up: partial goes on with the episodes it had begun. Strategy, its options, world and policy must be those of the run; tasks, seed and budgets may differ.\n" +
    "With --fleet the tasks become jobs for workers (docs/learn/fleet.md). They write to this store, whose folder they must see, or send episodes back with --deliver caller. A run that exists is continued: nothing is stored twice.",
  input: rolloutInputs,
  sections: {
    "Usual options": ["env", "policy", "count", "group", "strategy"],
    "Which tasks": ["env-set", "experts", "split", "offset", "seed"],
    "The method": ["set", "reward", "reward-set", "rewards", "scorer", "ask"],
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
  events: rolloutEvents,
  natives: (given, parts) => (given("fleet") === undefined ? parts : ["fleet"]),
  shows: undefined as RolloutShows | undefined,
  run: async (given, context): Promise<void> => {
    if (given.fleet === undefined) return await (await import("./roll-into-run.ts")).rollIntoRun(given, context);
    const fleet = { ...given, fleet: given.fleet };
    return await (await import("./roll-on-fleet.ts")).rollIntoRunOnFleet(fleet, context);
  },
});
