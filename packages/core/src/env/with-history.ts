/**
 * Puts the last few turns before the observation, for policies that see one prompt per step.
 *
 * The world is the same, so state keys do not change.
 */
import { EngineError } from "limbeck-base/base/errors";
import type { Env, Episode } from "./env.ts";
import { wrapEnv, wrapEpisode } from "./wrap.ts";

export interface Turn {
  /** Position in the episode, from 1, as a reader counts. */
  readonly number: number;
  /** What was seen before the action, without history. */
  readonly observation: string;
  readonly action: string;
}

export interface HistoryOptions {
  /** How many of the latest turns are shown. */
  readonly turns: number;
  readonly format?: (turns: readonly Turn[], observation: string) => string;
}

/**
 * The same world with the last turns before every observation.
 *
 * @example
 * const env = withHistory(await openEnv("household"), { turns: 1, format: ([turn], now) => `${turn?.action}, then: ${now}` });
 * for await (const task of env.tasks("train", { count: 1 })) {
 *   const episode = await env.open(task);
 *   console.log((await episode.step("inventory")).observation); // inventory, then: You are not carrying anything.
 * }
 */
export function withHistory(env: Env, options: HistoryOptions): Env {
  const { turns: length, format = plainHistory } = options;
  if (!(Number.isInteger(length) && length >= 0)) {
    throw new EngineError("bad-history", `A history of ${length} turns is not a whole number of at least 0.`);
  }
  const remember = (inner: Episode, before: readonly Turn[], count: number): Episode => {
    let turns = before;
    let taken = count;
    const shown = (observation: string): string => (turns.length === 0 ? observation : format(turns, observation));
    return wrapEpisode(inner, {
      get observation() {
        return shown(inner.observation);
      },
      step: async (action, stepOptions) => {
        const observation = inner.observation;
        const result = await inner.step(action, stepOptions);
        taken += 1;
        turns = length === 0 ? [] : [...turns, { number: taken, observation, action }].slice(-length);
        return { ...result, observation: shown(result.observation) };
      },
      fork: async () => remember(await inner.fork(), turns, taken),
    });
  };
  return wrapEnv(env, (episode) => remember(episode, [], 0));
}

function plainHistory(turns: readonly Turn[], observation: string): string {
  const past = turns.map((turn) => `Step ${turn.number}\nYou saw: ${turn.observation}\nYou did: ${turn.action}`);
  return `${past.join("\n\n")}\n\nNow\n${observation}`;
}
