/**
 * A learner that takes seconds: it chooses among the actions that a world lists, by a linear model over pairs of a word of what
 * it sees and a word of what it could do. Worlds, rewards and credit are the engine's own; only the model is small.
 */
import type { Rng } from "../../../packages/base/src/base/rng.ts";
import { scored } from "../../../packages/base/src/trajectory/score.ts";
import type { Step, Task, Trajectory } from "../../../packages/base/src/trajectory/trajectory.ts";
import type { Env, Episode } from "../../../packages/core/src/env/env.ts";

/** What a chooser looks at: words of the situation, and words of each action. */
export interface Reading {
  readonly context: (task: Task, observation: string, before: readonly string[]) => readonly string[];
  readonly action: (action: string, task: Task, before: readonly string[]) => readonly string[];
}

const PLACES = 2 ** 16;
export type Weights = Float64Array;
export const noWeights = (): Weights => new Float64Array(PLACES);

/** The places of each listed action's pairs, which one was taken, and with what chances. */
export interface Choice {
  readonly places: readonly Int32Array[];
  readonly taken: number;
  readonly chances: Float64Array;
}

export interface Played {
  readonly trajectory: Trajectory;
  /** Of each step: none where another chose it, several where an action is put together. */
  readonly choices: readonly (readonly Choice[])[];
}

const hashes = new Map<string, number>();
function hashOf(word: string): number {
  const known = hashes.get(word);
  if (known !== undefined) return known;
  let hash = 2_166_136_261;
  for (let at = 0; at < word.length; at += 1) hash = Math.imul(hash ^ word.charCodeAt(at), 16_777_619);
  hashes.set(word, hash);
  return hash;
}

export function placesOf(context: readonly string[], action: readonly string[]): Int32Array {
  const left = [0x9e37, ...context.map(hashOf)];
  const places = new Int32Array(left.length * action.length);
  let at = 0;
  for (const word of action) {
    const right = Math.imul(hashOf(word), 0x85ebca6b);
    for (const other of left) {
      const mixed = Math.imul(right ^ other, 0xc2b2ae35);
      places[at++] = (mixed ^ (mixed >>> 15)) & (PLACES - 1);
    }
  }
  return places;
}

export function chancesOf(weights: Weights, places: readonly Int32Array[], temperature = 1): Float64Array {
  const scores = Float64Array.from(places, (own) => own.reduce((sum, place) => sum + (weights[place] as number), 0) / temperature); // prettier-ignore
  const most = scores.reduce((one, other) => Math.max(one, other), Number.NEGATIVE_INFINITY);
  const powers = scores.map((score) => Math.exp(score - most));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

export function drawn(chances: Float64Array, rng: Rng): number {
  let rest = rng.float();
  const at = chances.findIndex((chance) => (rest -= chance) < 0);
  return at < 0 ? chances.length - 1 : at;
}

/** Adds to the weights what makes what was taken likelier by so much. */
export function push(weights: Weights, { places, taken, chances }: Choice, amount: number): void {
  for (const [at, own] of places.entries()) {
    const share = amount * (Number(at === taken) - (chances[at] as number));
    if (share !== 0) for (const place of own) weights[place] = (weights[place] as number) + share;
  }
}

/** What another imposes on the first steps; undefined: the chooser goes on from there. */
export type Guide = (episode: Episode, before: readonly string[]) => string | undefined;

export interface Playing {
  readonly env: Env;
  readonly weights: Weights;
  readonly reading: Reading;
  readonly rng: Rng;
  readonly temperature?: number;
  readonly guide?: Guide;
  /** Called in front of every step. */
  readonly look?: (episode: Episode) => Promise<void>;
}

/** One episode, to its end. */
export async function play(task: Task, name: string, playing: Playing): Promise<Played> {
  const { env, weights, reading, rng, temperature, look } = playing;
  let { guide } = playing;
  const episode = await env.open(task);
  const steps: Step[] = [];
  const choices: (readonly Choice[])[] = [];
  const before: string[] = [];
  while (episode.ending === undefined) {
    await look?.(episode);
    const { observation, stateKey } = episode;
    const imposed = guide?.(episode, before);
    if (imposed === undefined) guide = undefined;
    let action = imposed;
    if (action === undefined) {
      const listed = episode.admissible() ?? [];
      const context = reading.context(task, observation, before);
      const places = listed.map((one) => placesOf(context, reading.action(one, task, before)));
      const chances = chancesOf(weights, places, temperature);
      const taken = drawn(chances, rng);
      action = listed[taken] ?? "";
      choices.push([{ places, taken, chances }]);
    } else choices.push([]);
    const { valid, reward, info } = await episode.step(action);
    steps.push({ index: steps.length, observation, stateKey, action, valid, reward, ...(info === undefined ? {} : { info }) }); // prettier-ignore
    before.push(action);
  }
  const { success, ending, reward, observation } = episode;
  await episode.close();
  const trajectory: Trajectory = {
    id: name,
    task,
    group: task.id,
    steps,
    streams: [],
    ending,
    reward: reward.kind === "scored" ? reward : scored(0),
    success,
    rewards: [],
    policy: { name: "chooser" },
    closing: { observation },
  };
  return { trajectory, choices };
}
