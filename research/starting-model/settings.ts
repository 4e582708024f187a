/** Everything the bundled model follows from. A change here is another model. */
import type { ModelConfig } from "limbeck/local";
import type { LessonSet } from "./lessons.ts";
import { VOCABULARY_SIZE } from "./words.ts";

export const modelConfig: ModelConfig = {
  form: "qwen3",
  vocabularySize: VOCABULARY_SIZE,
  hiddenSize: 128,
  layers: 4,
  heads: 4,
  keyValueHeads: 2,
  headSize: 32,
  intermediateSize: 384,
  contextLength: 2_048,
  ropeTheta: 10_000,
  normEpsilon: 1e-6,
  tiedEmbeddings: true,
};

/** What all stages of a training share. */
export interface Training {
  readonly seed: number;
  readonly clipNorm: number;
  /** Weight of the tokens that the world wrote, beside 1 for the agent's own: reading well helps acting well. */
  readonly readingWeight: number;
  readonly saveEvery: number;
}

/** The size of a stage, its batches, and its own fall of the learning rate. */
export interface Rates {
  readonly updates: number;
  readonly batchRows: number;
  readonly learningRate: number;
  readonly finalLearningRate: number;
  readonly warmupUpdates: number;
}

/** One stretch of the training, with its own games. */
export interface Stage extends Rates {
  /** Games of the training split; every one gives `lessonsPerGame` lessons. */
  readonly games: { readonly offset: number; readonly count: number };
  /** Which kinds of lessons, in which shares. */
  readonly lessons: LessonSet;
}

export const settings = {
  dial: "tiny",
  seed: 7,
  lessonsPerGame: 4,
  /** Games in one file of lessons; several files are made at a time. */
  gamesPerShard: 600,
  /** Games whose lessons the tokenizer is trained on. */
  wordGames: 600,
  clipNorm: 1,
  readingWeight: 0.15,
  saveEvery: 50,
  stages: [
    {
      games: { offset: 0, count: 18_000 },
      lessons: "advice",
      updates: 800,
      batchRows: 48,
      learningRate: 3e-3,
      finalLearningRate: 6e-5,
      warmupUpdates: 50,
    },
    {
      games: { offset: 0, count: 18_000 },
      lessons: "advice",
      updates: 1_100,
      batchRows: 48,
      learningRate: 2e-3,
      finalLearningRate: 6e-5,
      warmupUpdates: 20,
    },
    {
      games: { offset: 18_000, count: 3_000 },
      lessons: "idle",
      updates: 240,
      batchRows: 48,
      learningRate: 4e-4,
      finalLearningRate: 3e-5,
      warmupUpdates: 20,
    },
    {
      games: { offset: 21_000, count: 3_600 },
      lessons: "emptier",
      updates: 300,
      batchRows: 48,
      learningRate: 6e-4,
      finalLearningRate: 3e-5,
      warmupUpdates: 20,
    },
  ] as readonly Stage[],
};

export type Settings = typeof settings;
