/** Rollouts of household tiny by its scripted agents, as requests to a fleet. */
import { getWorld } from "../../packages/worlds/src/index.ts";
import type { FleetRequest } from "../../packages/remote/src/fleet/roll-out-on-fleet.ts";
import { createStrategy } from "../../packages/core/src/rollout/registry.ts";
import { createDemonstratorAgent } from "../../packages/core/src/walk/mind/demonstrator-agent.ts";
import { rollOut } from "../../packages/core/src/walk/line/roll-out.ts";
import type { Task, Trajectory } from "../../packages/base/src/trajectory/trajectory.ts";

export const SCRIPT = "guesser";

export async function householdTasks(count: number): Promise<Task[]> {
  const env = await (await getWorld("household")).create({ dial: "tiny" });
  const tasks: Task[] = [];
  for await (const task of env.tasks("train", { count })) tasks.push(task);
  return tasks;
}

export function requestOf(redis: string, run: string, tasks: readonly Task[], group = 2): FleetRequest {
  return {
    redis,
    run,
    env: { id: "household", options: { dial: "tiny" } },
    tasks,
    strategy: { name: "group", options: { size: group } },
    seed: 7,
    prefix: "",
    agent: { kind: "script", name: SCRIPT },
    peers: 0,
    episode: {},
    attempts: 3,
    concurrency: 64,
    deliver: { to: "caller" },
    lookMs: 200,
    backOffMs: 20,
  };
}

/** The same in this process. */
export async function quietly(tasks: readonly Task[], group = 2): Promise<readonly Trajectory[]> {
  const world = await getWorld("household");
  const demonstrator = world.demonstrators?.[SCRIPT];
  if (demonstrator === undefined) throw new Error(`household has no ${SCRIPT}`);
  const { trajectories } = await rollOut({
    env: await world.create({ dial: "tiny" }),
    agent: createDemonstratorAgent(demonstrator),
    strategy: createStrategy("group", { size: group }),
    tasks,
    seed: 7,
  });
  return trajectories;
}

/** What episodes come to, without the times they took. */
export function outcomes(trajectories: readonly Trajectory[]): string[] {
  return trajectories.map(
    ({ id, success, ending, steps }) =>
      `${id} ${String(success)} ${ending} ${steps.map(({ action }) => action).join()}`,
  );
}
