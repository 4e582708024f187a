/** Ends an episode as truncated after a number of steps. A world's own, lower limit stays in force. */
import { EngineError } from "limbeck-base/base/errors";
import type { Env, Episode, StepResult } from "./env.ts";
import { episodeEnded } from "./episode-error.ts";
import { wrapEnv, wrapEpisode } from "./wrap.ts";

export interface TimeLimitOptions {
  /**
   * What an episode that ran out of steps undecided says about success: false (the goal was not reached in time), or
   * null for worlds that cannot judge.
   */
  readonly successAtLimit?: false | null;
}

/**
 * The same world, with fewer steps.
 *
 * @example
 * import { household } from "limbeck/env";
 *
 * const env = withTimeLimit(await openEnv("household"), 3);
 * const { agent } = await openAgent({ policy: "expert" }, { id: "household", ...household });
 * console.log((await evaluate({ env, policy: agent, tasks: 1 })).meanSteps); // 3
 */
export function withTimeLimit(env: Env, maxSteps: number, options: TimeLimitOptions = {}): Env {
  if (!(Number.isInteger(maxSteps) && maxSteps >= 1)) {
    throw new EngineError("bad-limit", `A time limit of ${maxSteps} steps is not a whole number of at least 1.`);
  }
  const undecided = options.successAtLimit === undefined ? false : options.successAtLimit;
  const limit = (inner: Episode, taken: number): Episode => {
    let count = taken;
    const spent = (): boolean => inner.ending === undefined && count >= maxSteps;
    const success = (): boolean | null => (spent() ? (inner.success ?? undecided) : inner.success);
    return wrapEpisode(inner, {
      get ending() {
        return spent() ? "truncated" : inner.ending;
      },
      get success() {
        return success();
      },
      admissible: () => (spent() && inner.admissible() !== undefined ? [] : inner.admissible()),
      step: async (action, stepOptions): Promise<StepResult> => {
        if (spent()) throw episodeEnded(inner.task, "truncated");
        const result = await inner.step(action, stepOptions);
        count += 1;
        return spent() ? { ...result, ending: "truncated", success: success() } : result;
      },
      fork: async () => limit(await inner.fork(), count),
    });
  };
  return wrapEnv(env, (episode) => limit(episode, 0), { maxSteps: Math.min(maxSteps, env.maxSteps) });
}
