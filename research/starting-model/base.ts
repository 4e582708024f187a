/**
 * The base: one model that has read every world here, and many little ones that are made up, to begin with in a world of
 * one's own. It is trained on a GPU by torch-train.py; here alone it would take days.
 */
import type { ModelConfig } from "limbeck/local";
import type { Lesson } from "./lesson.ts";
import type { LessonSource } from "./lesson-files.ts";
import { questEnv, quests } from "./quests/quest-world.ts";
import { settings } from "./settings.ts";
import { householdSource } from "./shards.ts";
import { startingWorlds } from "./worlds/index.ts";
import { lessonsIn, sourceOf } from "./worlds/world-source.ts";

const VOCABULARY_SIZE = 4_096;

export const baseConfig: ModelConfig = {
  form: "qwen3",
  vocabularySize: VOCABULARY_SIZE,
  hiddenSize: 256,
  layers: 6,
  heads: 8,
  keyValueHeads: 4,
  headSize: 32,
  intermediateSize: 768,
  contextLength: 2_048,
  ropeTheta: 10_000,
  normEpsilon: 1e-6,
  tiedEmbeddings: true,
};

/** The parts of every ten files; half of them quests, of which no two are alike. */
const PARTS: readonly ((file: number) => AsyncIterable<Lesson>)[] = [
  ...[0, 1, 2, 3, 4].map((at) => (file: number) => lessonsIn(quests, questEnv, 5 * file + at)),
  (file) => householdSource(settings).shard(file, "emptier"),
  ...Object.values(startingWorlds).map((world) => (file: number) => sourceOf(world).shard(file, "all")),
];
/** Lessons of each part that the tokenizer is trained on. */
const WORD_LESSONS = 700;

export const baseSettings = {
  shards: 5 * PARTS.length,
  updates: 12_000,
  batchRows: 128,
  learningRate: 1.5e-3,
  finalLearningRate: 3e-5,
  warmupUpdates: 200,
} as const;

export const baseSource: LessonSource = {
  world: "base",
  vocabularySize: VOCABULARY_SIZE,
  mostTokens: 1_200,
  words: async function* words() {
    for (const part of PARTS) {
      let left = WORD_LESSONS;
      for await (const lesson of part(0)) {
        if (left-- === 0) break;
        yield lesson;
      }
    }
  },
  shard: (number) => (PARTS[number % PARTS.length] as (typeof PARTS)[number])(Math.floor(number / PARTS.length)),
};
