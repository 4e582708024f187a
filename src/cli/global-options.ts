/** Options that every command takes. */
import type { Option } from "./command.ts";
import { flag, text } from "./options.ts";

export const globalOptions = {
  help: { type: "boolean", short: "h", summary: "Show help and end" },
  json: flag("Print one JSON object per line"),
  "no-color": flag("No colours; NO_COLOR does the same, FORCE_COLOR the opposite"),
  quiet: { type: "boolean", short: "q", summary: "No progress and no remarks, only results and errors" },
  store: text("DIR", "Folder of runs, or an address like s3://bucket/runs. Default: LIMBECK_STORE or ./runs"),
  version: flag("Show the version and end"),
} as const satisfies Record<string, Option>;
