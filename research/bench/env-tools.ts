/** Benches of the tools world: generation, steps a second at three sizes, forks, memory, and the expert on 2,000 tasks. */
import { createRng } from "../../packages/base/src/base/rng.ts";
import { median } from "../../packages/base/src/base/statistics/summary.ts";
import type { Env, Episode } from "../../packages/core/src/env/env.ts";
import { DEMONSTRATORS } from "../../packages/worlds/src/tools/expert.ts";
import { generateShop } from "../../packages/worlds/src/tools/generate-database.ts";
import { createTools } from "../../packages/worlds/src/tools/tools-env.ts";
import type { Task } from "../../packages/base/src/trajectory/trajectory.ts";
import { memoryMib, seconds, type Bench } from "./harness.ts";

const { expert } = DEMONSTRATORS;

async function actionsOf(env: Env, task: Task): Promise<string[]> {
  const episode = await env.open(task);
  const demonstration = expert.start(task, createRng(0));
  const actions: string[] = [];
  while (episode.ending === undefined) {
    actions.push(demonstration.next({ action: actions.at(-1), observation: episode.observation }));
    await episode.step(actions.at(-1) as string);
  }
  return actions;
}

async function recorded(env: Env, count: number): Promise<{ task: Task; actions: string[] }[]> {
  const runs: { task: Task; actions: string[] }[] = [];
  for await (const task of env.tasks("train", { count })) runs.push({ task, actions: await actionsOf(env, task) });
  return runs;
}

/** The expert's actions played again, so that only the world is timed; the state key is asked for at every step. */
const steps = [16, 64, 1_000].map((users): Bench => ({
  name: `env-tools/steps-${users}`,
  summary: `Steps of the tools world with its state key, in shops of ${users} customers.`,
  unit: "steps/s",
  setUp: async () => {
    const env = createTools({ users });
    const runs = await recorded(env, 256);
    const total = runs.reduce((sum, { actions }) => sum + actions.length, 0);
    return {
      measure: async () =>
        total /
        (await seconds(async () => {
          for (const { task, actions } of runs) {
            const episode = await env.open(task);
            for (const action of actions) {
              await episode.step(action);
              if (episode.stateKey === "") throw new Error("no key");
            }
          }
        })),
      notes: () => ({ steps: total, episodes: runs.length }),
    };
  },
}));

const generate: Bench = {
  name: "env-tools/generate",
  summary: "Tasks of the tools world made from their seeds, shops included.",
  unit: "tasks/s",
  setUp: async () => ({
    measure: async () =>
      1_000 /
      (await seconds(async () => {
        for await (const task of createTools().tasks("train", { count: 1_000 }))
          if (task.id === "") throw new Error("no id");
      })),
    notes: () => ({ "users a shop": generateShop({ seed: 0, remainder: 0 }).users.size }),
  }),
};

const fork: Bench = {
  name: "env-tools/fork",
  summary: "Median time of one fork in the middle of an episode.",
  unit: "microseconds",
  goal: { at: "most", value: 20 },
  setUp: async () => {
    const env = createTools();
    const [run] = (await recorded(env, 6)).slice(5);
    if (run === undefined) throw new Error("no run");
    const episode = await env.open(run.task);
    for (const action of run.actions.slice(0, -2)) await episode.step(action);
    return {
      measure: async () => {
        const times: number[] = [];
        for (let index = 0; index < 5_000; index += 1) {
          const start = performance.now();
          await episode.fork();
          times.push((performance.now() - start) * 1_000);
        }
        return median(times);
      },
    };
  },
};

const memory: Bench = {
  name: "env-tools/open-10000",
  summary: "Resident memory of the whole process with 10,000 open episodes, each of another task and three steps old.",
  unit: "MiB",
  goal: { at: "most", value: 2_048 },
  repetitions: 1,
  warmUps: 0,
  setUp: async () => ({
    measure: async () => {
      const env = createTools();
      const open: Episode[] = [];
      for await (const task of env.tasks("train", { count: 10_000 })) {
        const episode = await env.open(task);
        for (const message of ["Your e-mail?", "Which order?", "Which item?"]) await episode.step(message);
        open.push(episode);
      }
      return open.length === 10_000 ? memoryMib() : Number.NaN;
    },
  }),
};

const solved = Object.values(DEMONSTRATORS).map((demonstrator): Bench => ({
  name: `env-tools/${demonstrator.id}-2000`,
  summary: `Share of 2,000 generated tasks that "${demonstrator.id}" ends in the right state.`,
  unit: "share",
  repetitions: 1,
  warmUps: 0,
  ...(demonstrator.id === "expert" ? { goal: { at: "least" as const, value: 1 } } : {}),
  setUp: async () => ({
    measure: async () => {
      const env = createTools();
      let won = 0;
      for await (const task of env.tasks("train", { count: 2_000 })) {
        const episode = await env.open(task);
        const demonstration = demonstrator.start(task, createRng(0));
        let action: string | undefined;
        while (episode.ending === undefined) {
          action = demonstration.next({ action, observation: episode.observation });
          await episode.step(action);
        }
        won += episode.success === true ? 1 : 0;
      }
      return won / 2_000;
    },
  }),
}));

export const toolsBenches: readonly Bench[] = [generate, ...steps, fork, memory, ...solved];
