/** A report of runs as one HTML file: nothing in it asks another host for anything, so it opens from disk anywhere. */
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { EngineError } from "../../base/index.ts";
import type { Store } from "../../store/store.ts";
import { readCredit } from "./credit.ts";
import { readEpisodes } from "./episodes.ts";
import { pageOf, type ReportedRun } from "./page.ts";
import { readPairs } from "./pairs.ts";
import { readRun } from "./read-run.ts";
import { readSkills } from "./skills.ts";
import { readTokenTexts } from "./token-texts.ts";

export interface ReportOptions {
  /** The runs, the first of them in full; the others are compared with it. */
  readonly runs: readonly { readonly run: string; readonly label: string }[];
  /** The file to write; one that is there is replaced. */
  readonly file: string;
}

export async function writeReport(store: Store, { runs, file }: ReportOptions): Promise<void> {
  if (runs.length === 0) throw new EngineError("bad-options", "A report needs at least one run.");
  const read: ReportedRun[] = [];
  for (const [style, { run, label }] of runs.entries()) {
    const record = await readRun(store, run, label, style);
    const pairs = await readPairs(store, run);
    read.push({
      run: record,
      pairs,
      skills: await readSkills(store, run),
      credit: await readCredit(store, run),
      episodes: await readEpisodes(store, run, pairs),
      texts: await readTokenTexts(store.root, run),
    });
  }
  await replaceFile(file, pageOf(read));
}

/** Whole or not at all: a reader may have the old one open. */
async function replaceFile(file: string, text: string): Promise<void> {
  const unfinished = `${file}.${process.pid}.tmp`;
  try {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(unfinished, text);
    await rename(unfinished, file);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError("file-error", `The report cannot be written to "${file}": ${why}. Give another file.`, {
      cause,
    });
  } finally {
    await rm(unfinished, { force: true }).catch(() => undefined);
  }
}
