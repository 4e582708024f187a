/** Lessons as rows of tokens: the same conversation that the policy will have, its own decisions marked. */
import type { Dialect } from "limbeck";
import type { TrainRow } from "limbeck/policy";
import type { Lesson } from "./lesson.ts";

/** In 16 bits: a token, whether it is part of a decision to learn, and whether it is read for practice. */
const LEARNT = 1 << 15;
const READ = 1 << 14;
const TOKEN = READ - 1;

export function packLesson({ decisions }: Lesson, dialect: Dialect): Uint16Array {
  const packed: number[] = [];
  for (const [at, { message, action, learnt }] of decisions.entries()) {
    // The opening is chance and set phrases; what the world answers to a command can be foretold, and is practice.
    if (at === 0) packed.push(...dialect.opening(message));
    else for (const id of dialect.turn(message)) packed.push(id | READ);
    for (const id of dialect.reply(action)) packed.push(learnt ? id | LEARNT : id);
  }
  return Uint16Array.from(packed);
}

/** What the world wrote weighs `readingWeight`, the agent's own decisions 1. */
export function unpackRow(packed: Uint16Array, readingWeight: number): TrainRow {
  const weight = (entry: number): number => (entry >= LEARNT ? 1 : entry >= READ ? readingWeight : 0);
  return {
    ids: Int32Array.from(packed, (entry) => entry & TOKEN),
    mask: Uint8Array.from(packed, (entry) => (weight(entry) > 0 ? 1 : 0)),
    weights: Float64Array.from(packed, weight),
  };
}

/** Rows one after the other, each with its length before it. */
export function joinRows(rows: readonly Uint16Array[]): Uint16Array {
  const joined = new Uint16Array(rows.reduce((sum, row) => sum + row.length + 1, 0));
  let at = 0;
  for (const row of rows) {
    joined[at] = row.length;
    joined.set(row, at + 1);
    at += row.length + 1;
  }
  return joined;
}

export function splitRows(joined: Uint16Array): Uint16Array[] {
  const rows: Uint16Array[] = [];
  for (let at = 0; at < joined.length;) {
    const length = joined[at] as number;
    rows.push(joined.subarray(at + 1, at + 1 + length));
    at += length + 1;
  }
  return rows;
}
