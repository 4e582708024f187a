/** Every public function with numbers among its options refuses what is none, by name, before it does anything. */
import { expect, test } from "vitest";
import { errorCode } from "../packages/base/src/base/errors.ts";
import { may, type NumberChecks } from "../packages/base/src/base/options.ts";
import { bootstrap, BOOTSTRAP_CHECKS, bootstrapUnits } from "../packages/base/src/base/statistics/bootstrap.ts";
import { createRng } from "../packages/base/src/base/rng.ts";
import { createCorridor } from "../packages/core/src/env/corridor.ts";
import { ENV_SERVER_CHECKS, startEnvServer } from "../packages/worlds/src/openenv/server.ts";
import { RETRY_CHECKS, withRetry } from "../packages/core/src/env/with-retry.ts";
import { EVALUATE_AGENT_CHECKS, evaluateAgent } from "../packages/core/src/eval/evaluate.ts";
import { evaluateSearch } from "../packages/core/src/eval/evaluate-search.ts";
import { AUDIT_CHECKS, auditRewards } from "../packages/testing/src/hack-lab/lab.ts";
import { ARM_CHECKS, createArms } from "../packages/core/src/eval/lift/arms.ts";
import { AGENT_ARM_CHECKS, createAgentArms } from "../packages/worlds/src/agent/agent-arms.ts";
import { LIFT_CHECKS, measureLift } from "../packages/core/src/eval/lift/lift.ts";
import { PROFILE_CHECKS, profileOf } from "../packages/core/src/eval/profile.ts";
import { FLEET_AWAY_CHECKS, openFleetAway } from "../packages/remote/src/fleet/fleet-away.ts";
import { FLEET_CHECKS, rollOutOnFleet } from "../packages/remote/src/fleet/roll-out-on-fleet.ts";
import { startWorker, WORKER_CHECKS } from "../packages/remote/src/fleet/worker.ts";
import { serveOverHttp } from "../packages/studio/src/mcp/http.ts";
import { SUPERVISED_CHECKS, trainSupervised } from "../packages/core/src/objective/supervised.ts";
import { CHAT_CHECKS, openChatModel } from "../packages/policy/src/policy/chat/chat-model.ts";
import { SAMPLE_CHECKS } from "../packages/policy/src/policy/conversation-guards.ts";
import { DRAFT_HEADS_CHECKS, trainDraftHeads } from "../packages/policy/src/policy/local/draft/train-heads.ts";
import { createLocalPolicy, LOCAL_CHECKS } from "../packages/policy/src/policy/local/local-policy.ts";
import { createModel, openModel } from "../packages/policy/src/policy/local/open-model.ts";
import { STEP_CHECKS } from "../packages/policy/src/policy/objective-check.ts";
import { createScriptedPolicy, SCRIPTED_CHECKS } from "../packages/policy/src/policy/tabular/scripted-policy.ts";
import { createTabularPolicy, TABULAR_CHECKS } from "../packages/policy/src/policy/tabular/tabular-policy.ts";
import { connectTinker, TINKER_CHECKS } from "../packages/policy/src/policy/tinker/client.ts";
import { openTinkerPolicy } from "../packages/policy/src/policy/tinker/tinker-policy.ts";
import { PROXY_CHECKS, startProxy } from "../packages/store/src/record/proxy.ts";
import { AGENT_CHECKS } from "../packages/limbeck/src/run/agent-checks.ts";
import { openAgent } from "../packages/limbeck/src/run/agent.ts";
import { arena, ARENA_CHECKS } from "../packages/limbeck/src/run/arena.ts";
import { evaluate, EVALUATE_CHECKS } from "../packages/limbeck/src/run/evaluate.ts";
import { rollout, ROLLOUT_CHECKS } from "../packages/limbeck/src/run/rollout.ts";
import { search, SEARCH_CHECKS } from "../packages/limbeck/src/run/search.ts";
import { tune, TUNE_CHECKS } from "../packages/limbeck/src/run/tune.ts";
import { startStudio, STUDIO_CHECKS } from "../packages/studio/src/serve/server.ts";
import { openStore, STORE_CHECKS } from "../packages/store/src/store/open-store.ts";
import { startTrainer, TRAINER_CHECKS } from "../packages/remote/src/tinker-server/server.ts";
import { startTorchTrainer } from "../packages/remote/src/tinker-server/torch-trainer.ts";
import { planTraining, TRAIN_CHECKS, TRAIN_INNER_CHECKS } from "../packages/training/src/training/plan.ts";
import { trainJudge } from "../packages/training/src/training/judge/registry.ts";
import { TOKEN_REWARD_CHECKS, trainTokenReward } from "../packages/training/src/training/scorer/token-reward.ts";
import { SCORER_CHECKS } from "../packages/training/src/training/scorer/train-scorer-options.ts";
import { trainScorer } from "../packages/training/src/training/scorer/train-scorer.ts";
import { train } from "../packages/training/src/training/train.ts";
import { WARM_UP_CHECKS } from "../packages/training/src/training/warm-up/options.ts";
import { warmUp } from "../packages/training/src/training/warm-up/warm-up.ts";
import { rollOut } from "../packages/core/src/walk/line/roll-out.ts";
import { WALK_CHECKS } from "../packages/core/src/walk/scope.ts";
import { runSearch } from "../packages/core/src/walk/tree/run-search.ts";
import { RUN_SEARCH_CHECKS } from "../packages/core/src/walk/tree/search.ts";
import { SEARCH_TASKS_CHECKS, searchTasks } from "../packages/core/src/walk/tree/search-tasks.ts";

