/** Lessons of a world, file by file. */
import { createRng, type Env } from "limbeck";
import { getWorld } from "limbeck/env";
import type { Lesson } from "../lesson.ts";
import type { LessonSource } from "../lesson-files.ts";
import type { StartingWorld } from "./starting-world.ts";
import { makeWorldLesson } from "./world-lessons.ts";

const SEED = 7;
/** Lessons that the tokenizer is trained on: enough for its frequent pairs. */
const WORD_LESSONS = 1_500;

export function sourceOf(world: StartingWorld): LessonSource {
  return {
    world: world.name,
    mostTokens: world.mostTokens,
    words: () => first(lessonsOf(world, 0), WORD_LESSONS),
    shard: (number) => lessonsOf(world, number),
  };
}

export async function* lessonsOf(world: StartingWorld, shard: number): AsyncIterable<Lesson> {
  yield* lessonsIn(world, await (await getWorld(world.name)).create(world.place(shard).options), shard);
}

/** Only the training split is ever opened. */
export async function* lessonsIn(world: StartingWorld, env: Env, shard: number): AsyncIterable<Lesson> {
  const { offset, count } = world.place(shard);
  for await (const task of env.tasks("train", { offset, count })) {
    for (let lesson = 0; lesson < world.lessonsPerTask; lesson += 1) {
      yield makeWorldLesson(world, env, task, createRng(SEED).split(`${shard} ${task.id} ${lesson}`));
    }
  }
}

async function* first<T>(items: AsyncIterable<T>, count: number): AsyncIterable<T> {
  let left = count;
  for await (const item of items) {
    if (left === 0) return;
    left -= 1;
    yield item;
  }
}
