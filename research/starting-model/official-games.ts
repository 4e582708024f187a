/**
 * Lessons from the official ALFWorld training games, which speak household's language: the same novice, the same wordings, in
 * larger rooms. They carry household's model on, with its own tokenizer; no game of `valid_seen` is opened.
 */
import { createRng } from "limbeck";
import { getWorld } from "limbeck/env";
import type { Lesson } from "./lesson.ts";
import type { LessonSource } from "./lesson-files.ts";
import { makeLesson } from "./lessons.ts";
import { settings } from "./settings.ts";

/** By the variable that ALFWorld's own tools use. */
const GAMES = process.env["ALFWORLD_DATA"] ?? "../shared/data/alfworld";
const MAX_STEPS = 30;
/** Times that every game is played for one file. */
const LESSONS_PER_GAME = 8;

/** Lower rates than for a model that knows nothing yet. */
export const officialGames = {
  shards: 10,
  updates: 900,
  batchRows: 48,
  learningRate: 1e-3,
  finalLearningRate: 3e-5,
  warmupUpdates: 30,
} as const;

export const officialSource: LessonSource = {
  world: "alfworld",
  words: "packages/household-model",
  shard: lessonsOf,
  mostTokens: 1_200,
};

async function* lessonsOf(shard: number): AsyncIterable<Lesson> {
  const env = await (await getWorld("alfworld")).create({ root: GAMES, maxSteps: MAX_STEPS });
  for await (const task of env.tasks("train")) {
    for (let lesson = 0; lesson < LESSONS_PER_GAME; lesson += 1) {
      yield makeLesson(env, task, createRng(settings.seed).split(`${shard} ${task.id} ${lesson}`), "idle");
    }
  }
}
