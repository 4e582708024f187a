/** One job on this worker: the world, the agent, the episodes. */
import { EngineError } from "limbeck-base/base/errors";
import { Recent } from "limbeck-base/base/recent";
import { getWorld } from "limbeck-worlds/index";
import type { Env } from "limbeck-core/env/env";
import { type World, demonstratorsOf } from "limbeck-core/env/world";
import { checkStoredOptions } from "limbeck-core/env/stored-options";
import { play } from "limbeck-core/update/collect";
import { createStrategy } from "limbeck-core/rollout/registry";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Agents } from "./agents.ts";
import type { JobCounts, RolloutJob } from "./job.ts";

export interface Worlds {
  of(env: RolloutJob["env"]): Promise<{ readonly world: World; readonly env: Env }>;
}

export interface WorldsOptions {
  /** Whether a job may name a program to start. Default: no: write access to Redis would be enough to run anything here. */
  readonly allowCommands?: boolean;
}

/** Worlds are opened once for each set of options. */
export function createWorlds({ allowCommands = false }: WorldsOptions = {}): Worlds {
  const known = new Recent<Awaited<ReturnType<Worlds["of"]>>>();
  return {
    of: ({ id, options }) => known.get(JSON.stringify([id, options]), () => openWorld(id, options, allowCommands)),
  };
}

/** Addresses of a job are called: write access to Redis chooses what the workers reach. */
async function openWorld(
  id: string,
  options: RolloutJob["env"]["options"],
  commands: boolean,
): ReturnType<Worlds["of"]> {
  const world = await getWorld(id);
  const allowed = { commands, addresses: true };
  checkStoredOptions({ id, world, options, source: "The job", allowed, command: "limbeck worker" });
  const env = await world.create(options);
  return { world: { ...world, demonstrators: demonstratorsOf(world, env) }, env };
}

export interface PlayedJob {
  readonly trajectories: readonly Trajectory[];
  readonly summary: JobCounts;
}

export async function playJob(
  job: RolloutJob,
  worlds: Worlds,
  agents: Agents,
  signal: AbortSignal,
): Promise<PlayedJob> {
  const { world, env } = await worlds.of(job.env);
  const strategy = statelessStrategy(job.strategy);
  const { agent, release } = await agents.lease(job.agent, world);
  try {
    const result = await play({
      env,
      demonstrator: Object.values(world.demonstrators ?? {})[0],
      agent,
      strategy,
      tasks: [job.task],
      seed: job.seed,
      prefix: job.prefix,
      peers: job.peers,
      episode: job.episode,
      attempts: job.attempts,
      concurrency: job.concurrency,
      signal,
    });
    const { trajectories, episodes, failed, succeeded, spent } = result;
    const steps = trajectories.reduce((total, { steps: own }) => total + own.length, 0);
    const judged = trajectories.filter(({ success }) => success !== null).length;
    const { sampledTokens } = spent;
    return {
      trajectories,
      summary: { trajectories: trajectories.length, episodes, failed, succeeded, judged, steps, sampledTokens },
    };
  } finally {
    release();
  }
}

/** A strategy for jobs that know nothing of each other. */
export function statelessStrategy({ name, options }: RolloutJob["strategy"]): ReturnType<typeof createStrategy> {
  const strategy = createStrategy(name, options);
  const needsPool = strategy.needs.includes("pool");
  if (strategy.save === undefined && !needsPool) return strategy;
  const why = needsPool ? "wants episodes of other runs" : "carries what it has seen from task to task";
  throw new EngineError(
    "needs-unmet",
    `The strategy ${name} ${why}, and tasks of a fleet are played apart. Choose another --strategy, or roll out without --fleet.`,
    { details: { strategy: name } },
  );
}
