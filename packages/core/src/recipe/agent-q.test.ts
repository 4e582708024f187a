import { expect, test } from "vitest";
import { recipeContract } from "../../../../test/support/recipe-contract.ts";
import { tryRecipe } from "../../../../test/support/recipe-bench.ts";
import { strategyEpisodes } from "../../../../test/support/strategy-episodes.ts";
import { createTableEnv, TABLE_TASK, type TableWorld } from "../../../../test/support/table-world.ts";
import { createRng } from "limbeck-base/base/rng";
import { mean } from "limbeck-base/base/statistics/summary";
import { findPairs } from "../distill/pairs/index.ts";
import type { Side } from "../distill/pairs/pair.ts";
import { byteTokenizer, plainDialect } from "limbeck-policy/policy/tabular/script-tokenizer";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import { createSearch } from "../search/registry.ts";
import { createTokenAgent } from "../walk/mind/token-agent.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import type { Strategy } from "../walk/line/strategy.ts";
import { createForest, episodeSteps, validateForest } from "limbeck-base/trajectory/forest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { searchStrategy } from "./search-strategy.ts";

const collect = (own?: Strategy): Promise<readonly Trajectory[]> => strategyEpisodes("agent-q", {}, "one", own);

// Small trees: learning from all of their pairs is what takes the time.
const parts = { collect, given: { searchSteps: 20 } };

recipeContract("agent-q", parts);

test("the trees of the search are compared, and logged likelihoods stand for the reference", async () => {
  const { record, model } = await tryRecipe("agent-q", parts);
  expect(validateForest(record.episodes)).toEqual([]);
  expect(record.episodes.some(({ info }) => info?.["search"] !== undefined)).toBe(true);
  expect(record.metrics["pairs/used"]).toBeGreaterThan(0);
  expect(record.metrics["pairs/lost"]).toBe(0);
  // The first step from there: the model is not the one that acted, so the margin is not 0.
  expect(record.metrics["loss/policy/margin"]).not.toBe(0);
  await model.close();
});

const ACTIONS = ["left", "right", "up"];
const DEPTH = 3;

/** Three steps of three actions; every leaf pays a number of its own, so that all values can be counted out. */
function tree(): TableWorld {
  const moves: Record<string, Record<string, string>> = {};
  const ends: Record<string, number> = {};
  const rng = createRng("leaves");
  const grow = (state: string, depth: number): void => {
    const own = Object.fromEntries(ACTIONS.map((action) => [action, state + action[0]]));
    moves[state] = own;
    for (const next of Object.values(own)) {
      if (depth + 1 < DEPTH) grow(next, depth + 1);
      else ends[next] = rng.float();
    }
  };
  grow("s", 0);
  return { moves, ends, maxSteps: DEPTH };
}

const world = tree();

/** What a state is worth to a policy that finds every action as likely. */
function valueOf(state: string): number {
  return world.ends[state] ?? mean(Object.values(world.moves[state] ?? {}).map(valueOf));
}

async function searched(iterations: number, seed: number): Promise<readonly Trajectory[]> {
  const policy = createScriptedPolicy({ script: () => ACTIONS.map((text) => ({ text, probability: 1 / 3 })) });
  const agent = createTokenAgent({ policy, dialect: plainDialect(byteTokenizer()), answerTokens: 8 });
  const options = { candidates: "listed", exploration: 0.3, stop: false, iterations };
  const strategy = searchStrategy({ search: () => createSearch("mcts", options), budget: {} });
  const env = createTableEnv(world);
  return (await rollOut({ env, agent, tasks: [TABLE_TASK], seed, strategy })).trajectories;
}

/** Share of the pairs from this step on that are in the order of the true values. */
function rightShare(trajectories: readonly Trajectory[], from = 0): number {
  const forest = createForest(trajectories);
  const stateOf = ({ trajectory, steps: [step = 0] }: Side): string =>
    episodeSteps(forest, trajectory)
      .slice(0, step + 1)
      .reduce((state, { action }) => state + (action[0] ?? ""), "s");
  const found = findPairs("agent-q", trajectories, { gap: 0 });
  const pairs = found.filter(
    ({
      chosen: {
        steps: [step = 0],
      },
    }) => step >= from,
  );
  const right = pairs.filter(({ chosen, rejected }) => valueOf(stateOf(chosen)) > valueOf(stateOf(rejected)));
  return right.length / pairs.length;
}

test("pairs of a tree search come to the true order as the search grows", async () => {
  const shareAt = async (iterations: number): Promise<number> => {
    const shares = await Promise.all(
      [1, 2, 3, 4, 5, 6].map(async (seed) => rightShare(await searched(iterations, seed))),
    );
    return shares.reduce((total, share) => total + share, 0) / shares.length;
  };
  const shares = [await shareAt(4), await shareAt(12), await shareAt(100)];
  expect(shares).toEqual(shares.toSorted((left, right) => left - right));
  expect(shares[0]).toBeLessThan(0.9);
  // All 27 ends are found then. Inner nodes also count the one draw they were first judged by, so near ones may be
  // swapped; the last decision is exact.
  expect(shares[2]).toBeGreaterThan(0.9);
  expect(rightShare(await searched(100, 1), DEPTH - 1)).toBe(1);
});
