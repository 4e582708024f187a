/** The arms of a lift test: the same tasks with the same seeds, and one text or another in the prompt. */
import { checkOptions, may } from "limbeck-base/base/options";
import { withoutUndefined } from "limbeck-base/base/fields";
import type { Env } from "../../env/env.ts";
import type { Agent } from "../../walk/mind/agent.ts";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import type { Budget, Spending, TokenPrices } from "../../walk/purse.ts";
import { evaluateAgent } from "../evaluate.ts";

/** With nothing, with text that says nothing, with the skill. */
export const ARMS = ["bare", "placebo", "skill"] as const;
export type Arm = (typeof ARMS)[number];

/** Which arm is run, and the how manieth trial of each task this is, from 1. */
export interface ArmCall {
  readonly arm: Arm;
  readonly trial: number;
  /** Gets each outcome as soon as it is there, so that nothing that was paid for is lost. */
  readonly onOutcome?: (task: Task, success: number | null) => void;
}

/** Success of each task, in order: 1, 0, or null where the episode was lost or success is unknown. */
export type RunArm = (
  tasks: readonly Task[],
  textFor: (task: Task) => string | undefined,
  call?: Partial<ArmCall>,
) => Promise<(number | null)[]>;

export interface ArmOptions {
  readonly env: Env;
  /** The agent that gets these texts. */
  readonly agentWith: (textFor: (task: Task) => string | undefined) => Agent;
  readonly seed: number | string;
  readonly maxSteps?: number;
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  /** Hears of every episode that was really run. */
  readonly onEpisode?: (trajectory: Trajectory) => void;
  /** What may still be spent, asked before each call; `onSpent` gets what it took. Default: no limits. */
  readonly budget?: () => Budget;
  readonly onSpent?: (spent: Spending) => void;
  /** For a budget in US dollars. */
  readonly prices?: TokenPrices;
}

export const ARM_CHECKS = { seed: may.seed, maxSteps: may.count, concurrency: may.count } as const;

/**
 * What was run once with the same text is not run again: the arm without a skill is shared by all skills.
 *
 * @example
 * import { datasetEnv } from "limbeck/eval";
 * import { createScriptedPolicy, plainDialect } from "limbeck/policy";
 * import { createTokenAgent } from "limbeck/search";
 *
 * const env = datasetEnv([{ id: "q1", prompt: "What is 2 + 2?", answer: "4" }]);
 * const run = createArms({
 *   env,
 *   seed: 1,
 *   agentWith: () => {
 *     const policy = createScriptedPolicy({ script: () => "It is 4." });
 *     return createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer) });
 *   },
 * });
 * for await (const task of env.tasks("all")) console.log(await run([task], () => "Count on your fingers.")); // [ 1 ]
 */
export function createArms(options: ArmOptions): RunArm {
  checkOptions("createArms", options, ARM_CHECKS);
  const { env, agentWith, seed, maxSteps, concurrency, signal, onEpisode, budget, onSpent, prices } = options;
  return rememberArms(async (tasks, textFor, { trial = 1, onOutcome } = {}) => {
    const outcomes = new Map<string, number | null>();
    const append = (trajectory: Trajectory): Promise<void> => {
      const success = successOf(trajectory);
      onEpisode?.(trajectory);
      outcomes.set(trajectory.task.id, success);
      onOutcome?.(trajectory.task, success);
      return Promise.resolve();
    };
    const { spent } = await evaluateAgent({
      env,
      agent: agentWith(textFor),
      tasks,
      seed: trialSeed(seed, trial),
      sink: { append },
      ...withoutUndefined({ maxSteps, concurrency, signal, prices, budget: budget?.() }),
    });
    onSpent?.(spent);
    return tasks.map(({ id }) => outcomes.get(id) ?? null);
  });
}

/** The same arm, which runs nothing again that it has run with the same text. */
export function rememberArms(run: RunArm): RunArm {
  const known = new Map<string, number | null>();
  return async (tasks, textFor, call) => {
    const keyOf = (task: Task): string => JSON.stringify([task.id, call?.trial ?? 1, textFor(task) ?? null]);
    const fresh = tasks.filter((task) => !known.has(keyOf(task)));
    const outcomes = fresh.length === 0 ? [] : await run(fresh, textFor, call);
    for (const [at, task] of fresh.entries()) known.set(keyOf(task), outcomes[at] ?? null);
    return tasks.map((task) => known.get(keyOf(task)) ?? null);
  };
}

/** Of the first trial the seed itself. */
export function trialSeed(seed: number | string, trial: number): number | string {
  return trial === 1 ? seed : `${seed} trial ${trial}`;
}

/** A lost episode is no failure of the text. */
function successOf({ success, ending }: Trajectory): number | null {
  if (ending === "failed" || success === null) return null;
  return success ? 1 : 0;
}
