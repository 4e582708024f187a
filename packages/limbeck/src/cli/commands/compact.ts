/** `limbeck compact`: many small files become few large ones. */
import { cleanLine } from "limbeck-base/base/clean-text";
import { EngineError, errorData } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { input } from "limbeck-base/base/input";
import type { Progress } from "limbeck-base/base/operation";
import { defineCommand } from "../command-of.ts";
import { EXIT } from "../exit-code.ts";
import { printTable, right } from "../look/table.ts";
import { formatBytes, formatCount } from "limbeck-base/base/units";
import { findRun, withStore } from "../with-store.ts";

export const compact = defineCommand({
  group: "data",
  summary: "Merge small files of the store into larger ones",
  usage: "[--run ID] [--grace TIME]",
  description:
    "Safe while others read and write: the merged files are committed first, the replaced ones are deleted by the first compaction that finds them older than the grace time.",
  input: {
    run: input.text("ID", "Only this run. Default: every run"),
    grace: input.time("How long replaced files stay for running readers: 90s, 15m, 1h. Default: 1h"),
  },
  examples: ["limbeck compact", "limbeck compact --run import-1 --grace 10m"],
  line: {
    run: "id of the run",
    segmentsBefore: "files before",
    segmentsAfter: "files after",
    bytesBefore: "bytes before",
    bytesAfter: "bytes after",
    filesDeleted: "old files deleted",
  },
  natives: () => ["duckdb"],
  run: async ({ run: wanted, grace: graceMs }, frame) => {
    const { emit, print, style, signal, now } = frame;
    const started = now();
    let broken = 0;
    let progress: Progress | undefined;
    const onProgress = (done: number, total: number): void => {
      progress ??= frame.progress({ label: "Compacting", total });
      progress.update(done);
    };
    const reports = await withStore(frame.store, async (store) => {
      const run = wanted === undefined ? undefined : (await findRun(store, wanted)).id;
      const onBroken = (id: string, error: unknown): void => {
        broken += 1;
        frame.note(
          `! Left run ${id} as it is: ${cleanLine(errorData(error).message)} Set it aside with: limbeck runs set-aside ${id}`,
        );
      };
      const made = await store.compact({ ...withoutUndefined({ run, graceMs }), signal, onProgress, onBroken });
      if (made.length === 0 && run !== undefined) throw new EngineError("no-run", `Run "${run}" vanished meanwhile.`);
      return made;
    }).finally(() => progress?.end());
    reports.forEach(emit);
    const exit = broken === 0 ? EXIT.done : EXIT.failed;
    if (reports.length === 0) {
      print(`Nothing to compact: the store has no runs${broken === 0 ? "" : " that can be read"}.`);
      return exit;
    }
    const rows = reports.map((report) => [
      report.run,
      `${formatCount(report.segmentsBefore)} → ${formatCount(report.segmentsAfter)}`,
      `${formatBytes(report.bytesBefore)} → ${formatBytes(report.bytesAfter)}`,
      formatCount(report.filesDeleted),
    ]);
    const numbers = ["segments", "size", "old files deleted"].map(right);
    printTable(frame, [{ title: "run", paint: style.cyan }, ...numbers], rows);
    print();
    print(style.dim(`Done in ${((now() - started) / 1000).toFixed(1)} s.`));
    return exit;
  },
});
