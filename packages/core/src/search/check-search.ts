/**
 * Checks that a search keeps its promises, for any test runner or none. Each throws an EngineError "search-contract"
 * that names the search and what differed.
 */
import { createRng, type Rng } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import {
  checkCancelled,
  checkClosed,
  checkLeft,
  checkOrder,
  checkTrajectories,
  createCheckGround,
  expectSameForest,
  settle,
  type CheckGround,
  type Fail,
  type GroundOptions,
  type Walked,
} from "../walk/check-ground.ts";
import type { Task } from "limbeck-base/trajectory/trajectory";
import type { Asker } from "../walk/tree/asker.ts";
import type { Budget } from "../walk/purse.ts";
import { runSearch, type SearchResult } from "../walk/tree/run-search.ts";
import type { RunSearchOptions } from "../walk/tree/search.ts";

export interface SearchCheckOptions {
  readonly name: string;
  /** A new search; it is called once for every run. */
  readonly create: () => RunSearchOptions["search"];
  /** Whether it has a text model to ask. Default: it has one. */
  readonly asks?: boolean;
  readonly value?: RunSearchOptions["value"];
  /** How many random budgets are tried. Default: 12. */
  readonly budgets?: number;
  readonly seed?: number | string;
}

interface Searched extends Walked<SearchResult> {
  readonly asked: { calls: number; tokens: number };
}

/** The forest is valid, what was booked is what was spent, nothing stays open, and the goal is reached with enough budget. */
export async function checkTree(options: SearchCheckOptions): Promise<void> {
  const fail = failing(options);
  const { ground, asked, result } = await run(options);
  if (result.trajectories.length === 0 || result.nodes === 0) fail("It searched nothing.");
  checkLeft(fail, ground, result.trajectories);
  const { spent } = result;
  if (spent.modelCalls < ground.counts.modelCalls + asked.calls) fail("It made model calls that it did not book.");
  if (spent.envSteps < ground.counts.envSteps) fail("It took environment steps that it did not book.");
  if (spent.sampledTokens < ground.counts.sampledTokens + asked.tokens) fail("It sampled tokens that it did not book.");
  if (result.success !== true)
    fail(`With all it wants it does not reach the end of a corridor: ${result.actions.join(", ")}.`);
}

/** One seed, one tree: whatever the concurrency, and whichever is quicker. */
export async function checkSameTree(options: SearchCheckOptions): Promise<void> {
  await checkOrder(failing(options), (more, ground) => run(options, more, ground));
}

const PRICES = { usdPerMillionRead: 3, usdPerMillionSaid: 15 };

/** No limit is ever passed, and who gets the last of a budget does not depend on who is quicker. */
export async function checkSearchBudgets(options: SearchCheckOptions): Promise<void> {
  const rng = createRng(options.seed ?? "budgets");
  for (let number = 0; number < (options.budgets ?? 12); number += 1) {
    const budget = randomBudget(rng.split(number), number);
    await checkBudget(options, budget);
  }
}

/** One budget, alone and in a crowd. */
export async function checkBudget(options: SearchCheckOptions, budget: Budget): Promise<void> {
  const what = `with the budget ${JSON.stringify(budget)}`;
  const fail: Fail = (why) => failing(options)(`${why.replace(/\.$/, "")} ${what}.`);
  const more = { budget, prices: PRICES };
  const alone = await run(options, { ...more, concurrency: 1 });
  const crowd = await run(options, { ...more, concurrency: 64 }, { jumbled: true });
  expectSameForest(fail, "in a crowd", crowd.result.trajectories, alone.result.trajectories);
  for (const { ground, asked, result } of [alone, crowd]) {
    const counted = {
      envSteps: ground.counts.envSteps,
      modelCalls: ground.counts.modelCalls + asked.calls,
      sampledTokens: ground.counts.sampledTokens + asked.tokens,
    };
    for (const [kind, limit] of Object.entries(budget)) {
      const spent = result.spent[kind as keyof Budget];
      const really = Math.max(spent, counted[kind as keyof typeof counted] ?? 0);
      if (really > limit) fail(`It spent ${really} ${kind}.`);
    }
    checkClosed(fail, ground);
  }
  // Those of the crowd are the same.
  checkTrajectories(fail, alone.result.trajectories);
}

