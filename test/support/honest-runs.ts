/** Trajectories of scripted agents in the real worlds, for tests that need honest behaviour at many levels of skill. */
import { createRng } from "../../packages/base/src/base/rng.ts";
import { createCountdown } from "../../packages/worlds/src/countdown/countdown.ts";
import {
  expert as solver,
  guesser as countdownGuesser,
  hasty,
} from "../../packages/worlds/src/countdown/demonstrators.ts";
import { createHousehold } from "../../packages/worlds/src/household/household.ts";
import { createWanderer, expert, guesser, withNoise } from "../../packages/worlds/src/household/demonstrators.ts";
import type { Demonstrator } from "../../packages/core/src/env/expert.ts";
import type { Env } from "../../packages/core/src/env/env.ts";
import type { Step, Task, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";

export interface HonestOptions {
  readonly seed: number;
  readonly tasks: number;
  /** Trajectories of each task. */
  readonly groupSize: number;
  readonly who: readonly Demonstrator[];
}

export const householdAgents: readonly Demonstrator[] = [expert, withNoise(expert, 0.3), createWanderer(), guesser];
export const countdownAgents: readonly Demonstrator[] = [solver, hasty, countdownGuesser];

export function householdRun(options: Omit<HonestOptions, "who"> & { readonly who?: readonly Demonstrator[] }) {
  return play(createHousehold({ dial: "tiny", seed: options.seed }), { who: householdAgents, ...options });
}

export function countdownRun(options: Omit<HonestOptions, "who">) {
  return play(createCountdown({ seed: options.seed, level: "medium" }), { who: countdownAgents, ...options });
}

/** Each trajectory of a group is by the next of the agents. */
export async function play(env: Env, { seed, tasks, groupSize, who }: HonestOptions): Promise<Trajectory[]> {
  const played: Trajectory[] = [];
  for await (const task of env.tasks("train", { count: tasks })) {
    for (let at = 0; at < groupSize; at += 1) {
      played.push(await playOne(env, task, who[at % who.length] as Demonstrator, { seed, at }));
    }
  }
  return played;
}

async function playOne(
  env: Env,
  task: Task,
  agent: Demonstrator,
  name: { readonly seed: number; readonly at: number },
): Promise<Trajectory> {
  const id = `${task.id}/${name.seed}/${name.at}`;
  const episode = await env.open(task);
  const demonstration = agent.start(task, createRng(id));
  const steps: Step[] = [];
  while (episode.ending === undefined) {
    const { observation, stateKey } = episode;
    const action = demonstration.next({ action: steps.at(-1)?.action, observation, admissible: episode.admissible() });
    const { valid, reward } = await episode.step(action);
    steps.push({ index: steps.length, observation, stateKey, action, valid, reward });
  }
  await episode.close();
  return {
    id,
    task,
    group: `${task.id}/${name.seed}`,
    steps,
    streams: [],
    ending: episode.ending,
    reward: episode.reward,
    success: episode.success,
    rewards: [],
    policy: { name: agent.id },
    closing: { observation: episode.observation },
  };
}
