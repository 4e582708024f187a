import { expect, test } from "vitest";
import type { Env, Episode } from "../packages/core/src/env/env.ts";
import { wrapEnv, wrapEpisode } from "../packages/core/src/env/wrap.ts";
import { createCheckGround } from "../packages/core/src/walk/check-ground.ts";
import { createStrategy, allStrategies } from "../packages/core/src/rollout/registry.ts";
import { scored, unscored } from "../packages/base/src/trajectory/score.ts";
import { validateForest } from "../packages/base/src/trajectory/forest.ts";
import type { Task, Trajectory } from "../packages/base/src/trajectory/trajectory.ts";
import { type StrategySearch, searchTasks, type SearchPlan } from "../packages/core/src/walk/tree/search-tasks.ts";
import { createSearch } from "../packages/core/src/search/registry.ts";

const by = (name: string, options: Readonly<Record<string, unknown>> = {}): SearchPlan["search"] => {
  const assistants: NonNullable<StrategySearch["assistants"]> = () => ({
    judge: ({ steps }) => Promise.resolve({ stepScores: steps.map(() => 0.5) }),
    reflector: ({ steps }) => Promise.resolve({ step: Math.floor(steps.length / 2), guidance: "go east" }),
    corrector: () => Promise.resolve({ action: "go east" }),
    pool: () => Promise.resolve([]),
  });
  return () => ({ name, strategy: () => createStrategy(name, options), assistants });
};

/** The same world, which calls every end a failure. */
function neverSolved(env: Env): Env {
  const sour = (inner: Episode): Episode =>
    wrapEpisode(inner, {
      get success() {
        return inner.success === null ? null : false;
      },
      get reward() {
        return scored(0);
      },
      step: async (action, options) => {
        const result = await inner.step(action, options);
        return { ...result, reward: scored(0), success: result.success === null ? null : false };
      },
      fork: async () => sour(await inner.fork()),
    });
  return wrapEnv(env, sour);
}

async function searched(plan: SearchPlan, change: (env: Env) => Env = (env) => env) {
  const ground = createCheckGround();
  const env = change(ground.env);
  const tasks = [...(ground.env.tasks("train", { count: 3 }) as Iterable<Task>)];
  const stored: Trajectory[] = [];
  const sink = { append: async (trajectory: Trajectory) => void stored.push(trajectory) };
  return { ground, stored, outcomes: await searchTasks({ ...ground, env, plan, tasks, seed: 7, sink }) };
}

test.each(Object.keys(allStrategies))("%s spends a search's budget, and its best line counts", async (name) => {
  const { ground, stored, outcomes } = await searched({ search: by(name), budget: { envSteps: 60 } });
  expect(validateForest(stored)).toEqual([]);
  expect(outcomes).toHaveLength(3);
  for (const { episode, spent, task, nodes, harm, failures } of outcomes) {
    expect(spent.envSteps).toBeLessThanOrEqual(60);
    expect([harm, failures]).toEqual([0, []]);
    const own = stored.filter((one) => one.task.id === task.id);
    expect(nodes).toBe(own.reduce((total, { steps }) => total + steps.length, 0));
    // The end of the corridor is a success; whoever has found one acts on one.
    expect(episode.success === true).toBe(own.some(({ success }) => success === true));
    expect(own.filter(({ info }) => (info?.["search"] as { chosen?: true } | undefined)?.chosen === true)).toHaveLength(
      1,
    );
    expect(validateForest([episode])).toEqual([]);
    expect(episode.id).toBe(`${task.id}/chosen`);
  }
  const steps = outcomes.reduce((total, { spent }) => total + spent.envSteps, 0);
  expect(steps).toBeGreaterThanOrEqual(ground.counts.envSteps);
  expect(ground.counts).toMatchObject({ episodes: 0, conversations: 0 });
});

test("a group chooses as best-of-n does: success, then an end, then the shorter line", async () => {
  const group = await searched({ search: by("group", { size: 6 }) });
  const best = await searched({ search: () => createSearch("best-of-n", { n: 6, stop: false }) });
  for (const { outcomes, stored } of [group, best]) {
    for (const { task, episode } of outcomes) {
      const won = stored.filter((one) => one.task.id === task.id && one.success === true);
      expect(won.length).toBeGreaterThan(0);
      expect(episode.steps).toHaveLength(Math.min(...won.map(({ steps }) => steps.length)));
    }
  }
});

test("blind, it goes by the signs of a line: the same one whatever the world says of its end", async () => {
  const plan = { search: by("group", { size: 6 }), seesOutcome: false };
  const [plain, sour] = [await searched(plan), await searched(plan, neverSolved)];
  const chosen = ({ outcomes }: typeof plain): unknown =>
    outcomes.map(({ episode }) => episode.steps.map(({ action }) => action));
  expect(chosen(sour)).toEqual(chosen(plain));
  expect(sour.outcomes.every(({ episode }) => episode.success === false)).toBe(true);
});

test("a budget that pays nothing leaves an episode without steps that did not succeed", async () => {
  const { outcomes, stored } = await searched({ search: by("group"), budget: { envSteps: 0 } });
  expect(stored).toEqual([]);
  for (const { episode, nodes } of outcomes) {
    expect(nodes).toBe(0);
    expect(episode).toMatchObject({ steps: [], success: false, reward: unscored("stopped: search") });
  }
});

test("a budget of tokens, read and said, holds for a strategy as for a search", async () => {
  for (const search of [by("group"), () => createSearch("best-of-n")]) {
    const { outcomes } = await searched({ search, budget: { tokens: 120 } });
    const [outcome] = outcomes;
    expect(outcome?.spent.tokens).toBeGreaterThan(0);
    expect(outcome?.spent.tokens).toBeLessThanOrEqual(120);
  }
});
