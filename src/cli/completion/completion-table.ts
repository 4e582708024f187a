/** What a shell needs to know to complete: names, options and known values. */
import type { CommandTable, Option } from "../command.ts";
import { globalOptions } from "../global-options.ts";

export interface CompletionEntry {
  readonly name: string;
  readonly summary: string;
  readonly subcommands: readonly (readonly [name: string, summary: string])[];
  readonly options: readonly CompletionOption[];
}

export interface CompletionOption {
  readonly name: string;
  readonly summary: string;
  readonly takesValue: boolean;
  /** Known values; empty when anything, a file name for instance, may follow. */
  readonly choices: readonly string[];
}

export async function completionTable(commands: CommandTable): Promise<CompletionEntry[]> {
  return Promise.all(
    Object.entries(commands).map(async ([name, command]) => ({
      name,
      summary: command.summary,
      subcommands: Object.entries(command.subcommands ?? {}),
      options: await Promise.all(
        Object.entries<Option>({ ...globalOptions, ...command.options }).map(
          async ([option, { summary, type, choices }]) => ({
            name: `--${option}`,
            summary,
            takesValue: type === "string",
            choices: (await choices?.()) ?? [],
          }),
        ),
      ),
    })),
  );
}