type Given = Readonly<Record<string, unknown>>;
/** Nothing else is needed: the options are looked at first. */
type Call = (given: never) => unknown;

const env = createCorridor();
const table = (): ReturnType<typeof createTabularPolicy> =>
  createTabularPolicy({ probabilities: [[0.5, 0.5]], history: 0 });
const agent = { ref: { name: "nobody" } };
const seed = { seed: may.whole };
const port = { port: may.port };

const FUNCTIONS: Readonly<Record<string, readonly [NumberChecks, Call]>> = {
  train: [TRAIN_CHECKS, (given) => train(given)],
  warmUp: [WARM_UP_CHECKS, (given) => warmUp(given)],
  trainScorer: [SCORER_CHECKS, (given) => trainScorer(given)],
  trainTokenReward: [TOKEN_REWARD_CHECKS, (given) => trainTokenReward(given)],
  trainJudge: [seed, ({ seed: bad }: { readonly seed: number }) => trainJudge("stances", {}, bad)],
  trainSupervised: [SUPERVISED_CHECKS, (given) => trainSupervised(table(), [], given)],
  trainDraftHeads: [DRAFT_HEADS_CHECKS, (given) => trainDraftHeads({} as never, [], given)],
  openAgent: [AGENT_CHECKS, (given) => openAgent(given, { id: "household" })],
  evaluate: [EVALUATE_CHECKS, (given) => evaluate(given)],
  rollout: [ROLLOUT_CHECKS, (given) => rollout(given)],
  search: [SEARCH_CHECKS, (given) => search(given)],
  arena: [ARENA_CHECKS, (given) => arena(given)],
  tune: [TUNE_CHECKS, (given) => tune(given)],
  evaluateAgent: [EVALUATE_AGENT_CHECKS, (given) => evaluateAgent(given)],
  evaluateSearch: [EVALUATE_AGENT_CHECKS, (given) => evaluateSearch(given)],
  measureLift: [LIFT_CHECKS, (given: Given) => measureLift({ tasks: [], ...given } as never)],
  createArms: [ARM_CHECKS, (given) => createArms(given)],
  createAgentArms: [AGENT_ARM_CHECKS, (given) => createAgentArms(given)],
  auditRewards: [AUDIT_CHECKS, (given) => auditRewards({ rewards: [] }, given)],
  profileOf: [PROFILE_CHECKS, (given) => profileOf([], given)],
  rollOut: [WALK_CHECKS, (given: Given) => rollOut({ agent, tasks: [], ...given } as never)],
  runSearch: [RUN_SEARCH_CHECKS, (given: Given) => runSearch({ agent, ...given } as never)],
  searchTasks: [SEARCH_TASKS_CHECKS, (given: Given) => searchTasks({ tasks: [], ...given } as never)],
  createLocalPolicy: [LOCAL_CHECKS, (given) => createLocalPolicy({} as never, {} as never, given)],
  openModel: [LOCAL_CHECKS, (given) => openModel("no-such-folder", given)],
  createModel: [{ ...LOCAL_CHECKS, seed: may.seed }, (given) => createModel({} as never, given)],
  "step of a learner": [STEP_CHECKS, (given: Given) => table().step({ learningRate: 0.1, ...given })],
  "sample of a conversation": [
    SAMPLE_CHECKS,
    (given: Given) => {
      const talk = table().open();
      talk.extend([0]);
      return talk.sample({ maxTokens: 1, ...given });
    },
  ],
  openChatModel: [CHAT_CHECKS, (given) => openChatModel({} as never, given)],
  createTabularPolicy: [TABULAR_CHECKS, (given: Given) => createTabularPolicy({ probabilities: [[1]], ...given })],
  createScriptedPolicy: [SCRIPTED_CHECKS, (given) => createScriptedPolicy(given)],
  connectTinker: [TINKER_CHECKS, (given) => connectTinker(given)],
  openTinkerPolicy: [{ rank: may.whole, ...seed }, (given) => openTinkerPolicy(given)],
  openStore: [STORE_CHECKS, (given) => openStore("no-such-folder", given)],
  startWorker: [WORKER_CHECKS, (given) => startWorker(given)],
  rollOutOnFleet: [FLEET_CHECKS, (given) => rollOutOnFleet(given)],
  openFleetAway: [FLEET_AWAY_CHECKS, (given) => openFleetAway(given)],
  startStudio: [STUDIO_CHECKS, (given) => startStudio(given)],
  startProxy: [PROXY_CHECKS, (given) => startProxy(given)],
  startTrainer: [TRAINER_CHECKS, (given) => startTrainer(given)],
  startTorchTrainer: [port, (given) => startTorchTrainer(given)],
  serveOverHttp: [port, (given) => serveOverHttp(given)],
  startEnvServer: [ENV_SERVER_CHECKS, (given: Given) => startEnvServer({ env, ...given })],
  withRetry: [RETRY_CHECKS, (given) => withRetry(env, given)],
  bootstrap: [BOOTSTRAP_CHECKS, (given: Given) => bootstrap([1], { rng: createRng(1), ...given })],
  bootstrapUnits: [BOOTSTRAP_CHECKS, (given: Given) => bootstrapUnits([1], () => 1, { rng: createRng(1), ...given })],
};

