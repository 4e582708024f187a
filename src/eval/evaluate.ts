/** Success of an agent on fixed tasks, with an interval. */
import { mean, wilson } from "../base/index.ts";
import type { Env } from "../env/index.ts";
import { createStrategy, rollOut, type Agent, type EpisodeLimits, type Sink, type Spending } from "../rollout/index.ts";
import type { Task, Trajectory } from "../trajectory/index.ts";

export interface EvaluateOptions {
  readonly env: Env;
  readonly agent: Agent;
  readonly tasks: readonly Task[];
  /** Everything that is drawn depends on it. */
  readonly seed: number | string;
  /** Episodes of each task; 1 unless told. */
  readonly samples?: number;
  /** Stands before the ids of the trajectories. */
  readonly prefix?: string;
  /** Steps of an episode; the world's own limit unless told. */
  readonly maxSteps?: number;
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  /** Where trajectories also go as they finish. */
  readonly sink?: Sink;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface Evaluation {
  /** Share of the episodes that were solved, with its 95% Wilson interval. */
  readonly success: number;
  readonly low: number;
  readonly high: number;
  /** Episodes; with one sample the same as tasks. */
  readonly tasks: number;
  readonly solved: number;
  /** Episodes that were lost (the world or the policy failed). They count as tasks that were not solved. */
  readonly failed: number;
  readonly meanSteps: number;
  /** Share of the actions that the world refused. */
  readonly invalid: number;
}

export interface Evaluated {
  readonly evaluation: Evaluation;
  readonly trajectories: readonly Trajectory[];
  readonly spent: Spending;
}

/** One episode for each task, or `samples` of them. */
export async function evaluate(options: EvaluateOptions): Promise<Evaluated> {
  const { env, agent, tasks, seed, samples = 1, prefix, concurrency, maxSteps, signal, sink, onProgress } = options;
  const episode: EpisodeLimits = maxSteps === undefined ? {} : { steps: maxSteps };
  const { trajectories, spent } = await rollOut({
    env,
    agent,
    tasks,
    strategy: createStrategy("group", { size: samples }),
    seed: `${seed} evaluation`,
    episode,
    ...(prefix === undefined ? {} : { prefix }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(sink === undefined ? {} : { sink }),
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined
      ? {}
      : { onProgress: ({ episodes }: { readonly episodes: number }) => onProgress(episodes, tasks.length * samples) }),
  });
  return { evaluation: summarise(trajectories), trajectories, spent };
}

export function summarise(trajectories: readonly Trajectory[]): Evaluation {
  const solved = trajectories.filter(({ success }) => success === true).length;
  return {
    success: trajectories.length === 0 ? Number.NaN : solved / trajectories.length,
    ...wilson(solved, trajectories.length),
    tasks: trajectories.length,
    solved,
    failed: trajectories.filter(({ ending }) => ending === "failed").length,
    meanSteps: mean(trajectories.map((trajectory) => trajectory.steps.length)),
    invalid: invalidShare(trajectories),
  };
}

/** Share of the actions that the world refused; 0 when there were none. */
export function invalidShare(trajectories: readonly Trajectory[]): number {
  const steps = trajectories.flatMap((trajectory) => trajectory.steps);
  return steps.length === 0 ? 0 : steps.filter(({ valid }) => !valid).length / steps.length;
}
