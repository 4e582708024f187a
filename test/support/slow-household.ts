/**
 * Household errands behind a slow connection: every step waits, so that a training takes hours and little of a processor.
 * How long a step waits is drawn anew in every process: what is learned must not depend on it.
 */
import { setTimeout } from "node:timers/promises";
import { option, type Env, type Episode, defineWorld, openEnv } from "limbeck";

type Wait = (signal?: AbortSignal) => Promise<void>;

export default defineWorld({
  id: "slow-household",
  info: { title: "Slow household", meaning: "Household errands whose steps take a while." },
  options: {
    dial: option.text("tiny", "size of the homes"),
    waitMs: option.number(1000, "mean milliseconds of a step, from half of it to half more", { least: 0 }),
  },
  create: async ({ dial, waitMs }): Promise<Env> => {
    const env = await openEnv("household", { dial });
    const wait: Wait = async (signal) => {
      await setTimeout(waitMs * (0.5 + Math.random()), undefined, signal === undefined ? {} : { signal });
    };
    return { ...env, open: async (task, options) => slowed(await env.open(task, options), wait) };
  },
});

function slowed(episode: Episode, wait: Wait): Episode {
  return {
    task: episode.task,
    get observation() {
      return episode.observation;
    },
    get stateKey() {
      return episode.stateKey;
    },
    get ending() {
      return episode.ending;
    },
    get reward() {
      return episode.reward;
    },
    get success() {
      return episode.success;
    },
    admissible: () => episode.admissible(),
    step: async (action, options) => {
      await wait(options?.signal);
      return await episode.step(action, options);
    },
    fork: async () => slowed(await episode.fork(), wait),
    close: async () => await episode.close(),
  };
}
