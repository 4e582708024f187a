/** Options that every command takes. */
import type { Option } from "./command.ts";

export const globalOptions = {
  help: { type: "boolean", short: "h", summary: "Show help and end" },
  json: { type: "boolean", summary: "Print one JSON object per line" },
  "no-color": { type: "boolean", summary: "No colours; NO_COLOR does the same, FORCE_COLOR the opposite" },
  quiet: { type: "boolean", short: "q", summary: "No progress and no remarks, only results and errors" },
  store: { type: "string", value: "DIR", summary: "Folder of runs; LIMBECK_STORE or ./runs unless given" },
  version: { type: "boolean", summary: "Show the version and end" },
} as const satisfies Record<string, Option>;
