/**
 * An agent that sees badly: a share of the words of every observation is lost or garbled. What is done to a word depends
 * on the task, the step and the word's place, so that the same episode is always seen the same way; the world itself,
 * its rewards and the accepted actions stay as they are. The opening is clear: it names the goal.
 */
import { createRng } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import type { Env, Episode, StepResult } from "./env.ts";
import { wrapEnv, wrapEpisode } from "./wrap.ts";

export interface NoiseOptions {
  /** Share of the words that are changed, from 0 to 1. */
  readonly share: number;
  readonly seed: string;
}

/** Of the changed words, so many are lost; the letters of the others are turned around. */
const LOST = 0.5;

/**
 * The same world, seen badly.
 *
 * @example
 * const env = withNoisyObservations(await openEnv("household"), { share: 1, seed: "fog" });
 * for await (const task of env.tasks("train", { count: 1 })) {
 *   const episode = await env.open(task);
 *   console.log((await episode.step("inventory")).observation); // ... era ton ... .gnihtyna
 * }
 */
export function withNoisyObservations(env: Env, options: NoiseOptions): Env {
  const { share } = options;
  if (!(share >= 0 && share <= 1)) {
    throw new EngineError("bad-option", `A share of ${share} of the words cannot be changed; give 0 to 1.`);
  }
  return wrapEnv(env, (episode) => noisyEpisode(episode, options, 0));
}

function noisyEpisode(inner: Episode, options: NoiseOptions, taken: number): Episode {
  let steps = taken;
  const seen = (text: string): string => (steps === 0 ? text : noisyText(text, options, `${inner.task.id} ${steps}`));
  return wrapEpisode(inner, {
    get observation() {
      return seen(inner.observation);
    },
    step: async (action, stepOptions): Promise<StepResult> => {
      const result = await inner.step(action, stepOptions);
      steps += 1;
      return { ...result, observation: seen(result.observation) };
    },
    fork: async () => noisyEpisode(await inner.fork(), options, steps),
  });
}

export function noisyText(text: string, { share, seed }: NoiseOptions, label: string): string {
  const rng = createRng(seed).split(label);
  // White space is kept as it is: lines carry meaning.
  return text.replace(/\S+/g, (word) => {
    const [hit, lost] = [rng.float() < share, rng.float() < LOST];
    if (!hit) return word;
    return lost ? "..." : Array.from(word).toReversed().join("");
  });
}
