/** The search that the inputs of an operation describe: method, value, budget, and whom it may ask. */
import { resolve } from "node:path";
import { usageError } from "limbeck-base/base/errors";
import { statIfThere } from "limbeck-base/base/files";
import { withoutUndefined } from "limbeck-base/base/fields";
import { readSettings, type Context, type Input } from "limbeck-base/base/operation";
import type { Demonstrator } from "limbeck-core/env/expert";
import { getStrategy } from "limbeck-core/rollout/registry";
import { getSearch } from "limbeck-core/search/registry";
import { getValue } from "limbeck-core/search/values/index";
import { givenWriter } from "limbeck-core/skill/writer/given-writer";
import { scorerPlace } from "limbeck-training/training/scorer/open-scorer";
import type { TokenPrices } from "limbeck-core/walk/purse";
import { openSearch, type OpenedSearch, type SearchSettings } from "./search-plan.ts";
import type { searchInputs } from "./search.inputs.ts";

export type SearchInput = Input<typeof searchInputs> & {
  /** Who acts. */
  readonly policy?: string | undefined;
};

/** A search by its name. */
export async function givenSearch(search: string, input: SearchInput, context: Context): Promise<OpenedSearch> {
  const { value, valueOptions, searchOptions } = input;
  return await openWritten(input, context, {
    search,
    searchOptions: readSettings(getSearch(search).options, searchOptions, search),
    value,
    ...(value === undefined ? {} : { valueOptions: readSettings(getValue(value).options, valueOptions, value) }),
  });
}

/** A rollout strategy with the budget of a search. */
export async function givenStrategySearch(
  strategy: string,
  demonstrator: Demonstrator | undefined,
  input: SearchInput,
  context: Context,
): Promise<OpenedSearch> {
  const searchOptions = readSettings(getStrategy(strategy).options, input.searchOptions, strategy);
  return await openWritten(input, context, { strategy, demonstrator, searchOptions });
}

/** With whom the input names as writer; closed with the search. */
async function openWritten(
  { ask, searchBudget, prices, scorer, blind, policy }: SearchInput,
  context: Context,
  settings: SearchSettings,
): Promise<OpenedSearch> {
  const writer = await givenWriter(ask, context, () => ownFolder(policy, context));
  try {
    const search = await openSearch(
      {
        ...settings,
        budget: searchBudget,
        ...withoutUndefined({ prices: readPrices(prices), writer }),
        scorer: scorerPlace(scorer, context.cwd),
        seesOutcome: !blind,
      },
      context.environment,
    );
    const close = async (): Promise<void> => {
      await search.close();
      await writer?.close?.();
    };
    return { ...search, close };
  } catch (error) {
    await writer?.close?.();
    throw error;
  }
}

/** The model that acts, where it lies in a folder or file: opened once more, it may write too. */
async function ownFolder(policy = "", { cwd }: Context): Promise<string | undefined> {
  const there = policy === "" ? undefined : await statIfThere(resolve(cwd, policy));
  return there === undefined ? undefined : `local:${policy}`;
}

export function readPrices(text: string | undefined): TokenPrices | undefined {
  if (text === undefined) return undefined;
  const [usdPerMillionRead = Number.NaN, usdPerMillionSaid = Number.NaN, ...more] = text.split(",").map(Number);
  if (usdPerMillionRead >= 0 && usdPerMillionSaid >= 0 && more.length === 0) {
    return { usdPerMillionRead, usdPerMillionSaid };
  }
  throw usageError(
    `--prices takes two numbers, US dollars for a million tokens read and said: 0.5,1.5; got "${text}".`,
  );
}
