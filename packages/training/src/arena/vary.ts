/** Arms from the command line: recipes by name, and ablations of them, one arm for every combination of values. */
import { EngineError } from "limbeck-base/base/errors";
import { jsonOrText, type Json } from "limbeck-base/base/json";
import { parseOption } from "limbeck-base/base/options";
import { fittingStrategy, settingsTable } from "limbeck-core/recipe/settings";
import { getRecipe } from "limbeck-core/recipe/registry";
import type { ArenaPlanInput } from "./plan.ts";

export type ArmInput = ArenaPlanInput["arms"][number];

/** A key and the values it takes in turn. */
export type Varied = readonly [key: string, values: readonly string[]];

const WORLD = "env.";
const NAMES = ["credit", "strategy", "objective", "preset", "reward", "model"] as const;

/** "teacher=self,ema". */
export function parseVaried(text: string): Varied {
  const at = text.indexOf("=");
  const values = text.slice(at + 1).split(",");
  if (at < 1 || values.some((value) => value.trim() === "")) {
    throw new EngineError("usage", `--vary takes KEY=VALUE,VALUE…, not "${text}".`);
  }
  return [text.slice(0, at), values.map((value) => value.trim())];
}

/**
 * Every combination, named after what it varies: `opid+teacher=self+form=shift`. A key is a setting of the recipe, or
 * credit, strategy, objective, preset, reward, model, noise, or `env.NAME` for an option of the world.
 */
export function variedArms(
  recipe: string,
  varied: readonly Varied[],
  given: readonly (readonly [string, string])[] = [],
): ArmInput[] {
  const combinations = varied.reduce<(readonly (readonly [string, string])[])[]>(
    (known, [key, values]) => known.flatMap((one) => values.map((value) => [...one, [key, value] as const])),
    [[]],
  );
  return combinations.map((chosen) => {
    const name = [recipe, ...chosen.map(([key, value]) => `${key}=${value}`)].join("+");
    return armWith(recipe, name.replace(/[^A-Za-z0-9._=,+-]/g, "_").slice(0, 100), [...given, ...chosen]);
  });
}

function armWith(recipe: string, name: string, chosen: readonly (readonly [string, string])[]): ArmInput {
  const told = new Map(chosen);
  const fields = Object.fromEntries(NAMES.flatMap((key) => (told.has(key) ? [[key, told.get(key)]] : [])));
  const credit = told.get("credit") ?? getRecipe(recipe).credit;
  const strategy = told.get("strategy") ?? fittingStrategy(credit, getRecipe(recipe)).name;
  const table = settingsTable(getRecipe(recipe), credit, { strategy, objective: told.get("objective") });
  const world: [string, Json][] = [];
  const settings: [string, number | string | boolean | null][] = [];
  let noise: number | undefined;
  for (const [key, value] of told) {
    if ((NAMES as readonly string[]).includes(key)) continue;
    if (key === "noise") noise = Number(value);
    else if (key.startsWith(WORLD)) world.push([key.slice(WORLD.length), jsonOrText(value)]);
    else settings.push([key, parseOption(table, key, value, `the recipe ${recipe}`)]);
  }
  return {
    name,
    recipe,
    ...fields,
    settings: Object.fromEntries(settings),
    ...(noise === undefined ? {} : { noise }),
    ...(world.length === 0 ? {} : { envOptions: Object.fromEntries(world) as NonNullable<ArmInput["envOptions"]> }),
  };
}
