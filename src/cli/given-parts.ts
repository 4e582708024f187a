/** Files that stand where the name of a part is taken: loaded before the command runs, and then found by every look-up. */
import { loadPart } from "../base/parts/load-part.ts";
import { hasModuleEnding, namesFile } from "../base/parts/part.ts";
import type { Parsed } from "./parse.ts";

/** What a file must hold, by the option that names it. */
export const PART_OPTIONS: Readonly<Record<string, string>> = {
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

/** The same words, with each file loaded and in its place the name by which look-ups find it. */
export async function withLoadedParts(parsed: Parsed, cwd: string): Promise<Parsed> {
  const values = new Map<string, readonly string[]>();
  for (const [option, given] of parsed.values) {
    values.set(option, await Promise.all(given.map((value) => loadedValue(option, value, cwd))));
  }
  return { ...parsed, values };
}

async function loadedValue(option: string, value: string, cwd: string): Promise<string> {
  // "limbeck worker" takes ID=N.
  const [, word = value, count = ""] = /^(.*\.m?[jt]s)(=\d+)?$/.exec(value) ?? [];
  if (!givesFile(option, word)) return value;
  const { name } = await loadPart(word, { cwd, kind: PART_OPTIONS[option] as string });
  return `${name}${count}`;
}
