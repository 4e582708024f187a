/** Takes a fixed amount off the reward of every step whose action was not valid. Unscored steps stay unscored. */
import { scored } from "limbeck-base/trajectory/score";
import type { Score } from "limbeck-base/trajectory/trajectory";
import type { Env, Episode } from "./env.ts";
import { wrapEnv, wrapEpisode } from "./wrap.ts";

/** 0.1 is what OPID takes in ALFWorld and WebShop. */
const USUAL_PENALTY = 0.1;

/**
 * The same world, in which an action that it does not understand costs something. Default: 0.1.
 *
 * @example
 * const env = withInvalidActionPenalty(await openEnv("household"), 0.5);
 * for await (const task of env.tasks("train", { count: 1 })) {
 *   const episode = await env.open(task);
 *   console.log((await episode.step("fly away")).reward); // { kind: "scored", value: -0.5 }
 * }
 */
export function withInvalidActionPenalty(env: Env, penalty: number = USUAL_PENALTY): Env {
  const punish = (inner: Episode, before: number): Episode => {
    let invalid = before;
    return wrapEpisode(inner, {
      get reward() {
        return less(inner.reward, invalid * penalty);
      },
      step: async (action, options) => {
        const result = await inner.step(action, options);
        if (result.valid) return result;
        invalid += 1;
        return { ...result, reward: less(result.reward, penalty) };
      },
      fork: async () => punish(await inner.fork(), invalid),
    });
  };
  return wrapEnv(env, (episode) => punish(episode, 0));
}

function less(score: Score, amount: number): Score {
  return score.kind === "scored" ? scored(score.value - amount) : score;
}
