/** `limbeck export`: stored trajectories into a file of another format. */
import { defineOperation } from "limbeck-base/base/operation";
import { exportInputs, exportLine, type ExportShows } from "./export.inputs.ts";

/** Writes stored trajectories to a file of another format. */
export const exportTrajectories = defineOperation({
  name: "export",
  group: "data",
  summary: "Write stored trajectories to a file of another format",
  usage: "--format F --out PATH [--pairs SOURCE] [--run ID] [--where SQL] [--overwrite]",
  description:
    "--format preferences writes pairs instead of trajectories, one JSON line each with prompt, chosen and rejected as chat messages, for trainers elsewhere.\n" +
    "What the format cannot hold is said before it is lost. The target appears when it is complete; a failed or interrupted export leaves none.",
  input: exportInputs,
  examples: [
    "limbeck export --format atif --out agents.atif.json",
    'limbeck export --format parquet --out good --where "success and step_count < 20"',
    "limbeck export --format preferences --pairs cso --run cso-1 --out pairs.jsonl",
  ],
  line: exportLine,
  shows: undefined as ExportShows | undefined,
  natives: (given) => (given("where") === undefined && given("format") !== "parquet" ? [] : ["duckdb"]),
  run: async (given, context) => await (await import("./write-export.ts")).writeExport(given, context),
});
