/**
 * What a world must tell so that a starting model can be made for it: who knows the way, and what else comes to the mind
 * of one who does not. Everything else (advice, hints, slips, rows of tokens) is the same in all worlds.
 */
import type { Rng, Task } from "limbeck";
import type { Seen } from "limbeck/env";
import type { WorldOptions } from "../../../packages/core/src/env/world.ts";

/** A moment of an episode as a demonstrator judges it. */
export interface Moment {
  /** What one who knows would do. */
  readonly best: string;
  /** What comes to a novice's mind, by weight; the best way is among them. */
  readonly ways: readonly Way[];
}

export interface Way {
  readonly command: string;
  readonly weight: number;
}

export interface Demonstrated {
  /** Called once for every moment, in order, whoever chose the actions. */
  see(seen: Seen): Moment;
}

/** One file of lessons: a copy of the world, and which of its training tasks are played. */
export interface Place {
  readonly options: WorldOptions;
  readonly offset: number;
  readonly count: number;
}

export interface StartingWorld {
  readonly name: string;
  /** How the world is opened where the model is used. */
  readonly options: WorldOptions;
  /** How likely a novice is to see the right way at each kind of decision. */
  readonly chances: Readonly<Record<string, number>>;
  /** Where lessons are taken from: other seeds than the usual ones where a world has them, so that no name is learnt. */
  readonly place: (shard: number) => Place;
  readonly shards: number;
  /** Updates of the training, 48 lessons each. */
  readonly updates: number;
  readonly lessonsPerTask: number;
  /** Longer lessons are left out. */
  readonly mostTokens: number;
  /** Room for the longest answer. */
  readonly answerTokens: number;
  /** Whether any text is an action that can be carried out anywhere. */
  readonly freeText: boolean;
  readonly start: (task: Task, rng: Rng) => Demonstrated;
  /** The actions of a success without what did not matter. */
  readonly essential: (actions: readonly string[]) => readonly string[];
  /** The same command in other words; several wordings, the last one kept back for the card. */
  readonly otherWords: (command: string) => readonly string[];
}

/** The right way with its chance, the others alike; without others the right way alone. */
export function guess(best: string, chance: number, others: readonly string[]): Moment {
  const wrong = [...new Set(others)].filter((command) => command !== best && command !== "");
  if (wrong.length === 0) return { best, ways: [{ command: best, weight: 1 }] };
  const share = (1 - chance) / wrong.length;
  return {
    best,
    ways: [{ command: best, weight: chance }, ...wrong.map((command) => ({ command, weight: share }))],
  };
}
