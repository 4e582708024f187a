/** The lessons of household, file by file. */
import { createRng } from "limbeck";
import { createHousehold } from "limbeck/env";
import type { Lesson } from "./lesson.ts";
import type { LessonSource } from "./lesson-files.ts";
import { makeLesson, type LessonSet } from "./lessons.ts";
import type { Settings, Stage } from "./settings.ts";

/** The lessons of some games. Only the training split is ever opened. */
export async function* lessonsOf(
  { dial, seed, lessonsPerGame }: Settings,
  range: { readonly offset: number; readonly count: number },
  set: LessonSet,
): AsyncIterable<Lesson> {
  const env = createHousehold({ dial: dial as "tiny" });
  for await (const task of env.tasks("train", range)) {
    for (let lesson = 0; lesson < lessonsPerGame; lesson += 1) {
      yield makeLesson(env, task, createRng(seed).split(`${task.id} ${lesson}`), set);
    }
  }
}

export function householdSource(settings: Settings): LessonSource {
  const { gamesPerShard: count, wordGames } = settings;
  return {
    world: "household",
    mostTokens: Number.POSITIVE_INFINITY,
    words: () => lessonsOf(settings, { offset: 0, count: wordGames }, "advice"),
    shard: (number, set) => lessonsOf(settings, { offset: number * count, count }, set as LessonSet),
  };
}

/** The numbers of the files that hold the games of a stage. */
export function shardsOf({ gamesPerShard }: Settings, { games }: Stage): number[] {
  const first = Math.floor(games.offset / gamesPerShard);
  return Array.from({ length: Math.ceil(games.count / gamesPerShard) }, (_, at) => first + at);
}
