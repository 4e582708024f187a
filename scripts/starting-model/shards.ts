/** The training data as files, in pieces that are generated side by side and only once. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createRng, EngineError, mapLimit } from "../../src/base/index.ts";
import { createHousehold } from "../../src/env/household/index.ts";
import { createChatDialect } from "../../src/policy/local/chat-dialect.ts";
import { createTokenizer, type TokenizerFiles } from "../../src/policy/local/tokenizer.ts";
import type { Lesson } from "./lesson.ts";
import { makeLesson, type LessonSet } from "./lessons.ts";
import { joinRows, packLesson, splitRows } from "./rows.ts";
import type { Settings, Stage } from "./settings.ts";
import { trainWords } from "./words.ts";

const WORDS_FILE = "words.json";

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

/** The tokenizer, trained once and kept. */
export async function readWords(folder: string, settings: Settings): Promise<TokenizerFiles> {
  const path = join(folder, WORDS_FILE);
  if (!(await exists(path))) {
    const lessons: Lesson[] = [];
    for await (const lesson of lessonsOf(settings, { offset: 0, count: settings.wordGames }, "advice"))
      lessons.push(lesson);
    await writeWhole(path, JSON.stringify(trainWords(lessons)));
  }
  return JSON.parse(await readFile(path, "utf8")) as TokenizerFiles;
}

/** The lessons of a stage; missing files are made by copies of this program, called with `--shard NUMBER`. */
export async function readShards(
  folder: string,
  settings: Settings,
  { games, lessons: set }: Stage,
): Promise<Uint16Array[]> {
  await mkdir(folder, { recursive: true });
  await readWords(folder, settings);
  const first = Math.floor(games.offset / settings.gamesPerShard);
  const count = Math.ceil(games.count / settings.gamesPerShard);
  const numbers = Array.from({ length: count }, (_, at) => first + at);
  await mapLimit(numbers, availableParallelism(), async (number) => {
    if (await exists(shardPath(folder, set, number))) return;
    const child = fork(process.argv[1] as string, ["--work", folder, "--shard", String(number), "--lessons", set]);
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) throw new EngineError("shard-failed", `File ${number} of the lessons was not made (exit ${code}).`);
  });
  const files = await Promise.all(numbers.map((number) => readFile(shardPath(folder, set, number))));
  return files.flatMap((file) => splitRows(new Uint16Array(file.buffer, file.byteOffset, file.byteLength / 2)));
}

export async function makeShard(folder: string, settings: Settings, number: number, set: LessonSet): Promise<void> {
  const dialect = await createChatDialect(await createTokenizer(await readWords(folder, settings)));
  const count = settings.gamesPerShard;
  const rows: Uint16Array[] = [];
  for await (const lesson of lessonsOf(settings, { offset: number * count, count }, set))
    rows.push(packLesson(lesson, dialect));
  const joined = joinRows(rows);
  await writeWhole(shardPath(folder, set, number), new Uint8Array(joined.buffer, 0, joined.byteLength));
}

function shardPath(folder: string, set: LessonSet, number: number): string {
  return join(folder, `lessons-${set}-${number}.bin`);
}

/** Appears whole or not at all, so that a kill leaves nothing to mistrust. */
async function writeWhole(path: string, data: string | Uint8Array): Promise<void> {
  await writeFile(`${path}.writing`, data);
  await rename(`${path}.writing`, path);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
