/** What an operation with a search takes besides the method itself. */
import { input } from "limbeck-base/base/input";
import { askInput } from "limbeck-core/skill/writer.inputs";
import { valuePart } from "limbeck-core/recipe/methods.part";

/** The kinds of a spending, as `spendingKinds` of the walk has them. */
export const SPENDING = [
  "envSteps",
  "sampledTokens",
  "tokens",
  "reusedTokens",
  "modelCalls",
  "usd",
  "seconds",
] as const;

export const searchInputs = {
  searchOptions: input.settings("An option of the search", { flag: "search-set" }),
  searchBudget: input.amounts(
    SPENDING,
    "KIND=N",
    "What the search of one task may spend: modelCalls, tokens, sampledTokens, envSteps, usd or seconds",
  ),
  value: input.part(valuePart, "NAME", "What an unfinished episode is worth"),
  valueOptions: input.settings("An option of the value", { flag: "value-set" }),
  scorer: input.path(
    "NAME|DIR",
    "A trained scorer that says what an unfinished episode is worth: a bundled one by its world, or a folder of limbeck reward train",
  ),
  prices: input.text("READ,SAID", "US dollars for a million tokens read and said"),
  ask: askInput(
    "Let a model write the plans, critiques and reflections that a search or a strategy wants: the chat model (LIMBECK_CHAT_…), policy (a model folder that acts), bundled (limbeck-writer-model), or local:DIR, a model folder or GGUF file; where it fails, the search goes by its own rule",
  ),
  blind: input.flag("Do not let the search see how the world scores what has ended"),
};

export const SEARCH_RULE = {
  only: ["searchOptions", "searchBudget", "value", "valueOptions", "scorer", "prices", "ask", "blind"],
  with: "search",
  say: "belongs to a search; name one with --search.",
} as const;
