/** Lessons as files, in pieces that are generated side by side and only once; the tokenizer that they are written in. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { EngineError, createChatDialect } from "limbeck";
import { mapLimit } from "../../packages/base/src/base/concurrency.ts";
import { replaceFile } from "../../packages/base/src/base/files.ts";
import { createTokenizer, type TokenizerFiles } from "../../packages/policy/src/policy/local/tokenizer.ts";
import { loadTokenizer } from "limbeck/local";
import type { Lesson } from "./lesson.ts";
import { joinRows, packLesson, splitRows } from "./rows.ts";
import { trainWords } from "./words.ts";

/** Where the lessons of a world come from. */
export interface LessonSource {
  /** The world's name, as the program that makes files is told it. */
  readonly world: string;
  /** Lessons that the tokenizer is trained on; or the folder of a model that is carried on, with its own. */
  readonly words: (() => AsyncIterable<Lesson>) | string;
  /** Tokens of a tokenizer that is trained. Default: 1,024. */
  readonly vocabularySize?: number;
  /** The lessons of one file; `set` names their shares where a world has several. */
  readonly shard: (number: number, set: string) => AsyncIterable<Lesson>;
  /** Longer lessons are left out. */
  readonly mostTokens: number;
}

const WORDS_FILE = "words.json";

/** The tokenizer, trained once and kept. */
export async function readWords(folder: string, source: LessonSource): Promise<TokenizerFiles> {
  const path = join(folder, WORDS_FILE);
  const { words, vocabularySize } = source;
  if (typeof words !== "string" && !(await exists(path))) {
    const lessons: Lesson[] = [];
    for await (const lesson of words()) lessons.push(lesson);
    await replaceFile(path, JSON.stringify(trainWords(lessons, vocabularySize)));
  }
  return JSON.parse(await readFile(path, "utf8")) as TokenizerFiles;
}

/** The tokenizer of a model, for lessons that it goes on with. */
export async function takeWords(folder: string, model: string): Promise<void> {
  const read = async (name: string): Promise<string> => await readFile(join(model, name), "utf8");
  const files = {
    tokenizer: JSON.parse(await read("tokenizer.json")) as unknown,
    config: JSON.parse(await read("tokenizer_config.json")) as unknown,
    chatTemplate: await read("chat_template.jinja"),
  };
  await replaceFile(join(folder, WORDS_FILE), JSON.stringify(files));
}

/** The rows of these files; missing ones are made by copies of this program, called with `--shard NUMBER`. */
export async function readShards(
  folder: string,
  source: LessonSource,
  { numbers, set }: { readonly numbers: readonly number[]; readonly set: string },
): Promise<Uint16Array[]> {
  await mkdir(folder, { recursive: true });
  if (typeof source.words !== "string") await readWords(folder, source);
  await mapLimit(numbers, availableParallelism(), async (number) => {
    if (await exists(shardPath(folder, set, number))) return;
    const told = ["--world", source.world, "--work", folder, "--shard", String(number), "--lessons", set];
    const [code] = (await once(fork(process.argv[1] as string, told), "exit")) as [number | null];
    if (code !== 0)
      throw new EngineError("custom:shard-failed", `File ${number} of the lessons was not made (exit ${code}).`);
  });
  const files = await Promise.all(numbers.map((number) => readFile(shardPath(folder, set, number))));
  return files.flatMap((file) => splitRows(new Uint16Array(file.buffer, file.byteOffset, file.byteLength / 2)));
}

export async function makeShard(folder: string, source: LessonSource, number: number, set: string): Promise<void> {
  const { words } = source;
  const dialect = await createChatDialect(
    typeof words === "string" ? await loadTokenizer(words) : await createTokenizer(await readWords(folder, source)),
  );
  const rows: Uint16Array[] = [];
  for await (const lesson of source.shard(number, set)) {
    const row = packLesson(lesson, dialect);
    if (row.length <= source.mostTokens) rows.push(row);
  }
  const joined = joinRows(rows);
  await replaceFile(shardPath(folder, set, number), new Uint8Array(joined.buffer, 0, joined.byteLength));
}

function shardPath(folder: string, set: string, number: number): string {
  return join(folder, `lessons-${set}-${number}.bin`);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
