/** The search that the options of a command describe: method, value, budget, and whom it may ask. */

import { resolve } from "node:path";
import { statIfThere } from "../../base/files.ts";
import type { OptionTable, OptionValue } from "../../base/index.ts";
import { parseOption } from "../../base/options.ts";
import type { Demonstrator } from "../../env/index.ts";
import { getStrategy } from "../../rollout/index.ts";
import { openSearch, type OpenedSearch, type SearchSettings } from "../../run/index.ts";
import { getSearch, getValue } from "../../search/index.ts";
import type { Writer } from "../../skill/index.ts";
import { spendingKinds, type TokenPrices } from "../../walk/index.ts";
import type { Invocation } from "../command.ts";
import { givenWriter } from "../given-writer.ts";
import { parseOptionTexts } from "../play/world-options.ts";
import { usageError } from "../parse.ts";
import { givenAmounts } from "../rollout/rollout-options.ts";
import { givenScorer } from "../model/given-scorer.ts";

/** Names of the options that say it, which differ between commands. */
export interface SearchOptionNames {
  readonly method: string;
  readonly set: string;
  readonly budget: string;
}

export const SEARCH_OPTION_NAMES: SearchOptionNames = { method: "search", set: "search-set", budget: "search-budget" };

/** Undefined where no search is asked for; then its other options have no place either. */
export async function chosenSearch(
  invocation: Invocation,
  names: SearchOptionNames = SEARCH_OPTION_NAMES,
): Promise<OpenedSearch | undefined> {
  const method = invocation.text(names.method);
  if (method === undefined) {
    const stray = [names.set, names.budget, "value", "value-set", "scorer", "prices", "ask", "blind"].find(
      (name) => invocation.flag(name) || invocation.text(name) !== undefined || invocation.texts(name).length > 0,
    );
    if (stray !== undefined) throw usageError(`--${stray} belongs to a search; name one with --${names.method}.`);
    return undefined;
  }
  return await writtenBy(invocation, (writer) =>
    openSearch({ ...givenSearch(invocation, method, names), writer }, invocation.io.env),
  );
}

/** `limbeck search --strategy`: a rollout strategy with the budget of a search. */
export async function chosenStrategy(
  invocation: Invocation,
  strategy: string,
  { method, set, budget }: SearchOptionNames,
  demonstrator: Demonstrator | undefined,
): Promise<OpenedSearch> {
  const stray = [method, "value", "value-set"].find(
    (name) => invocation.flag(name) || invocation.text(name) !== undefined || invocation.texts(name).length > 0,
  );
  if (stray !== undefined) {
    throw usageError(`--${stray} belongs to a search; a strategy compares whole episodes. Leave it or --strategy out.`);
  }
  return await writtenBy(invocation, (writer) =>
    openSearch({
      strategy,
      demonstrator,
      writer,
      searchOptions: givenSettings(invocation, set, getStrategy(strategy).options, strategy),
      budget: givenAmounts(invocation, budget, spendingKinds, "budget"),
      prices: givenPrices(invocation),
      scorer: givenScorer(invocation),
      seesOutcome: !invocation.flag("blind"),
    }),
  );
}

/** With whom `--ask` names; closed with the search. */
async function writtenBy(
  invocation: Invocation,
  open: (writer: Writer | undefined) => Promise<OpenedSearch>,
): Promise<OpenedSearch> {
  const writer = await givenWriter(invocation, () => ownFolder(invocation));
  try {
    const search = await open(writer);
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
async function ownFolder(invocation: Invocation): Promise<string | undefined> {
  const named = invocation.text("policy") ?? invocation.text("model") ?? "";
  const there = named === "" ? undefined : await statIfThere(resolve(invocation.io.cwd, named));
  return there === undefined ? undefined : `local:${named}`;
}

function givenSearch(invocation: Invocation, method: string, names: SearchOptionNames): SearchSettings {
  const valueName = invocation.text("value");
  return {
    search: method,
    searchOptions: givenSettings(invocation, names.set, getSearch(method).options, method),
    budget: givenAmounts(invocation, names.budget, spendingKinds, "budget"),
    prices: givenPrices(invocation),
    value: valueName,
    scorer: givenScorer(invocation),
    ...(valueName === undefined
      ? {}
      : { valueOptions: givenSettings(invocation, "value-set", getValue(valueName).options, valueName) }),
    seesOutcome: !invocation.flag("blind"),
  };
}

function givenSettings(
  invocation: Invocation,
  option: string,
  table: OptionTable,
  of: string,
): Record<string, OptionValue> {
  const given = parseOptionTexts(invocation, option);
  return Object.fromEntries(given.map(([name, text]) => [name, parseOption(table, name, text, of)]));
}

function givenPrices(invocation: Invocation): TokenPrices | undefined {
  const text = invocation.text("prices");
  if (text === undefined) return undefined;
  const [usdPerMillionRead = Number.NaN, usdPerMillionSaid = Number.NaN, ...more] = text.split(",").map(Number);
  if (usdPerMillionRead >= 0 && usdPerMillionSaid >= 0 && more.length === 0) {
    return { usdPerMillionRead, usdPerMillionSaid };
  }
  throw usageError(
    `--prices takes two numbers, US dollars for a million tokens read and said: 0.5,1.5; got "${text}".`,
  );
}
