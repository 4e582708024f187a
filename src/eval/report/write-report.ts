/** A report of runs as one HTML file: nothing in it asks another host for anything, so it opens from disk anywhere. */
import { EngineError } from "../../base/index.ts";
import type { Store } from "../../store/store.ts";
import { readCredit } from "./credit.ts";
import { readEpisodes } from "./episodes.ts";
import { pageOf, type ReportedRun } from "./page.ts";
import { readPairs } from "./pairs.ts";
import { readRun } from "./read-run.ts";
import { writeReportFile } from "./report-file.ts";
import { readSkills } from "./skills.ts";
import { readTokenTexts } from "./token-texts.ts";

export interface ReportOptions {
  /** The runs, the first of them in full; the others are compared with it. */
  readonly runs: readonly { readonly run: string; readonly label: string }[];
  /** The file to write; one that is there is replaced. */
  readonly file: string;
}

/**
 * One page that tells of the runs, readable without a server.
 *
 * @example
 * import { mkdtemp, readFile, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const folder = await mkdtemp(join(tmpdir(), "report-"));
 * const store = openStore(folder);
 * const writer = await store.createRun({ kind: "rollout", config: {} });
 * await rollout({ env: "countdown", policy: "expert", tasks: 1, group: 1, sink: writer });
 * await writer.close();
 * await writeReport(store, { runs: [{ run: writer.run, label: "The expert" }], file: join(folder, "report.html") });
 * console.log((await readFile(join(folder, "report.html"), "utf8")).includes("The expert")); // true
 * await store.close();
 * await rm(folder, { recursive: true });
 */
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
  await writeReportFile(file, pageOf(read));
}
