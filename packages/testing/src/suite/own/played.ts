/** Episodes that suites are made of: a script plays tasks of a world, or a list of actions is played in one of them. */
import { getWorld } from "limbeck-worlds/index";
import type { Env } from "limbeck-core/env/env";
import type { Demonstrator } from "limbeck-core/env/expert";
import { demonstratorsOf, type WorldOptions } from "limbeck-core/env/world";
import { evaluateAgent } from "limbeck-core/eval/evaluate";
import { createDemonstratorAgent } from "limbeck-core/walk/mind/demonstrator-agent";
import { closeWorld } from "limbeck-core/walk/worlds";
import { scoreValue } from "limbeck-base/trajectory/score";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";

export interface Stage {
  readonly env: Env;
  readonly tasks: readonly Task[];
  /** A script by its name, or one of your own. */
  readonly play: (who: string | Demonstrator) => Promise<readonly Trajectory[]>;
}

export async function openStage(id: string, options: WorldOptions, split: string, count: number): Promise<Stage> {
  const world = await getWorld(id);
  const env = await world.create(options);
  const tasks: Task[] = [];
  for await (const task of env.tasks(split, { count })) tasks.push(task);
  const scripts = demonstratorsOf(world, env);
  return {
    env,
    tasks,
    play: async (who) => {
      const script = typeof who === "string" ? (scripts[who] as Demonstrator) : who;
      const agent = createDemonstratorAgent(script);
      return (await evaluateAgent({ env, agent, tasks, seed: "suite" })).trajectories;
    },
  };
}

/** Makes it once, so that a suite and its scripts share it. */
export function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return async () => await (made ??= make());
}

export interface Seen {
  readonly saw: string;
  readonly did: string;
  /** The world took it. */
  readonly valid: boolean;
}

/** What the world shows on the way, and what came of it; actions behind its end are left out. */
export async function follow(env: Env, task: Task, actions: readonly string[]) {
  const world = await env.open(task);
  const seen: Seen[] = [];
  try {
    for (const did of actions) {
      if (world.ending !== undefined) break;
      const saw = world.observation;
      const { valid } = await world.step(did);
      seen.push({ saw, did, valid });
    }
    const { admissible, observation } = { admissible: world.admissible(), observation: world.observation };
    return { seen, admissible, observation, ended: world.ending !== undefined, reward: scoreValue(world.reward) ?? 0 };
  } finally {
    await closeWorld(world);
  }
}