function randomBudget(rng: Rng, number: number): Budget {
  const kinds: readonly (readonly [keyof Budget, number])[] = [
    ["envSteps", 40],
    ["modelCalls", 40],
    ["sampledTokens", 120],
    ["tokens", 2_000],
    ["usd", 0.01],
  ];
  const [kind, most] = kinds[number % kinds.length] as (typeof kinds)[number];
  const amount = kind === "usd" ? rng.float() * most : rng.int(most);
  const second = number % 3 === 0 ? { modelCalls: rng.int(40) } : {};
  return { ...second, [kind]: amount };
}

/** Cancelled in the middle: what was stored is a valid forest, and nothing stays open. */
export async function checkSearchCancel(options: SearchCheckOptions): Promise<void> {
  const asked = { calls: 0, tokens: 0 };
  await checkCancelled(failing(options), async (ground, more) => {
    try {
      await runSearch(searchOptions(options, ground, asked, more));
    } finally {
      await settle();
    }
  });
}

/** A world that fails now and then costs nodes, never the search, and is never a value of 0. */
export async function checkSearchFailures(options: SearchCheckOptions): Promise<void> {
  const fail = failing(options);
  const { ground, result } = await run(options, {}, { failEvery: 7 });
  for (const { id, ending, reward } of result.trajectories) {
    if (ending === "failed" && reward.kind === "scored") fail(`Trajectory "${id}" failed, yet has a reward.`);
  }
  checkLeft(fail, ground, result.trajectories);
}

/** Where worlds cannot be copied they are replayed: the tree is valid, every step is booked, and nothing stays open. */
export async function checkReplays(options: SearchCheckOptions): Promise<void> {
  const fail = failing(options);
  const { ground, result } = await run(options, { worlds: "replay", keep: { worlds: 2, minds: 2 } });
  if (result.dropped > 0) fail(`${result.dropped} nodes were dropped in a world that replays the same.`);
  if (result.spent.envSteps < ground.counts.envSteps) fail("It replayed steps that it did not book.");
  checkLeft(fail, ground, result.trajectories);
}

async function run(
  options: SearchCheckOptions,
  more: Partial<RunSearchOptions> = {},
  groundOptions: GroundOptions = {},
): Promise<Searched> {
  const ground = createCheckGround(groundOptions);
  const asked = { calls: 0, tokens: 0 };
  const result = await runSearch(searchOptions(options, ground, asked, more));
  await settle();
  return { ground, asked, result };
}

function searchOptions(
  { create, asks = true, value, seed = "contract" }: SearchCheckOptions,
  { env, agent }: CheckGround,
  asked: { calls: number; tokens: number },
  more: Partial<RunSearchOptions>,
): RunSearchOptions {
  const [task] = env.tasks("train", { count: 1 }) as Iterable<Task>;
  return {
    env,
    agent,
    task: task as Task,
    search: create(),
    seed,
    date: () => "2026-01-01T00:00:00.000Z",
    ...(value === undefined ? {} : { value }),
    ...(asks ? { asker: talker(asked) } : {}),
    ...more,
  };
}

/** Answers every question that searches ask in a shape they can read, the same to the same question. */
function talker(asked: { calls: number; tokens: number }): Asker {
  return async (prompt, { maxTokens }) => {
    const number = createRng(prompt).int(9) + 1;
    const text = `go east\ngo east\ngo east\n{"score": ${number}, "progress": ${number - 4}}\n${(number % 3) + 1}, 1, 2`;
    const said = Math.min(maxTokens, 24);
    asked.calls += 1;
    asked.tokens += said;
    return { text, usage: { promptTokens: Buffer.byteLength(prompt), completionTokens: said, modelCalls: 1 } };
  };
}

function failing({ name }: SearchCheckOptions): Fail {
  return (what) => {
    throw new EngineError("search-contract", `Search "${name}" breaks the contract. ${what}`, { details: { name } });
  };
}
