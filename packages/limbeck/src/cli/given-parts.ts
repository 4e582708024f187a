/** Files that stand where the name of a part is taken: loaded before the command runs, and then found by every look-up. */
import { usageError } from "limbeck-base/base/errors";
import { loadPart } from "limbeck-base/base/parts/load-part";
import { hasModuleEnding, namesFile, readWorldWord } from "limbeck-base/base/parts/part";
import type { Command } from "./command.ts";

/** The words of a command line, as far as files can be among them. */
interface Given {
  readonly name: string | undefined;
  readonly positionals: readonly string[];
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** What a file must hold, by the option that names it. */
const PART_OPTIONS: Readonly<Record<string, string>> = {
  env: "environment",
  reward: "reward",
  recipe: "recipe",
  credit: "credit method",
  objective: "objective",
  strategy: "strategy",
  search: "search",
  collect: "search",
  method: "search",
  policy: "agent",
  against: "agent",
};

/** Folders of models have paths too, so that only an ending tells. */
const FOLDERS_TOO: readonly string[] = ["policy", "against"];

/** Whether the value of an option is a file of one's own. */
export function givesFile(option: string, value: string): boolean {
  if (!Object.hasOwn(PART_OPTIONS, option)) return false;
  return FOLDERS_TOO.includes(option) ? hasModuleEnding(value) : namesFile(value);
}

/** What a file must hold where it stands for the value of an option; "" where none can. */
export function partKind(command: string | undefined, option: string): string {
  if (command === "credit" && option === "method") return "credit method";
  return Object.hasOwn(PART_OPTIONS, option) ? (PART_OPTIONS[option] as string) : "";
}

/** Whether any word names one, so that the process is to be held before it runs. */
export function namesParts({ values, positionals }: Given): boolean {
  const given = [...values].flatMap(([option, all]) => all.map((value) => wordOf(option, value).word));
  return [...positionals, ...given].some(hasModuleEnding);
}

/** The same words, with each file loaded and in its place the name by which look-ups find it. */
export async function withLoadedParts(parsed: Given, cwd: string): Promise<Given> {
  const values = new Map<string, readonly string[]>();
  for (const [option, given] of parsed.values) {
    const names: string[] = [];
    for (const value of given) names.push(await loadedValue(parsed.name, option, value, cwd));
    values.set(option, names);
  }
  return { ...parsed, values };
}

async function loadedValue(command: string | undefined, option: string, value: string, cwd: string): Promise<string> {
  const { word, rest } = wordOf(option, value);
  const named = option === "next" ? "env" : option;
  if (!givesFile(named, word)) return value;
  const { name } = await loadPart(word, { cwd, kind: partKind(command, named) });
  return `${name}${rest}`;
}

/** "limbeck worker --env" takes ID=N, and "limbeck train --next" takes a world and its options. */
function wordOf(option: string, value: string): { readonly word: string; readonly rest: string } {
  const behind = option === "next" ? /^(\S+)(.*)$/ : /^(.*\.m?[jt]s)(=\d+)$/;
  const [, word = value, rest = ""] = behind.exec(value) ?? [];
  return { word, rest };
}

// `--env python:MODULE`: the same as `--env python` and the module as an option of the world.

/** The same words with the module where the command takes options of its world. */
export function withModules(parsed: Given, command: Pick<Command, "options">): Given {
  const values = new Map(parsed.values);
  const [word = ""] = parsed.values.get("env") ?? [];
  const { id, options } = readWorldWord(word);
  const module = options["module"];
  if (module !== undefined) {
    const { name = "" } = parsed;
    if (module.trim() === "") {
      throw usageError(`--env ${word} names no module. Give --env python:NAME or --env python:./world.py.`);
    }
    const option = ["env-set", "set"].find((one) => Object.hasOwn(command.options, one));
    if (option === undefined) {
      throw usageError(
        `"limbeck ${name}" takes --env python: which module it is comes with the work, not from --env ${word}.`,
      );
    }
    values.set("env", [id]);
    values.set(option, [`module=${module}`, ...(parsed.values.get(option) ?? [])]);
  }
  const next = parsed.values.get("next");
  if (next !== undefined) values.set("next", next.map(nextWorld));
  return { ...parsed, values };
}

/** --next takes a world and its options in one text. */
function nextWorld(text: string): string {
  const [word = "", ...rest] = text.trim().split(/\s+/);
  const { id, options } = readWorldWord(word);
  return [id, ...Object.entries(options).map(([name, value]) => `${name}=${value}`), ...rest].join(" ");
}
