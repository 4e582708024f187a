/** Benches of the shop: searching, stepping, forking, memory, and how often the expert buys exactly the right thing. */
import { createRng } from "../../packages/base/src/base/rng.ts";
import type { Env, Episode } from "../../packages/core/src/env/env.ts";
import { generateCatalogue, generateGoals } from "../../packages/worlds/src/shop/generate.ts";
import { shop } from "../../packages/worlds/src/shop/index.ts";
import { createSearch } from "../../packages/worlds/src/shop/product.ts";
import type { Task } from "../../packages/base/src/trajectory/trajectory.ts";
import { memoryMib, seconds, type Bench } from "./harness.ts";

const SEARCHES = 2_000;
const ERRANDS = 300;
const OPEN = 10_000;
const GOALS = 2_000;

function tasksOf(env: Env, count: number): Task[] {
  return [...(env.tasks("train", { count }) as Iterable<Task>)];
}

/** Queries are whole instructions: longer than what an agent types, with common and rare words. */
const searching = [1_000, 3_000, 10_000].map((products): Bench => ({
  name: `shop/search-${products}`,
  summary: `Searches with whole instructions over ${products} products, the best 50 each, one core.`,
  unit: "searches/s",
  goal: { at: "least", value: 1_000 },
  setUp: () => {
    const catalogue = generateCatalogue({ products, seed: 1 });
    const queries = generateGoals(catalogue, { seed: 1, goalsPerProduct: 2 }).map(({ instruction }) => instruction);
    const search = createSearch(catalogue);
    let found = 0;
    return Promise.resolve({
      measure: async () => {
        found = 0;
        const taken = await seconds(async () => {
          for (let index = 0; index < SEARCHES; index += 1)
            found += search(queries[index % queries.length] ?? "").length;
        });
        return SEARCHES / taken;
      },
      notes: () => ({ hitsPerSearch: found / SEARCHES }),
    });
  },
}));

/** The expert's errands replayed, so that only the world is timed: searches, pages, options and purchases. */
const stepping = [100, 1_000, 10_000].map((products): Bench => ({
  name: `shop/steps-${products}`,
  summary: `Steps of ${ERRANDS} expert errands over ${products} products, with text and full list at every step.`,
  unit: "steps/s",
  setUp: async () => {
    const env = await shop.create({ products, seed: 1, preset: "webshop" });
    const errands = await Promise.all(tasksOf(env, ERRANDS).map((task) => runErrand(env, task)));
    const steps = errands.reduce((sum, { actions }) => sum + actions.length, 0);
    return {
      measure: async () => {
        const taken = await seconds(async () => {
          for (const { task, actions } of errands) {
            const episode = await env.open(task);
            for (const action of actions) {
              await episode.step(action);
              episode.admissible();
            }
          }
        });
        return steps / taken;
      },
      notes: () => ({ errands: errands.length, stepsPerErrand: steps / errands.length }),
    };
  },
}));

const forking: Bench = {
  name: "shop/fork",
  summary: "Forks an episode that stands on a page of results; median over 10,000 forks.",
  unit: "microseconds",
  goal: { at: "most", value: 20 },
  setUp: async () => {
    const env = await shop.create({ products: 100, preset: "webshop" });
    const episode = await env.open(tasksOf(env, 1)[0] as Task);
    await episode.step("search[free]");
    return {
      measure: async () => {
        const times: number[] = [];
        for (let index = 0; index < 10_000; index += 1) {
          const start = performance.now();
          await episode.fork();
          times.push((performance.now() - start) * 1_000);
        }
        return times.sort((left, right) => left - right)[times.length >> 1] ?? Number.NaN;
      },
    };
  },
};

const memory: Bench = {
  name: "shop/open-10000",
  summary:
    "Resident memory of the whole process with 10,000 episodes open at 10,000 products, each with its own search.",
  unit: "MiB",
  goal: { at: "most", value: 2_048 },
  repetitions: 1,
  warmUps: 0,
  setUp: async () => {
    const env = await shop.create({ products: 10_000, seed: 1, preset: "webshop" });
    const tasks = tasksOf(env, OPEN);
    const held: Episode[] = [];
    return {
      measure: async () => {
        for (const task of tasks) {
          const episode = await env.open(task);
          await episode.step(`search[${task.goal}]`);
          held.push(episode);
        }
        return memoryMib();
      },
      notes: () => ({ open: held.filter(({ ending }) => ending === undefined).length }),
    };
  },
};

const mastering: Bench = {
  name: "shop/expert",
  summary: `Share of ${GOALS} generated goals on which the expert's purchase scores 1.0, over 1,000 products.`,
  unit: "share",
  goal: { at: "least", value: 0.99 },
  repetitions: 1,
  warmUps: 0,
  setUp: async () => {
    const env = await shop.create({ seed: 1, preset: "webshop" });
    const outcomes: { readonly perfect: boolean; readonly actions: readonly string[] }[] = [];
    return {
      measure: async () => {
        for (const task of tasksOf(env, GOALS)) outcomes.push(await runErrand(env, task));
        return outcomes.filter(({ perfect }) => perfect).length / outcomes.length;
      },
      notes: () => ({
        goals: outcomes.length,
        stepsPerGoal: outcomes.reduce((sum, { actions }) => sum + actions.length, 0) / outcomes.length,
      }),
    };
  },
};

async function runErrand(env: Env, task: Task): Promise<{ task: Task; actions: string[]; perfect: boolean }> {
  const episode = await env.open(task);
  const demonstration = shop.demonstrators?.["expert"]?.start(task, createRng(0));
  const actions: string[] = [];
  while (episode.ending === undefined) {
    const seen = { action: actions.at(-1), observation: episode.observation, admissible: episode.admissible() };
    actions.push(demonstration?.next(seen) ?? "");
    await episode.step(actions.at(-1) ?? "");
  }
  return { task, actions, perfect: episode.success === true };
}

export const shopBenches: readonly Bench[] = [...searching, ...stepping, forking, memory, mastering];
