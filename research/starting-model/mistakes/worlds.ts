/** The worlds whose models learn from players with mistakes, and what the models follow from. A change here is another model. */
import type { WorldOptions } from "limbeck/env";
import { archivePlayers, talkPlayers, type PlayersOf } from "./players.ts";

export interface MistakenWorld {
  /** How the world is opened for lessons, with shares; the first is what the model is for. */
  readonly settings: readonly { readonly options: WorldOptions; readonly share: number }[];
  readonly players: PlayersOf;
  /** Longer lessons are left out: those who wander without end teach nothing more. */
  readonly mostSteps: number;
  readonly mostTokens: number;
}

export const mistakenWorlds: Readonly<Record<string, MistakenWorld>> = {
  talk: {
    settings: [
      { options: { level: "small" }, share: 0.65 },
      { options: { level: "medium" }, share: 0.35 },
    ],
    players: talkPlayers,
    mostSteps: 16,
    mostTokens: 640,
  },
  archive: {
    settings: [{ options: { size: "tiny" }, share: 1 }],
    players: archivePlayers,
    mostSteps: 20,
    mostTokens: 1_400,
  },
};

export const making = {
  seed: 7,
  /** Of all lessons: by one who makes no mistakes, and with advice that is followed. */
  careful: 0.15,
  advised: 0.15,
  /** Of those with advice: the plan of another task, and a hint before one decision. */
  wrong: 0.15,
  hint: 0.25,
  /** Of the decisions of lessons in what is right: those that slip, and are not learnt. */
  slips: 0.25,
  vocabularySize: 1_024,
  wordLessons: 1_500,
  clipNorm: 1,
  readingWeight: 0.1,
  learningRate: 3e-3,
  finalLearningRate: 2e-5,
  warmupUpdates: 200,
} as const;
