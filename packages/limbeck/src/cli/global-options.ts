/** Options that every command takes, and those that a command takes for what it needs. */
import { input } from "limbeck-base/base/input";
import type { Command } from "./command.ts";
import { optionsOf } from "./options-of.ts";

export const globalOptions = optionsOf({
  help: input.flag("Show help and end", { short: "h" }),
  json: input.flag("Print one JSON object per line"),
  noColor: input.flag("No colours; NO_COLOR does the same, FORCE_COLOR the opposite"),
  quiet: input.flag("No progress and no remarks, only results and errors", { short: "q" }),
  store: input.text("DIR", "Folder of runs, or an address like s3://bucket/runs. Default: LIMBECK_STORE or ./runs"),
  version: input.flag("Show the version and end"),
});

/** Of commands that may need packages which a first installation leaves out. One that has a `--yes` of its own means both by it. */
export const installOptions = optionsOf({
  yes: input.flag(
    "Install a package that the command needs and that is missing, without asking; of commands that may need one",
  ),
});

export function optionsFor({ natives, options }: Pick<Command, "natives" | "options">): Command["options"] {
  return { ...globalOptions, ...(natives === undefined ? {} : installOptions), ...options };
}
