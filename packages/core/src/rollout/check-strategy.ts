/**
 * Checks that a strategy keeps its promises, for any test runner or none. Each throws an EngineError
 * "strategy-contract" that names the strategy and what differed.
 */
import { canonicalJson } from "limbeck-base/base/json";
import { EngineError } from "limbeck-base/base/errors";
import { sum } from "limbeck-base/base/statistics/summary";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Budget, SpendingKind } from "../walk/purse.ts";
import {
  checkCancelled,
  checkClosed,
  checkLeft,
  checkOrder,
  checkTrajectories,
  createCheckGround,
  expectSameForest,
  type CheckGround,
  type Fail,
  type GroundOptions,
  type Walked,
} from "../walk/check-ground.ts";
import type { Finished } from "../walk/judge.ts";
import { rollOut, type RollOutOptions, type RollOutResult } from "../walk/line/roll-out.ts";
import type { Strategy, StrategyNeed } from "./strategy.ts";

export interface StrategyCheckOptions {
  readonly name: string;
  /** A new strategy; it is called once for every rollout. */
  readonly create: () => Strategy & { readonly needs?: readonly StrategyNeed[] };
  /** Tasks of each rollout. Default: 3. */
  readonly tasks?: number;
  readonly seed?: number | string;
}

export async function checkForestOf(options: StrategyCheckOptions): Promise<void> {
  const { ground, result } = await roll(options);
  if (result.trajectories.length === 0) fail(options, "It rolled out nothing.");
  checkLeft(failing(options), ground, result.trajectories);
}

/** Nothing that was sampled is thrown away: it is stored, or kept for the next rollout. */
export async function checkTokens(options: StrategyCheckOptions): Promise<void> {
  const strategy = options.create();
  let kept = 0;
  for (const round of [1, 2, 3]) {
    const again = { seed: `round ${round}`, prefix: `${round}/` };
    const stored: Trajectory[] = [];
    const sink = { append: async (trajectory: Trajectory) => void stored.push(trajectory) };
    const { ground } = await roll({ ...options, create: () => strategy }, { ...again, sink });
    const before = kept;
    kept = strategy.kept?.().tokens ?? 0;
    const [sampled, found] = [ground.counts.sampledTokens + before, sum(stored.map(ownTokens)) + kept];
    if (sampled !== found) {
      fail(options, `Of ${sampled} sampled tokens ${found} are stored or kept after ${round} rollouts.`);
    }
  }
}

function ownTokens({ info, streams }: Trajectory): number {
  // What is given again was sampled in an earlier rollout, or in another run.
  if (info?.["archive"] !== undefined || info?.["shared"] !== undefined) return 0;
  return sum(streams.map(({ mask }) => sum([...mask])));
}

/** One seed, one forest: whatever the concurrency, and whichever is quicker. */
export async function checkSeeds(options: StrategyCheckOptions): Promise<void> {
  await checkOrder(failing(options), (more, ground) => roll(options, more, ground));
}

const TIGHT: readonly Budget[] = [
  { envSteps: 0 },
  { envSteps: 17 },
  { sampledTokens: 40 },
  { modelCalls: 11 },
  { reusedTokens: 30 },
  { sampledTokens: 55, envSteps: 30 },
];

/** No limit is ever passed, and who gets the last of a budget does not depend on who is quicker. */
export async function checkBudgets(options: StrategyCheckOptions): Promise<void> {
  for (const budget of TIGHT) {
    const alone = await roll(options, { concurrency: 1, budget });
    const crowd = await roll(options, { concurrency: 64, budget }, { jumbled: true });
    const what = `with the budget ${JSON.stringify(budget)}`;
    expectSameForest(failing(options), what, crowd.result.trajectories, alone.result.trajectories);
    for (const { ground, result } of [alone, crowd]) {
      for (const [kind, limit] of Object.entries(budget)) {
        const spent = result.spent[kind as SpendingKind];
        const counted = kind in ground.counts ? ground.counts[kind as "envSteps"] : spent;
        if (Math.max(spent, counted) > limit) fail(options, `It spent ${Math.max(spent, counted)} ${kind} ${what}.`);
        if (counted > spent) fail(options, `It booked ${spent} ${kind} of ${counted} ${what}.`);
      }
      checkClosed(failing(options), ground);
    }
    // Those of the crowd are the same.
    checkTrajectories(failing(options), alone.result.trajectories);
  }
}

