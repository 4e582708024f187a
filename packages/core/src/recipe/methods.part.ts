/**
 * Methods that are given by name, for options that take one. They are read from the text of a registry, whose tables are plain literals: importing it
 * would load every method, and a wrong word is answered at once.
 */
import { fileURLToPath } from "node:url";
import { textIfThere } from "limbeck-base/base/files";
import type { Part } from "limbeck-base/base/operation";

const TABLE = /^(?:export )?const \w+ = \{\n([^{}]*)\}/gm;
/** `"mc-critic": mcCritic` or `grpo`, one a line. */
const ENTRY = /^\s*"?([\w-]+)"?(?=:|,?$)/gm;

/** Of all tables in the text of a registry, source or compiled, by the alphabet. */
export function namesIn(text: string): string[] {
  const tables = [...text.matchAll(TABLE)].map(([, body = ""]) => body);
  return tables.flatMap((body) => [...body.matchAll(ENTRY)].map(([, name = ""]) => name)).sort();
}

/** In a bundle there is no such file, and the room is loaded; the front of a clone's command line lies in the package beside this one. */
async function namesOf(room: string, load: () => Promise<object>): Promise<readonly string[]> {
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  for (const way of [`../${room}/registry.${ending}`, `../../../core/dist/${room}/registry.js`]) {
    const names = namesIn((await textIfThere(fileURLToPath(new URL(way, import.meta.url)))) ?? "");
    if (names.length > 0) return names;
  }
  return Object.keys(await load());
}

export const creditPart = {
  names: () => namesOf("credit", async () => (await import("limbeck-core/credit/registry")).allCredits),
} satisfies Part;
export const policyLossPart = {
  names: async () => (await import("limbeck-core/recipe/settings")).POLICY_LOSSES,
} satisfies Part;
export const recipePart = {
  names: () => namesOf("recipe", async () => (await import("limbeck-core/recipe/registry")).allRecipes),
} satisfies Part;
export const rewardPart = {
  names: () => namesOf("reward", async () => (await import("limbeck-core/reward/registry")).allRewards),
} satisfies Part;
export const searchPart = {
  names: () => namesOf("search", async () => (await import("limbeck-core/search/registry")).allSearches),
} satisfies Part;
export const strategyPart = {
  names: () => namesOf("rollout", async () => (await import("limbeck-core/rollout/registry")).allStrategies),
} satisfies Part;
export const valuePart = {
  names: async () => Object.keys((await import("limbeck-core/search/values/index")).values),
} satisfies Part;
