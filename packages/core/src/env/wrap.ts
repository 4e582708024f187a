/** What every wrapper is made of: an environment or an episode that forwards all it does not change. */
import type { Env, Episode } from "./env.ts";

/**
 * The same environment with other episodes; `wrap` receives each newly opened one.
 *
 * @example
 * import { wrapEpisode } from "limbeck/env";
 *
 * const env = wrapEnv(await openEnv("countdown"), (episode) => {
 *   return wrapEpisode(episode, { observation: "Think first.", fork: () => episode.fork() });
 * });
 * for await (const task of env.tasks("train", { count: 1 })) console.log((await env.open(task)).observation); // Think first.
 */
export function wrapEnv(inner: Env, wrap: (episode: Episode) => Episode, changes: Partial<Env> = {}): Env {
  return {
    id: inner.id,
    summary: inner.summary,
    maxSteps: inner.maxSteps,
    splits: inner.splits,
    ...(inner.demonstrators === undefined ? {} : { demonstrators: inner.demonstrators }),
    ...(inner.procedure === undefined ? {} : { procedure: inner.procedure }),
    tasks: (split, options) => inner.tasks(split, options),
    open: async (task, options) => wrap(await inner.open(task, options)),
    ...changes,
  };
}

/**
 * The same episode with some members replaced. Getters among the changes stay live; `fork` must always be given.
 *
 * @example
 * const env = await openEnv("countdown");
 * for await (const task of env.tasks("train", { count: 1 })) {
 *   const inner = await env.open(task);
 *   const episode = wrapEpisode(inner, { observation: "Guess.", fork: () => inner.fork() });
 *   console.log(episode.observation, episode.task.env); // Guess. countdown
 * }
 */
export function wrapEpisode(inner: Episode, changes: Partial<Episode> & Pick<Episode, "fork">): Episode {
  const forward: Omit<Episode, "fork"> = {
    get task() {
      return inner.task;
    },
    get observation() {
      return inner.observation;
    },
    get stateKey() {
      return inner.stateKey;
    },
    get ending() {
      return inner.ending;
    },
    get reward() {
      return inner.reward;
    },
    get success() {
      return inner.success;
    },
    get failure() {
      return inner.failure;
    },
    get tools() {
      return inner.tools;
    },
    get request() {
      return inner.request;
    },
    get irreversible() {
      return inner.irreversible;
    },
    admissible: () => inner.admissible(),
    step: (action, options) => inner.step(action, options),
    close: () => inner.close(),
  };
  return Object.defineProperties(forward, Object.getOwnPropertyDescriptors(changes)) as Episode;
}
