/** The worlds whose models learn from players with mistakes, and what the models follow from. A change here is another model. */
import type { WorldOptions } from "../../../packages/core/src/env/world.ts";
import type { BundledModelName } from "../../../packages/policy/src/policy/starts.ts";
import { archivePlayers, talkPlayers, type PlayersOf } from "./players.ts";

export interface MistakenWorld {
  /** How the world is opened. */
  readonly options: WorldOptions;
  readonly players: PlayersOf;
  /** The bundled model that it goes on from, with its words. Default: new weights of so many layers, and words of the world. */
  readonly base?: BundledModelName;
  readonly layers?: number;
  /** Of the lessons with mistakes: those by one who makes none after all, and with advice that is followed. */
  readonly careful: number;
  readonly advised: number;
  readonly learningRate: number;
  /** Longer lessons are left out: those who wander without end teach nothing more. */
  readonly mostSteps: number;
  readonly mostTokens: number;
}

export const mistakenWorlds: Readonly<Record<string, MistakenWorld>> = {
  talk: {
    options: { level: "small" },
    players: talkPlayers,
    base: "research",
    careful: 0.8,
    advised: 0,
    learningRate: 1e-3,
    mostSteps: 16,
    mostTokens: 640,
  },
  archive: {
    options: { size: "tiny" },
    players: archivePlayers,
    layers: 6,
    careful: 0.15,
    advised: 0.15,
    learningRate: 2e-3,
    mostSteps: 20,
    mostTokens: 1_400,
  },
};

export const making = {
  seed: 7,
  /** Of those with advice: the plan of another task, and a hint before one decision. */
  wrong: 0.15,
  hint: 0.25,
  /** Of the decisions of lessons in what is right: those that slip, and are not learnt. */
  slips: 0.25,
  vocabularySize: 1_024,
  wordLessons: 1_500,
  clipNorm: 1,
  readingWeight: 0.1,
  finalLearningRate: 2e-5,
  warmupUpdates: 200,
} as const;
