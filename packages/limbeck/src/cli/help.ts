/** Help texts, from the command definitions alone. */
import type { Command, CommandGroup, CommandTable, Option } from "./command.ts";
import { EXIT_MEANING } from "./exit-code.ts";
import { globalOptions, installOptions } from "./global-options.ts";
import type { Style } from "./look/style.ts";
import { padEnd, wrap } from "./look/text-width.ts";

export const GROUP_TITLES: Readonly<Record<CommandGroup, string>> = {
  start: "Start here",
  data: "Bring in, ask, hand out",
  look: "Look",
  learn: "Act, learn, compare",
  shell: "Shell",
};

/** What people need first: to see it work, to bring in an agent and its skills, to begin a world, to train, to look. */
const FIRST = ["demo", "import", "skills", "init", "train", "studio"];
/** Examples beside the usual options, where there are sections. */
const FIRST_EXAMPLES = 2;

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
  const list = (title: string, names: readonly string[]): void => {
    if (names.length === 0) return;
    const entries = names.map((name) => [name, commands[name]?.summary ?? ""] as const);
    lines.push("", style.bold(title), ...definitionLines(entries, { style, columns }));
  };
  list(
    "First",
    FIRST.filter((name) => Object.hasOwn(commands, name)),
  );
  for (const [group, title] of Object.entries(GROUP_TITLES)) {
    list(
      title,
      Object.keys(commands).filter((name) => commands[name]?.group === group),
    );
  }
  lines.push(
    "",
    style.bold("Options of every command"),
    ...optionLines({ ...globalOptions, ...installOptions }, { style, columns }),
    "",
  );
  lines.push(`${style.dim("More:")} limbeck COMMAND --help`);
  return lines.join("\n");
}

export function commandHelp(name: string, command: Command, { style, columns }: HelpOptions): string {
  const lines = [
    `${style.bold(`limbeck ${name}`)}  ${command.summary}`,
    "",
    `${style.bold("Usage")}  limbeck ${name} ${command.usage}`.trimEnd(),
  ];
  const section = (title: string, body: readonly string[]): void => {
    if (body.length > 0) lines.push("", style.bold(title), ...body);
  };
  const [usual, ...others] = optionSections(command);
  const early = command.sections === undefined ? 0 : FIRST_EXAMPLES;
  const examples = command.examples.map((example) => `  ${style.dim("$")} ${example}`);
  if (usual !== undefined && early > 0) section(usual[0], optionLines(usual[1], { style, columns }));
  section("Examples", examples.slice(0, early));
  if (command.description !== undefined) {
    lines.push("", ...command.description.split("\n").flatMap((line) => wrap(line, Math.min(columns, 100))));
  }
  section("Sub-commands", definitionLines(Object.entries(command.subcommands ?? {}), { style, columns }));
  if (usual !== undefined && early === 0) section(usual[0], optionLines(usual[1], { style, columns }));
  for (const [title, options] of others) section(title, optionLines(options, { style, columns }));
  section(early === 0 ? "Examples" : "More examples", examples.slice(early));
  section("JSON fields (--json)", definitionLines(Object.entries(command.fields), { style, columns }));
  const codes = Object.entries(EXIT_MEANING).map(
    ([code, meaning]) => `${code} ${meaning.split(":")[0]?.split(" by")[0]}`,
  );
  lines.push("", `${style.bold("Exit codes")}  ${codes.join(", ")}`);
  const more = command.natives === undefined ? "" : "; --yes installs what is missing";
  const also = Object.keys(globalOptions).map((option) => `--${option}`);
  lines.push(`${style.dim("Also:")} ${also.join(", ")}${more}`);
  return lines.join("\n");
}

/** The options of a command by heading, in order; without sections they are one list. */
export function optionSections({ options, sections = {} }: Command): (readonly [string, Command["options"]])[] {
  const named = new Set(Object.values(sections).flat());
  const rest = Object.keys(options).filter((name) => !named.has(name));
  const all = { ...sections, [named.size === 0 ? "Options" : "More options"]: rest };
  return Object.entries(all).flatMap(([title, names]) => {
    const members = names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]] as const]));
    return members.length === 0 ? [] : [[title, Object.fromEntries(members)] as const];
  });
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
