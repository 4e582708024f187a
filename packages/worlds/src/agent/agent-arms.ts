/** The arms of a lift test on a user's own agent: its program is run with one text or another in its prompt. */
import { mapLimit } from "limbeck-base/base/concurrency";
import { errorCode } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { checkOptions, may } from "limbeck-base/base/options";
import { rememberArms, type RunArm } from "limbeck-core/eval/lift/arms";
import { textOpening } from "limbeck-core/skill/injection";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { runOwnAgent } from "./agent-world.ts";
import type { AgentProgramOptions } from "./program.ts";

/** What one run took. */
export interface AgentSpent {
  readonly ms: number;
  /** Where the program wrote it into the file of its outcome. */
  readonly costUsd?: number;
  /** The end of what it printed. */
  readonly printed?: string;
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
  return rememberArms(async (tasks, textFor, { trial = 1, onOutcome } = {}) => {
    const opening = textOpening(textFor);
    const one = async (task: Task, _: number, stop: AbortSignal): Promise<number | null> => {
      let success: number | null = null;
      let lost: Error | undefined;
      let cost: Omit<AgentSpent, "ms"> = {};
      const started = performance.now();
      try {
        const tried = { ...task, seed: task.seed + trial - 1, goal: opening(task.goal, task) };
        const verdict = await runOwnAgent(tried, { ...program, timeoutMs }, stop);
        cost = withoutUndefined({ costUsd: verdict.costUsd, printed: verdict.printed });
        success = verdict.success === null ? null : Number(verdict.success);
      } catch (error) {
        if (errorCode(error) !== "env-lost") throw error;
        lost = error as Error;
      }
      onOutcome?.(task, success);
      onRun?.(task, success, lost, { ms: performance.now() - started, ...cost });
      return success;
    };
    return await mapLimit(tasks, concurrency, one, withoutUndefined({ signal }));
  });
}
