/**
 * What was recorded and is not in the store yet, as lines of a file, so that a killed process loses nothing. One file for
 * each process; the next process to record into the run takes over those of dead ones. Only redacted lines get here.
 */
import { randomBytes } from "node:crypto";
import { appendFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isMissing, namesIfThere, textIfThere } from "../base/files.ts";

export interface Journal {
  /** Lines that dead processes left; their files are gone once `forget` was called. */
  readonly left: readonly string[];
  /** Appends, in order. Rejects when the disk refuses; the lines are then only in memory. */
  append(lines: readonly string[]): Promise<void>;
  /** Everything so far is stored: starts afresh with what is still open. */
  replace(open: readonly string[]): Promise<void>;
  forget(): Promise<void>;
  /** Appends to a file that nobody takes over, of lines that cannot be stored. Gives its path. */
  setAside(lines: readonly string[]): Promise<string>;
  readonly bytes: number;
}

const NAME = /^journal-(\d+)-[0-9a-f]+\.calls\.jsonl$/;

export async function openJournal(folder: string): Promise<Journal> {
  const own = join(folder, `journal-${process.pid}-${Math.trunc(performance.timeOrigin).toString(16)}.calls.jsonl`);
  const names = ((await namesIfThere(folder)) ?? []).filter((name) => isLeft(name));
  const files: string[] = [];
  const left: string[] = [];
  for (const file of names.map((name) => join(folder, name)).filter((path) => path !== own)) {
    // Renamed first: of two that find it, only one takes it over.
    const taken = join(folder, `journal-${process.pid}-${randomBytes(6).toString("hex")}.calls.jsonl`);
    const isMine = await rename(file, taken).then(
      () => true,
      (error: unknown) => {
        if (!isMissing(error)) throw error;
        return false;
      },
    );
    if (!isMine) continue;
    files.push(taken);
    left.push(...(await linesOf(taken)));
  }
  let bytes = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const next = turn.then(work);
    // Whoever handed it in hears of its failure; the next one's turn comes all the same.
    turn = next.catch(() => undefined);
    return next;
  };
  return {
    left,
    get bytes() {
      return bytes;
    },
    append: (lines) =>
      inTurn(async () => {
        const text = lines.map((line) => `${line}\n`).join("");
        await mkdir(folder, { recursive: true });
        await appendFile(own, text, { mode: 0o600 });
        bytes += text.length;
      }),
    replace: (open) =>
      inTurn(async () => {
        const text = open.map((line) => `${line}\n`).join("");
        bytes = text.length;
        if (text === "") await rm(own, { force: true });
        else await writeFile(own, text, { mode: 0o600 });
      }),
    forget: () =>
      inTurn(async () => {
        for (const file of files) await rm(file, { force: true });
      }),
    setAside: async (lines) => {
      const file = join(folder, "set-aside.calls.jsonl");
      await inTurn(() => appendFile(file, lines.map((line) => `${line}\n`).join(""), { mode: 0o600 }));
      return file;
    },
  };
}

/** A journal whose process is gone. A process that took over its number only delays the rescue. */
function isLeft(name: string): boolean {
  const pid = Number(NAME.exec(name)?.[1] ?? 0);
  if (pid === 0 || pid === process.pid) return pid !== 0;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/** Whole lines only: the last one of a killed process may be half. */
async function linesOf(file: string): Promise<string[]> {
  const text = (await textIfThere(file)) ?? "";
  return text.split("\n").slice(0, -1);
}