/** What is wrong for every number, and what is wrong for this one. */
function badValues(check: NumberChecks[string]): unknown[] {
  const { whole, least, above, or, endless } = check;
  return [
    Number.NaN,
    ...(endless === true ? [] : [Number.POSITIVE_INFINITY]),
    Number.NEGATIVE_INFINITY,
    ...(or === "text" ? [] : ["3"]),
    ...(or === "object" ? [] : [[1]]),
    true,
    ...(check.kind === "limit" ? [] : [null]),
    ...((least ?? above ?? -Infinity) >= 0 ? [-1] : []),
    ...((least ?? 0) > 0 || above === 0 ? [0] : []),
    ...(whole === true ? [1.5] : []),
  ];
}

async function refusalOf(
  call: () => unknown,
): Promise<{ readonly code: string | undefined; readonly message: string }> {
  try {
    await call();
    return { code: undefined, message: "nothing was refused" };
  } catch (error) {
    return { code: errorCode(error), message: String(error) };
  }
}

test.each(Object.entries(FUNCTIONS))("%s", async (_, [checks, call]) => {
  const taken: string[] = [];
  for (const [name, check] of Object.entries(checks)) {
    for (const value of badValues(check)) {
      const { code, message } = await refusalOf(() => call({ [name]: value } as never));
      if (code === "bad-option" && message.includes(`Option ${name} of `)) continue;
      taken.push(`${name}: ${String(value)} gives ${message}`);
    }
  }
  expect(taken).toEqual([]);
});

test.each(Object.entries(TRAIN_INNER_CHECKS))("train, inside %s", async (option, checks: NumberChecks) => {
  for (const [name, check] of Object.entries(checks)) {
    for (const value of badValues(check)) {
      const { code, message } = await refusalOf(() => train({ [option]: { [name]: value } }));
      expect([code, message]).toEqual(["bad-option", expect.stringContaining(`Option ${option}.${name} of train is `)]);
    }
  }
  const { message } = await refusalOf(() => train({ [option]: null }));
  expect(message).toContain(`Option ${option} of train is null; it takes {`);
});

test("what is undefined is as if it were left out, inside an option too", async () => {
  const given = { validation: { every: undefined }, report: { tasks: undefined }, correction: { truncate: undefined } };
  const plan = await planTraining({
    env,
    envName: "corridor",
    model: "m",
    dir: "d",
    lag: 1,
    trainer: {},
    ...given,
  } as never);
  expect(plan.validation).toMatchObject({ every: 10, tasks: 128 });
  expect(plan.report).toMatchObject({ tasks: 256 });
  expect(plan.away?.correction).toMatchObject({ truncate: 2 });
});

test("a worker's worlds are counts, each by its name", async () => {
  const { message } = await refusalOf(() => startWorker({ redis: "", cache: "", worlds: { shop: 0 } }));
  expect(message).toContain("Option worlds.shop of startWorker is 0; it takes a whole number at least 1.");
});
