/** Settings as code gives them: nested, and typed by the recipe and the credit method they are for. */
import { EngineError, type OptionTable, type OptionValue, type OptionValues } from "../base/index.ts";
import type { CreditId } from "../credit/index.ts";
import type { allCredits } from "../credit/registry.ts";
import type { providers, ProviderId } from "../update/providers/index.ts";
import type { sharedSettings } from "../update/settings.ts";
import type { RecipeId, allRecipes } from "./registry.ts";

type Values = Readonly<Record<string, OptionValue>>;
type Some<Table> = Partial<OptionValues<Table>>;
type Plain<Table> = {
  readonly [Name in keyof Table as Name extends `${string}.${string}` ? never : Name]: Table[Name];
};

/** The credit method that a recipe uses by itself. */
export type CreditOf<Name extends RecipeId> = (typeof allRecipes)[Name]["credit"];

type CreditOptions<Method> = Method extends CreditId ? Some<(typeof allCredits)[Method]["options"]> : Values;

/** `{ group: 4, credit: { gamma: 0.9 } }`; on a command line `--set group=4 --set credit.gamma=0.9`. */
export type GivenSettings<Name extends RecipeId, Method> = Some<
  Omit<typeof sharedSettings, keyof (typeof allRecipes)[Name]["settings"] | "tasks">
> &
  Some<
    Plain<(typeof allRecipes)[Name]["settings"] extends OptionTable ? (typeof allRecipes)[Name]["settings"] : never>
  > & {
    /** Tasks per update, or how many the run has; both: `tasks: 4, "tasks.pool": 64`. */
    readonly tasks?: number | { readonly pool?: number | null };
    readonly credit?: CreditOptions<Method>;
    readonly strategy?: Values;
    readonly collect?: Values;
    /** Its name, or its options; the name is then the option `objective` of the training. */
    readonly objective?: string | Values;
    readonly pairs?: Values;
  } & { readonly [Id in ProviderId]?: Some<(typeof providers)[Id]["options"]> };

/** With dots in the place of nesting. What is neither a value nor a group of values is refused by name. */
export function flatSettings(given: Readonly<Record<string, unknown>>): Record<string, OptionValue> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]): [string, OptionValue][] => {
      if (value === undefined) return [];
      if (isValue(value)) return [[name, value]];
      if (typeof value !== "object" || Array.isArray(value)) throw noSetting(name, value);
      return Object.entries(value).flatMap(([own, inner]: [string, unknown]): [string, OptionValue][] => {
        if (inner === undefined) return [];
        if (isValue(inner)) return [[`${name}.${own}`, inner]];
        throw noSetting(`${name}.${own}`, inner);
      });
    }),
  );
}

function isValue(value: unknown): value is OptionValue {
  return value === null || ["number", "string", "boolean"].includes(typeof value);
}

function noSetting(name: string, value: unknown): EngineError {
  return new EngineError(
    "usage",
    `The setting ${name} is ${Array.isArray(value) ? "a list" : `a ${typeof value}`}; a setting is a number, a text, true, false or null, and settings nest one level deep (credit: { gamma: 0.9 }).`,
    { details: { setting: name } },
  );
}
