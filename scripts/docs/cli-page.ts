/** docs/lookup/generated/cli.md, from the command definitions. */
import { ERROR_CODES } from "../../packages/base/src/base/error-codes.ts";
import type { Command, CommandTable } from "../../packages/limbeck/src/cli/command.ts";
import { EXIT, EXIT_MEANING } from "../../packages/limbeck/src/cli/exit-code.ts";
import { globalOptions, installOptions } from "../../packages/limbeck/src/cli/global-options.ts";
import { GROUP_TITLES, optionLabel } from "../../packages/limbeck/src/cli/help.ts";
import { releases } from "../../packages/limbeck/src/cli/releases.ts";
import { cell, GENERATED, table } from "./markdown.ts";

export function cliPage(commands: CommandTable): string {
  const present = Object.entries(commands);
  const sections = Object.entries(GROUP_TITLES).flatMap(([group, title]) => {
    const members = present.filter(([, command]) => command.group === group);
    if (members.length === 0) return [];
    return [`## ${title}`, ...members.map(([name, command]) => commandSection(name, command))];
  });
  return `${[
    GENERATED,
    "# The command line",
    "`limbeck COMMAND [options]`. `limbeck --help` lists the commands, `limbeck COMMAND --help` explains one.",
    "## Options of every command",
    optionTable({ ...globalOptions, ...installOptions }),
    "## What goes where",
    [
      "- Results go to standard output, everything else (progress, remarks, errors) to standard error.",
      "- With `--json` standard output holds one JSON object per line and nothing else. Whole numbers beyond 2^53 are text.",
      '- With `--json` an error is one line on standard error: `{"error": {"code": …, "message": …, "details": …, "cause": …}}`. Codes are stable, messages may improve.',
      "- Text from trajectories is shown with control characters and reordering marks as escapes (`\\x1b`, `\\u202e`). CSV is exact when it goes to a file or a pipe.",
      "- Ctrl-C stops cleanly and keeps what was committed; a second one stops at once.",
      "- `LIMBECK_DEBUG=1` adds the stack to an error.",
    ].join("\n"),
    "## Exit codes",
    table(
      ["code", "meaning"],
      Object.entries(EXIT_MEANING).map(([code, meaning]) => [code, cell(meaning)]),
    ),
    "The code of an error says which of these it is; every other error, and a code that begins with `custom:` (of parts that you write), is 1:",
    table(["exit code", "codes of errors"], errorCodeRows()),
    "`limbeck import --lenient` ends with 0 although it left records out, since that was asked for; it ends with 3 when nothing could be read at all.",
    ...sections,
    "## Releases",
    table(
      ["release", "brings"],
      Object.entries(releases).map(([release, what]) => [release, cell(what)]),
    ),
  ].join("\n\n")}\n`;
}

function errorCodeRows(): string[][] {
  return Object.entries(EXIT).flatMap(([name, exit]) => {
    const codes = Object.entries(ERROR_CODES).filter(([, exitClass]) => exitClass === name);
    return codes.length === 0 ? [] : [[String(exit), codes.map(([code]) => `\`${code}\``).join(", ")]];
  });
}

function commandSection(name: string, command: Command): string {
  const parts = [
    `### \`limbeck ${name}\``,
    `${command.summary}.`,
    ["```text", `limbeck ${name} ${command.usage}`.trimEnd(), "```"].join("\n"),
  ];
  if (command.description !== undefined) parts.push(command.description);
  if (command.subcommands !== undefined) {
    parts.push(
      table(
        ["sub-command", "does"],
        Object.entries(command.subcommands).map(([sub, does]) => [`\`${sub}\``, cell(does)]),
      ),
    );
  }
  if (Object.keys(command.options).length > 0) parts.push(optionTable(command.options));
  if (command.examples.length > 0) parts.push("Examples:", code(command.examples));
  parts.push(
    "Fields with `--json`:",
    table(
      ["field", "meaning"],
      Object.entries(command.fields).map(([field, meaning]) => [`\`${field}\``, cell(meaning)]),
    ),
  );
  return parts.join("\n\n");
}

function optionTable(options: Command["options"]): string {
  return table(
    ["option", "does"],
    Object.entries(options).map(([name, option]) => [`\`${optionLabel(name, option)}\``, cell(option.summary)]),
  );
}

function code(lines: readonly string[]): string {
  return ["```sh", ...lines, "```"].join("\n");
}
