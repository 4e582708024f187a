/** Success of an agent on fixed tasks, with an interval. */
import { mean, wilson } from "../base/index.ts";
import type { Env } from "../env/index.ts";
import { createStrategy, rollOut, type Agent } from "../rollout/index.ts";
import type { Task, Trajectory } from "../trajectory/index.ts";

export interface EvaluateOptions {
  readonly env: Env;
  readonly agent: Agent;
  readonly tasks: readonly Task[];
  /** Everything that is drawn depends on it. */
  readonly seed: number | string;
  /** Stands before the ids of the trajectories. */
  readonly prefix?: string;
  /** Steps of an episode; the world's own limit unless told. */
  readonly maxSteps?: number;
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface Evaluation {
  /** Share of the tasks that were solved, with its 95% Wilson interval. */
  readonly success: number;
  readonly low: number;
  readonly high: number;
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
}

/** One episode for each task. */
export async function evaluate(options: EvaluateOptions): Promise<Evaluated> {
  const { env, agent, tasks, seed, prefix, concurrency, maxSteps, signal, onProgress } = options;
  const { trajectories } = await rollOut({
    env,
    agent,
    tasks,
    strategy: createStrategy("group", { size: 1 }),
    seed: `${seed} evaluation`,
    ...(prefix === undefined ? {} : { prefix }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(maxSteps === undefined ? {} : { episode: { steps: maxSteps } }),
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined
      ? {}
      : { onProgress: ({ episodes }: { readonly episodes: number }) => onProgress(episodes, tasks.length) }),
  });
  return { evaluation: summarise(trajectories), trajectories };
}

export function summarise(trajectories: readonly Trajectory[]): Evaluation {
  const solved = trajectories.filter(({ success }) => success === true).length;
  const steps = trajectories.flatMap((trajectory) => trajectory.steps);
  return {
    success: trajectories.length === 0 ? Number.NaN : solved / trajectories.length,
    ...wilson(solved, trajectories.length),
    tasks: trajectories.length,
    solved,
    failed: trajectories.filter(({ ending }) => ending === "failed").length,
    meanSteps: mean(trajectories.map((trajectory) => trajectory.steps.length)),
    invalid: steps.length === 0 ? 0 : steps.filter(({ valid }) => !valid).length / steps.length,
  };
}
