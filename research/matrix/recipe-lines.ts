/** How each recipe runs in the matrix: as it stands, with the settings that all lines share, unless it is named here. */
import type { OptionValue } from "../../packages/base/src/base/option-table.ts";
import { getRecipe } from "limbeck/update";
import type { JsonObject } from "limbeck";
import { allRecipes } from "../all-methods.ts";

interface RecipeSetting {
  readonly env?: string;
  readonly envOptions?: JsonObject;
  readonly settings?: Readonly<Record<string, OptionValue>>;
  /** Who supplies what it needs, where its settings do not say. */
  readonly supplied?: string;
}

/** Recipes whose small setting is not the common one, or whose helpers need words. */
const SETTINGS: Readonly<Record<string, RecipeSetting>> = {
  // A tree of each task, as dear as four episodes.
  "agent-q": { settings: { searchSteps: 48 } },
  // Every state has its alternatives, so one episode of a task is enough.
  "early-experience": { settings: { group: 1 }, supplied: "the world's demonstrator, at whose states it acts too" },
  fate: { supplied: "the world's demonstrator as reflector" },
  lookahead: { settings: { group: 1 } },
  maestro: { supplied: "the world's demonstrators as experts, each for 1, to the end of the episode" },
  otr: { supplied: "the world's demonstrator, who shows how" },
  pbsd: { supplied: "the demonstrator's solution, told to the policy itself" },
  r3l: { supplied: "the world's demonstrator as reflector" },
  "r3l-pairs": { supplied: "the world's demonstrator as reflector" },
  "scope-b": { supplied: "the world's demonstrator as corrector, its feedback as judge of steps" },
  // Chains of two, and tasks that come back, so that there are skills to use.
  sage: { settings: { "tasks.pool": 16 }, supplied: "a library that begins empty" },
  skill1: { supplied: "a library that begins empty" },
  // Twenty updates must be enough for the curriculum to come to whole episodes.
  tcod: { settings: { period: 1 } },
};

export const recipeIds: readonly string[] = Object.keys(allRecipes);

export function recipeSetting(name: string): RecipeSetting & { readonly supplied: string } {
  const own = SETTINGS[name] ?? {};
  return { ...own, supplied: own.supplied ?? suppliedBy(name) };
}

/** Who teaches, and what it is told, by the recipe's own defaults. */
function suppliedBy(name: string): string {
  const { teacher, context } = getRecipe(name).settings;
  if (teacher === undefined) return "nothing beyond the episodes";
  return `the teacher ${String(teacher.default)}${context === undefined ? "" : `, told ${String(context.default)}`}`;
}
