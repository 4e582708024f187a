/** Success of an agent on fixed tasks, with an interval. */
import { checkOptions, may, resolveOptions } from "limbeck-base/base/options";
import { mean } from "limbeck-base/base/statistics/summary";
import { withoutUndefined } from "limbeck-base/base/fields";
import type { Env } from "../env/env.ts";
import { group } from "../rollout/group.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import type { Agent } from "../walk/mind/agent.ts";
import type { Budget, Spending, TokenPrices } from "../walk/purse.ts";
import type { EpisodeLimits } from "../walk/line/runtime.ts";
import type { Sink } from "../walk/scope.ts";
import { successOf, tally, episodesLost, isSeen, lostWords } from "limbeck-base/trajectory/tally";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";

export interface EvaluateAgentOptions {
  readonly env: Env;
  readonly agent: Agent;
  readonly tasks: readonly Task[];
  /** Everything that is drawn depends on it. */
  readonly seed: number | string;
  /** Episodes of each task. Default: 1. */
  readonly samples?: number;
  /** Stands before the ids of the trajectories. */
  readonly prefix?: string;
  /** Steps of an episode. Default: the world's own limit. */
  readonly maxSteps?: number;
  readonly concurrency?: number;
  /** What all of it may spend. What is not played for want of it is part of no figure. Default: no limits. */
  readonly budget?: Budget;
  /** What tokens cost, for a budget in US dollars. */
  readonly prices?: TokenPrices;
  readonly signal?: AbortSignal;
  /** Where trajectories also go as they finish. */
  readonly sink?: Sink;
  readonly onProgress?: (done: number, total: number) => void;
  /** Milliseconds that only grow. Default: the machine's. */
  readonly now?: () => number;
}

export const EVALUATE_AGENT_CHECKS = {
  seed: may.seed,
  samples: may.count,
  maxSteps: may.count,
  concurrency: may.count,
} as const;

export interface Evaluation {
  /**
   * Share of the seen episodes that were solved, with its 95% Wilson interval. Null, within 0 to 1, where fewer than half
   * were seen.
   */
  readonly success: number | null;
  readonly low: number;
  readonly high: number;
  /** Episodes, seen or lost; with one sample the same as tasks. */
  readonly tasks: number;
  readonly solved: number;
  /** Episodes that were lost (the world, the policy or the judge failed, or there was no more context), and why: they are part of no figure. */
  readonly failed: number;
  readonly causes: Readonly<Record<string, number>>;
  /** Why the first of them was lost, in words. */
  readonly first?: string;
  readonly meanSteps: number;
  /** Share of the actions that the world refused. */
  readonly invalid: number;
}

export interface Evaluated {
  readonly evaluation: Evaluation;
  readonly trajectories: readonly Trajectory[];
  readonly spent: Spending;
}

/**
 * One episode for each task, or `samples` of them.
 *
 * @example
 * import { createHousehold, household } from "limbeck/env";
 *
 * const env = createHousehold({ dial: "tiny" });
 * const tasks = [];
 * for await (const task of env.tasks("valid", { count: 2 })) tasks.push(task);
 * const { agent } = await openAgent({ policy: "expert" }, { id: "household", ...household });
 * const { evaluation } = await evaluateAgent({ env, agent, tasks, seed: 1 });
 * console.log(evaluation.success, evaluation.tasks); // 1 2
 */
export async function evaluateAgent(options: EvaluateAgentOptions): Promise<Evaluated> {
  checkOptions("evaluateAgent", options, EVALUATE_AGENT_CHECKS);
  const { env, agent, tasks, seed, samples = 1, prefix, concurrency, maxSteps, signal, sink, onProgress } = options;
  const { budget, prices, now } = options;
  const episode: EpisodeLimits = maxSteps === undefined ? {} : { steps: maxSteps };
  const { trajectories, spent } = await rollOut({
    env,
    agent,
    tasks,
    strategy: group.create(resolveOptions(group.options, { size: samples }, "group")),
    seed: `${seed} evaluation`,
    episode,
    ...withoutUndefined({ prefix, concurrency, sink, signal, budget, prices, now }),
    ...(onProgress === undefined
      ? {}
      : { onProgress: ({ episodes }: { readonly episodes: number }) => onProgress(episodes, tasks.length * samples) }),
  });
  return { evaluation: summarise(trajectories), trajectories, spent };
}

/**
 * The share of successes with its interval, and how the episodes went.
 *
 * @example
 * const { trajectories } = await rollout({ env: "countdown", policy: "expert", tasks: 2, group: 1 });
 * const { success, solved, meanSteps } = summarise(trajectories);
 * console.log(success, solved, meanSteps); // 1 2 1
 */
export function summarise(trajectories: readonly Trajectory[]): Evaluation {
  const counts = tally(trajectories);
  const seen = trajectories.filter(isSeen);
  return {
    ...successOf(counts),
    tasks: counts.seen + counts.lost,
    solved: counts.solved,
    failed: counts.lost,
    causes: counts.causes,
    ...(counts.first === undefined ? {} : { first: counts.first }),
    meanSteps: mean(seen.map((trajectory) => trajectory.steps.length)),
    invalid: invalidShare(seen),
  };
}

/**
 * The share of successes, where the work cannot go on without one.
 *
 * @example
 * console.log(figureOf(await evaluate({ env: "countdown", policy: "expert", tasks: 2 }), "The expert")); // 1
 */
export function figureOf({ success, tasks, failed, causes, first }: Evaluation, what: string): number {
  if (success !== null) return success;
  const counts = { seen: tasks - failed, lost: failed, causes, first };
  throw episodesLost(`${what} has no figure`, counts, "At least half must be seen: mend the cause and run it again.");
}

/** "0.412 [0.343, 0.485] of 180 of 200 tasks; 20 lost: server-full 20", or that there is no figure. */
export function evaluationWords({ success, low, high, tasks, failed: lost, causes }: Evaluation): string {
  const figure = success === null ? "no figure:" : `${success.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}] of`;
  const count = (value: number): string => value.toLocaleString("en-GB");
  const all = `${count(tasks)} ${tasks === 1 ? "task" : "tasks"}`;
  if (lost === 0) return `${figure} ${all}`;
  return `${figure} ${count(tasks - lost)} of ${all}${success === null ? " seen" : ""}; ${lostWords({ lost, causes })}`;
}

/** Share of the actions that the world refused; 0 when there were none. */
export function invalidShare(trajectories: readonly Trajectory[]): number {
  const steps = trajectories.flatMap((trajectory) => trajectory.steps);
  return steps.length === 0 ? 0 : steps.filter(({ valid }) => !valid).length / steps.length;
}
