/** Help texts, from the command definitions alone. */
import type { Command, CommandGroup, CommandTable, Option } from "./command.ts";
import { EXIT_MEANING } from "./exit-code.ts";
import { globalOptions } from "./global-options.ts";
import type { Style } from "./look/style.ts";
import { padEnd, wrap } from "./look/text-width.ts";

export const GROUP_TITLES: Readonly<Record<CommandGroup, string>> = {
  start: "Start here",
  data: "Bring in, ask, hand out",
  look: "Look",
  learn: "Act, learn, compare",
  shell: "Shell",
};

interface HelpOptions {
  readonly style: Style;
  readonly columns: number;
}

export function mainHelp(commands: CommandTable, version: string, { style, columns }: HelpOptions): string {
  const lines = [
    `${style.bold("limbeck")} ${style.dim(version)}  Language-model agents that learn from their own trajectories.`,
    "",
    `${style.bold("Usage")}  limbeck COMMAND [options]`,
  ];
  for (const [group, title] of Object.entries(GROUP_TITLES)) {
    const members = Object.entries(commands).filter(([, command]) => command.group === group);
    if (members.length === 0) continue;
    lines.push("", style.bold(title));
    lines.push(
      ...definitionLines(
        members.map(([name, command]) => [name, command.summary]),
        { style, columns },
      ),
    );
  }
  lines.push("", style.bold("Options of every command"), ...optionLines(globalOptions, { style, columns }), "");
  lines.push(`${style.dim("More:")} limbeck COMMAND --help`);
  return lines.join("\n");
}

export function commandHelp(name: string, command: Command, { style, columns }: HelpOptions): string {
  const lines = [
    `${style.bold(`limbeck ${name}`)}  ${command.summary}`,
    "",
    `${style.bold("Usage")}  limbeck ${name} ${command.usage}`.trimEnd(),
  ];
  if (command.description !== undefined) {
    lines.push("", ...command.description.split("\n").flatMap((line) => wrap(line, Math.min(columns, 100))));
  }
  const section = (title: string, body: readonly string[]): void => {
    if (body.length > 0) lines.push("", style.bold(title), ...body);
  };
  section("Sub-commands", definitionLines(Object.entries(command.subcommands ?? {}), { style, columns }));
  section("Options", optionLines(command.options, { style, columns }));
  section(
    "Examples",
    command.examples.map((example) => `  ${style.dim("$")} ${example}`),
  );
  section("JSON fields (--json)", definitionLines(Object.entries(command.jsonFields), { style, columns }));
  const codes = Object.entries(EXIT_MEANING).map(
    ([code, meaning]) => `${code} ${meaning.split(":")[0]?.split(" by")[0]}`,
  );
  lines.push("", `${style.bold("Exit codes")}  ${codes.join(", ")}`);
  lines.push(
    `${style.dim("Also:")} ${Object.keys(globalOptions)
      .map((option) => `--${option}`)
      .join(", ")}`,
  );
  return lines.join("\n");
}

/** `-q, --quiet` or `--store DIR`. */
export function optionLabel(name: string, option: Option): string {
  const short = option.short === undefined ? "" : `-${option.short}, `;
  return `${short}--${name}${option.type === "string" ? ` ${option.value ?? "VALUE"}` : option.mayTake === undefined ? "" : ` [${option.value}]`}`;
}

function optionLines(options: Readonly<Record<string, Option>>, help: HelpOptions): string[] {
  return definitionLines(
    Object.entries(options).map(([name, option]) => [optionLabel(name, option), option.summary]),
    help,
  );
}

function definitionLines(entries: readonly (readonly [string, string])[], { style, columns }: HelpOptions): string[] {
  const width = Math.min(28, Math.max(0, ...entries.map(([term]) => term.length)));
  return entries.flatMap(([term, text]) => {
    const folded = wrap(text, Math.max(24, Math.min(columns, 110) - width - 4));
    const [head = "", ...rest] = term.length > width ? ["", ...folded] : folded;
    return [
      `  ${style.cyan(padEnd(term, width))}  ${head}`.trimEnd(),
      ...rest.map((line) => `  ${" ".repeat(width)}  ${line}`),
    ];
  });
}
