/** Opens a run for its one writer: a new run, or one that is there. */
import { randomBytes } from "node:crypto";
import { appendCommit, highestNumber } from "./commit-log.ts";
import type { Files } from "./files.ts";
import { createRunFile } from "./run-file.ts";
import { checkRunId, newRunId } from "./run-id.ts";
import { lockRun } from "./run-lock.ts";
import type { CreateRunOptions } from "./store.ts";
import { Writer, type WriterOptions } from "./writer.ts";

/** Segments and commits have it, so that one can tell whose they are. */
export function newWriterName(): string {
  return `${process.pid}-${randomBytes(6).toString("hex")}`;
}

export async function createRun(files: Files, options: CreateRunOptions, writing: WriterOptions): Promise<Writer> {
  const id = options.id === undefined ? newRunId(writing.now()) : checkRunId(options.id);
  const createdAt = writing.now().toISOString();
  await files.check?.();
  const writer = newWriterName();
  const lock = await lockRun(files, id, writer, writing.now);
  try {
    await createRunFile(files, { id, kind: options.kind ?? "other", createdAt, config: options.config ?? {} });
  } catch (error) {
    await lock.release();
    throw error;
  }
  return new Writer(files, id, { writer, lock, number: 0 }, writing);
}

/**
 * What a dead writer had on its way may still get there: a commit of nothing takes the number that it was for. Whatever it
 * has committed is in the log from then on, and nothing more.
 */
export async function openRun(files: Files, id: string, writing: WriterOptions): Promise<Writer> {
  const writer = newWriterName();
  const lock = await lockRun(files, id, writer, writing.now);
  try {
    let number = await highestNumber(files, id);
    if (lock.takenOver) {
      const time = writing.now().toISOString();
      const taken = await appendCommit(files, id, number, { writer, holds: true, time, add: [] });
      if (typeof taken !== "number") throw taken.cause;
      number = taken;
      // Several may have found the same lock free.
      await lock.check();
    }
    return new Writer(files, id, { writer, lock, number }, writing);
  } catch (error) {
    await lock.release();
    throw error;
  }
}
