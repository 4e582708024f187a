/** `limbeck compact`: many small files become few large ones. */
import { EngineError } from "../../base/errors.ts";
import type { Command } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { printTable, right } from "../look/table.ts";
import { formatBytes, formatCount } from "../look/units.ts";
import { parseDuration } from "../parse.ts";
import { findRun, withStore } from "../with-store.ts";
import { text } from "../options.ts";

export const compact: Command = {
  group: "data",
  summary: "Merge small files of the store into larger ones",
  usage: "[--run ID] [--grace TIME]",
  description:
    "Safe while others read and write: the merged files are committed first, the replaced ones are deleted by the first compaction that finds them older than the grace time.",
  options: {
    run: text("ID", "Only this run. Default: every run"),
    grace: text("TIME", "How long replaced files stay for running readers: 90s, 15m, 1h. Default: 1h"),
  },
  examples: ["limbeck compact", "limbeck compact --run import-1 --grace 10m"],
  jsonFields: {
    run: "id of the run",
    segmentsBefore: "files before",
    segmentsAfter: "files after",
    bytesBefore: "bytes before",
    bytesAfter: "bytes after",
    filesDeleted: "old files deleted",
  },
  natives: ["duckdb"],
  run: (invocation) =>
    withStore(invocation.storeRoot, async (store) => {
      const { io, style } = invocation;
      const wanted = invocation.text("run");
      const run = wanted === undefined ? undefined : (await findRun(store, wanted)).id;
      const grace = invocation.text("grace");
      const started = io.now();
      let progress: ReturnType<typeof invocation.progress> | undefined;
      const reports = await store
        .compact({
          ...(run === undefined ? {} : { run }),
          ...(grace === undefined ? {} : { graceMs: parseDuration(grace, "grace") }),
          signal: io.signal,
          onProgress: (done, total) => {
            progress ??= invocation.progress({ label: "Compacting", total });
            progress.update(done);
          },
        })
        .finally(() => progress?.end());
      if (reports.length === 0 && run !== undefined)
        throw new EngineError("no-run", `Run "${run}" vanished meanwhile.`);
      if (invocation.json) {
        for (const report of reports) invocation.printJson(report);
        return EXIT.done;
      }
      if (reports.length === 0) {
        invocation.print("Nothing to compact: the store has no runs.");
        return EXIT.done;
      }
      const rows = reports.map((report) => [
        report.run,
        `${formatCount(report.segmentsBefore)} → ${formatCount(report.segmentsAfter)}`,
        `${formatBytes(report.bytesBefore)} → ${formatBytes(report.bytesAfter)}`,
        formatCount(report.filesDeleted),
      ]);
      const numbers = ["segments", "size", "old files deleted"].map(right);
      printTable(invocation, [{ title: "run", paint: style.cyan }, ...numbers], rows);
      invocation.print();
      invocation.print(style.dim(`Done in ${((io.now() - started) / 1000).toFixed(1)} s.`));
      return EXIT.done;
    }),
};
