/** The arms of a lift test: the same tasks with the same seeds, and one text or another in the prompt. */
import { checkOptions, may } from "../../base/options.ts";
import { errorCode } from "../../base/errors.ts";
import { mapLimit } from "../../base/concurrency.ts";
import { withoutUndefined } from "../../base/fields.ts";
import type { Env } from "../../env/env.ts";
import type { Agent } from "../../walk/mind/agent.ts";
import type { Task, Trajectory } from "../../trajectory/trajectory.ts";
import { evaluateAgent } from "../evaluate.ts";
import { runOwnAgent } from "../../env/agent/agent-world.ts";
import type { AgentProgramOptions } from "../../env/agent/program.ts";
import { textOpening } from "../../skill/injection.ts";

/** Success of each task, in order: 1, 0, or null where the episode was lost or success is unknown. */
export type RunArm = (
  tasks: readonly Task[],
  textFor: (task: Task) => string | undefined,
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
  const { env, agentWith, seed, maxSteps, concurrency, signal, onEpisode } = options;
  return rememberArms(async (tasks, textFor) => {
    const { trajectories } = await evaluateAgent({
      env,
      agent: agentWith(textFor),
      tasks,
      seed,
      ...withoutUndefined({ maxSteps, concurrency, signal }),
    });
    const outcomes = new Map<string, number | null>();
    for (const trajectory of trajectories) {
      onEpisode?.(trajectory);
      outcomes.set(trajectory.task.id, successOf(trajectory));
    }
    return tasks.map(({ id }) => outcomes.get(id) ?? null);
  });
}

/** The same arm, which runs nothing again that it has run with the same text. */
export function rememberArms(run: RunArm): RunArm {
  const known = new Map<string, number | null>();
  return async (tasks, textFor) => {
    const keyOf = (task: Task): string => JSON.stringify([task.id, textFor(task) ?? null]);
    const fresh = tasks.filter((task) => !known.has(keyOf(task)));
    const outcomes = fresh.length === 0 ? [] : await run(fresh, textFor);
    for (const [at, task] of fresh.entries()) known.set(keyOf(task), outcomes[at] ?? null);
    return tasks.map((task) => known.get(keyOf(task)) ?? null);
  };
}

/** A lost episode is no failure of the text. */
function successOf({ success, ending }: Trajectory): number | null {
  if (ending === "failed" || success === null) return null;
  return success ? 1 : 0;
}

// The arms of a lift test on a user's own agent: its program is run with one text or another in its prompt.

/** What one run took. */
export interface AgentSpent {
  readonly ms: number;
  /** Where the program wrote it into the file of its outcome. */
  readonly costUsd?: number;
}

export interface AgentArmOptions extends AgentProgramOptions {
  /** Time of a whole run. Default: 10 minutes. */
  readonly timeoutMs?: number;
  /** Runs at the same time. Default: 1. */
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  /** Hears of every run: 1, 0, or null where it was lost, and then why. */
  readonly onRun?: (task: Task, success: number | null, lost: Error | undefined, spent: AgentSpent) => void;
}

export const AGENT_ARM_CHECKS = { timeoutMs: may.positive, concurrency: may.count } as const;
const MINUTES_10 = 600_000;

/**
 * The program asks the model that it has, with its own tools and keys; what a task's prompt gets stands behind its goal. A run that
 * is lost is no failure of the text. For `measureLift`.
 *
 * @example
 * const task = { id: "1", env: "own", seed: 1, goal: "Code of Rome?", split: "valid", data: { answer: "RR" } };
 * const program = "process.stdout.write(process.argv[1].includes('first letter twice') ? 'RR' : 'no idea')";
 * const run = createAgentArms({ command: process.execPath, args: ["-e", program, "{prompt}"] });
 * console.log(await run([task], () => undefined), await run([task], () => "A code is the first letter twice.")); // [ 0 ] [ 1 ]
 */
export function createAgentArms(options: AgentArmOptions): RunArm {
  checkOptions("createAgentArms", options, AGENT_ARM_CHECKS);
  const { concurrency = 1, signal, onRun, timeoutMs = MINUTES_10, ...program } = options;
  return rememberArms(async (tasks, textFor) => {
    const opening = textOpening(textFor);
    const one = async (task: Task, _: number, stop: AbortSignal): Promise<number | null> => {
      let success: number | null = null;
      let lost: Error | undefined;
      let cost: Pick<AgentSpent, "costUsd"> = {};
      const started = performance.now();
      try {
        const verdict = await runOwnAgent({ ...task, goal: opening(task.goal, task) }, { ...program, timeoutMs }, stop);
        cost = withoutUndefined({ costUsd: verdict.costUsd });
        success = verdict.success === null ? null : Number(verdict.success);
      } catch (error) {
        if (errorCode(error) !== "env-lost") throw error;
        lost = error as Error;
      }
      onRun?.(task, success, lost, { ms: performance.now() - started, ...cost });
      return success;
    };
    return await mapLimit(tasks, concurrency, one, withoutUndefined({ signal }));
  });
}
