/** Which settings a tune tries: values for each name, and a few combinations of them where all would be too many. */
import { createRng, shuffle } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import { parseOption } from "limbeck-base/base/options";
import type { OptionTable } from "limbeck-base/base/option-table";
import { fittingStrategy, settingsTable } from "limbeck-core/recipe/settings";
import { getRecipe } from "limbeck-core/recipe/registry";
import { variedArms, type ArmInput } from "../vary.ts";

/** A name and the values it takes. */
export type Over = readonly [name: string, values: readonly string[]];

/** What is tried of the settings that matter first, as multiples of the recipe's own value. */
const MULTIPLES: Readonly<Record<string, readonly number[]>> = {
  learningRate: [1 / 10, 1 / 3, 1, 10 / 3],
  group: [1 / 2, 1, 2],
  temperature: [0.8, 1, 1.2],
};

export interface TunedRecipe {
  readonly recipe: string;
  /** What every trial has: settings as texts, and credit, strategy, objective or preset. */
  readonly given: readonly (readonly [string, string])[];
}

export interface Trial {
  readonly arm: ArmInput;
  readonly values: Readonly<Record<string, string>>;
  /** Whether these are the recipe's own values, or those that were given. */
  readonly own: boolean;
}

/**
 * "kl=0,0.01" has its own values; a name alone takes multiples of the recipe's own value. Nothing at all stands for the
 * learning rate, the group size and the temperature, as far as the recipe lets them change.
 */
export function searchedOver(tuned: TunedRecipe, texts: readonly string[]): Over[] {
  const table = tableOf(tuned);
  const given = new Map(tuned.given);
  if (texts.length === 0) {
    return Object.keys(MULTIPLES).flatMap((name): Over[] => {
      const values = given.has(name) ? [] : multiplesOf(name, table, tuned);
      return values.length < 2 ? [] : [[name, values]];
    });
  }
  const over = texts.map((text): Over => {
    const at = text.indexOf("=");
    const name = at < 0 ? text : text.slice(0, at);
    const values = at < 0 ? multiplesOf(name, table, tuned) : text.slice(at + 1).split(",");
    const clean = [...new Set(values.map((value) => value.trim()))];
    if (name === "" || clean.includes("") || clean.length < 2) throw badOver(text, name, table);
    if (given.has(name)) {
      throw new EngineError("usage", `${name} is searched over and also given as ${given.get(name)}. Leave one out.`);
    }
    return [name, clean];
  });
  const twice = over.find(([name], at) => over.findIndex(([other]) => other === name) !== at);
  if (twice === undefined) return over;
  throw new EngineError(
    "usage",
    `"${twice[0]}" is searched over twice. Give all its values at once: ${twice[0]}=A,B,C.`,
  );
}

function badOver(text: string, name: string, table: OptionTable): EngineError {
  const alone = !text.includes("=") && Object.hasOwn(table, name);
  const why = alone ? `no values of ${name} are tried by themselves` : "two or more different values are needed";
  return new EngineError(
    "usage",
    `"${text}" is nothing to search over: ${why}. Give NAME=A,B,C, such as klWeight=0,0.01.`,
  );
}

/** Values round the recipe's own one that its table takes. */
function multiplesOf(name: string, table: OptionTable, { recipe }: TunedRecipe): string[] {
  const own = table[name]?.default;
  if (typeof own !== "number" || !Object.hasOwn(MULTIPLES, name)) return [];
  const whole = name === "group";
  const values = (MULTIPLES[name] ?? []).map((factor) => {
    const value = Number((own * factor).toPrecision(factor === 1 ? 6 : 1));
    // One episode alone has nothing to be compared with.
    return whole ? Math.max(2, Math.round(own * factor)) : value;
  });
  return [...new Set(values.map(String))].filter((text) => {
    try {
      parseOption(table, name, text, `the recipe ${recipe}`);
      return true;
    } catch {
      // A value that the setting does not take is no trial.
      return false;
    }
  });
}

/** A preset says its own values, as the recipe's own. */
function tableOf({ recipe: name, given }: TunedRecipe): OptionTable {
  const recipe = getRecipe(name);
  const told = new Map(given);
  const credit = told.get("credit") ?? recipe.credit;
  const strategy = told.get("strategy") ?? fittingStrategy(credit, recipe).name;
  const table = settingsTable(recipe, credit, { strategy, objective: told.get("objective") });
  const preset = recipe.presets?.[told.get("preset") ?? ""] ?? {};
  const changed = Object.entries(table).map(([key, spec]) =>
    Object.hasOwn(preset, key) ? [key, { ...spec, default: preset[key] }] : [key, spec],
  );
  return Object.fromEntries(changed) as OptionTable;
}

/**
 * At most `most` combinations, the recipe's own first where it is among them. Of more, some are drawn so that each value
 * comes up about as often as every other.
 */
export function chooseTrials(tuned: TunedRecipe, over: readonly Over[], most: number): Trial[] {
  const table = tableOf(tuned);
  const all = over.reduce<Readonly<Record<string, string>>[]>(
    (known, [name, values]) => known.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  );
  if (all.length < 2 || most < 2) {
    throw new EngineError(
      "usage",
      "A tune needs at least two settings to choose from. Give --over NAME=A,B, and --trials of 2 or more.",
    );
  }
  const isOwn = (values: Readonly<Record<string, string>>): boolean =>
    Object.entries(values).every(([name, value]) => sameValue(table, tuned, name, value));
  const waiting = (all.length > most ? shuffle(all, createRng("trials")) : all).toSorted(
    (left, right) => Number(isOwn(right)) - Number(isOwn(left)),
  );
  const used = new Map<string, number>();
  const chosen: Readonly<Record<string, string>>[] = [];
  const uses = (values: Readonly<Record<string, string>>): number =>
    Object.entries(values).reduce((sum, [name, value]) => sum + (used.get(`${name}=${value}`) ?? 0), 0);
  while (chosen.length < most && waiting.length > 0) {
    const at =
      all.length <= most
        ? 0
        : waiting.reduce((best, one, index) => (uses(one) < uses(waiting[best] ?? {}) ? index : best), 0);
    const [next = {}] = waiting.splice(at, 1);
    for (const [name, value] of Object.entries(next))
      used.set(`${name}=${value}`, (used.get(`${name}=${value}`) ?? 0) + 1);
    chosen.push(next);
  }
  return chosen.map((values, at) => trialOf(tuned, values, at, isOwn(values)));
}

function sameValue(table: OptionTable, { recipe }: TunedRecipe, name: string, text: string): boolean {
  const spec = table[name];
  return spec !== undefined && spec.default === parseOption(table, name, text, `the recipe ${recipe}`);
}

/** Every one has its number in front: what follows is shortened, and may be the same. */
function trialOf(
  { recipe, given }: TunedRecipe,
  values: Readonly<Record<string, string>>,
  at: number,
  own: boolean,
): Trial {
  const pairs = Object.entries(values);
  const [arm] = variedArms(
    recipe,
    pairs.map(([name, value]) => [name, [value]] as const),
    given,
  );
  const words = pairs.map(([name, value]) => `${name}=${value}`).join(",");
  const name = `${at + 1},${words}`.replace(/[^A-Za-z0-9._=,+-]/g, "_").slice(0, 100);
  return { arm: { ...(arm as ArmInput), name }, values, own };
}
