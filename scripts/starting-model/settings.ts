/** Everything the bundled model follows from. A change here is another model. */
import type { ModelConfig } from "../../src/policy/local/model-config.ts";
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

export const settings = {
  dial: "tiny",
  seed: 7,
  /** Games of the training split, and lessons from each. */
  games: 18_000,
  lessonsPerGame: 4,
  /** Pieces the lessons are generated in, several at a time. */
  shards: 30,
  /** Games whose lessons the tokenizer is trained on. */
  wordGames: 600,
  batchRows: 48,
  updates: 2_400,
  learningRate: 3e-3,
  finalLearningRate: 6e-5,
  warmupUpdates: 50,
  clipNorm: 1,
  /** Weight of the tokens that the world wrote, beside 1 for the agent's own: reading well helps acting well. */
  readingWeight: 0.15,
  saveEvery: 50,
};

export type Settings = typeof settings;
