/** Lessons of the official training games as conversations, one a line: any model's tokenizer can read them. */
import { createWriteStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { once } from "node:events";
import type { Dialect } from "limbeck";
import type { TrainRow } from "limbeck/policy";
import type { Lesson } from "../starting-model/lesson.ts";
import { officialSource } from "../starting-model/official-games.ts";

/** Weight of what the world wrote, beside 1 for the agent's own words: who foresees answers acts better. */
const READING = 0.1;

export async function writeLessons(file: string, shards: number): Promise<Readonly<Record<string, number>>> {
  const out = createWriteStream(file);
  const kinds: Record<string, number> = {};
  for (let shard = 0; shard < shards; shard += 1) {
    for await (const lesson of officialSource.shard(shard, "idle")) {
      kinds[lesson.kind] = (kinds[lesson.kind] ?? 0) + 1;
      const { kind, success, decisions } = lesson;
      const turns = decisions.map(({ message, action, learnt }) => [message, action, learnt ? 1 : 0]);
      if (!out.write(`${JSON.stringify({ kind, success, turns })}\n`)) await once(out, "drain");
    }
  }
  out.end();
  await once(out, "finish");
  return kinds;
}

export async function readLessons(file: string): Promise<Lesson[]> {
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  return lines.map((line) => {
    const { turns, ...rest } = JSON.parse(line) as Pick<Lesson, "kind" | "success"> & {
      readonly turns: readonly (readonly [string, string, number])[];
    };
    return {
      ...rest,
      decisions: turns.map(([message, action, learnt]) => ({ message, action, learnt: learnt === 1 })),
    };
  });
}

/** The tokens that the agent will read and say in a training; undefined where they would not fit. */
export function rowOf({ decisions }: Lesson, dialect: Dialect, contextLength: number): TrainRow | undefined {
  const ids: number[] = [];
  const weights: number[] = [];
  const add = (tokens: Int32Array, weight: number): void => {
    ids.push(...tokens);
    weights.push(...Array.from(tokens, () => weight));
  };
  for (const [at, { message, action, learnt }] of decisions.entries()) {
    if (at === 0) add(dialect.opening(message), 0);
    else add(dialect.turn(message), READING);
    add(dialect.reply(action), learnt ? 1 : 0);
  }
  if (ids.length > contextLength) return undefined;
  return {
    ids: Int32Array.from(ids),
    mask: Uint8Array.from(weights, (weight) => Number(weight > 0)),
    weights: Float64Array.from(weights),
  };
}
