/** Files that stand where the name of a part is taken: loaded before the command runs, and then found by every look-up. */
import { loadPart } from "../base/parts/load-part.ts";
import { hasModuleEnding, namesFile } from "../base/parts/part.ts";

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
