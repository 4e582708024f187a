/** Options that every command takes. */
import { input } from "limbeck-base/base/input";
import { optionsOf } from "./options-of.ts";

export const globalOptions = optionsOf({
  help: input.flag("Show help and end", { short: "h" }),
  json: input.flag("Print one JSON object per line"),
  noColor: input.flag("No colours; NO_COLOR does the same, FORCE_COLOR the opposite"),
  quiet: input.flag("No progress and no remarks, only results and errors", { short: "q" }),
  store: input.text("DIR", "Folder of runs, or an address like s3://bucket/runs. Default: LIMBECK_STORE or ./runs"),
  version: input.flag("Show the version and end"),
});
