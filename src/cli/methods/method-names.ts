/**
 * Names of methods, for options that take one. They are read from the text of a registry, whose tables are plain literals: importing it
 * would load every method, and a wrong word is answered at once.
 */
import { readFileSync } from "node:fs";

const TABLE = /^(?:export )?const \w+ = \{\n([^{}]*)\}/gm;
/** `"mc-critic": mcCritic` or `grpo`, one a line. */
const ENTRY = /^\s*"?([\w-]+)"?(?=:|,?$)/gm;

/** Of all tables in the text of a registry, source or compiled, by the alphabet. */
export function namesIn(text: string): string[] {
  const tables = [...text.matchAll(TABLE)].map(([, body = ""]) => body);
  return tables.flatMap((body) => [...body.matchAll(ENTRY)].map(([, name = ""]) => name)).sort();
}

const registryNames = (room: string) => (): readonly string[] => {
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return namesIn(readFileSync(new URL(`../../${room}/registry.${ending}`, import.meta.url), "utf8"));
};

export const creditNames = registryNames("credit");
export const recipeNames = registryNames("recipe");
export const rewardNames = registryNames("reward");
export const searchNames = registryNames("search");
export const strategyNames = registryNames("rollout");