/** Cancelled in the middle: what was stored is a valid forest, and nothing stays open. */
export async function checkCancel(options: StrategyCheckOptions): Promise<void> {
  await checkCancelled(failing(options), (ground, more) => rollOut(rollOptions(options, ground, more)));
}

/** A world that fails now and then costs trajectories, never the rollout, and is never a reward of 0. */
export async function checkFailures(options: StrategyCheckOptions): Promise<void> {
  const { ground, result } = await roll(options, { attempts: 1 }, { failEvery: 7 });
  for (const { id, ending, reward, failure } of result.trajectories) {
    if (ending !== "failed") continue;
    if (reward.kind === "scored" || failure === undefined) {
      fail(options, `Trajectory "${id}" failed, yet has a reward or no reason.`);
    }
  }
  checkLeft(failing(options), ground, result.trajectories);
}

/** What it remembers survives a file. */
export async function checkMemory(options: StrategyCheckOptions): Promise<void> {
  const first = options.create();
  const { result } = await roll({ ...options, create: () => first });
  if (first.save === undefined) return;
  const saved = first.save();
  const text = canonicalJson(saved);
  const second = options.create();
  if (second.load === undefined) return fail(options, "It saves what it remembers and cannot load it.");
  second.load(JSON.parse(text) as typeof saved);
  if (canonicalJson(second.save?.()) !== text) fail(options, "What it saves after load is not what it was given.");
  const next = { seed: "again", prefix: "again/" };
  const left = await roll({ ...options, create: () => first }, next);
  const right = await roll({ ...options, create: () => second }, next);
  expectSameForest(failing(options), "after save and load", right.result.trajectories, left.result.trajectories);
  if (canonicalJson(saved) !== text) fail(options, "A later rollout changed what it had saved before.");
  // What was rolled out before may be given again, as it was.
  const before = new Map(result.trajectories.map((trajectory) => [trajectory.id, trajectory]));
  const [again, fresh] = [true, false].map((known) =>
    left.result.trajectories.filter(({ id }) => before.has(id) === known),
  ) as [Trajectory[], Trajectory[]];
  expectSameForest(failing(options), "when given again", again, again.map(({ id }) => before.get(id) as Trajectory)); // prettier-ignore
  checkTrajectories(failing(options), [...result.trajectories, ...fresh]);
}

async function roll(
  options: StrategyCheckOptions,
  more: Partial<RollOutOptions> = {},
  groundOptions: GroundOptions = {},
): Promise<Walked<RollOutResult>> {
  const ground = createCheckGround(groundOptions);
  return { ground, result: await rollOut(rollOptions(options, ground, more)) };
}

function rollOptions(
  { create, tasks = 3, seed = "contract" }: StrategyCheckOptions,
  { env, agent }: CheckGround,
  more: Partial<RollOutOptions>,
): RollOutOptions {
  return {
    env,
    agent,
    strategy: create(),
    tasks: [...(env.tasks("train", { count: tasks }) as Iterable<Task>)],
    seed,
    judge: ({ steps }) =>
      Promise.resolve({ stepScores: steps.map(({ action }) => (action === "go east" ? 0.9 : 0.2)) }),
    reflector: ({ steps }) => Promise.resolve({ step: Math.floor(steps.length / 2), guidance: "go east" }),
    corrector: (_finished: Finished) => Promise.resolve({ action: "go east" }),
    pool: otherRun,
    ...more,
  };
}

/** What another run has made of the task. */
async function otherRun(task: Task): Promise<readonly Trajectory[]> {
  const { env, agent } = createCheckGround();
  const strategy = createOtherRun();
  return (await rollOut({ env, agent, strategy, tasks: [task], seed: "another run", prefix: "another/" })).trajectories;
}

function createOtherRun(): Strategy {
  return { run: (scope) => scope.each(scope.tasks, async (own, task) => (await own.open(task, 0))?.advance()).then() };
}

function failing(options: StrategyCheckOptions): Fail {
  return (what) => fail(options, what);
}

function fail(options: StrategyCheckOptions, what: string): never {
  throw new EngineError("strategy-contract", `Strategy "${options.name}" breaks the contract. ${what}`, {
    details: { strategy: options.name },
  });
}
