/** Options of commands that let a search act. Kept apart from what they open, so that help stays quick. */
import type { Option } from "../command.ts";
import { ask, flag, text, texts } from "../options.ts";

/** What every command with a search takes besides the method itself. */
export const searchOptions = {
  "search-set": texts("KEY=VALUE", "An option of the search"),
  "search-budget": texts(
    "KIND=N",
    "What the search of one task may spend: modelCalls, tokens, sampledTokens, envSteps, usd or seconds",
  ),
  value: text("NAME", "What an unfinished episode is worth", valueNames),
  "value-set": texts("KEY=VALUE", "An option of the value"),
  scorer: text(
    "NAME|DIR",
    "A trained scorer that says what an unfinished episode is worth: a bundled one by its world, or a folder of limbeck reward train",
  ),
  prices: text("READ,SAID", "US dollars for a million tokens read and said"),
  ask: ask(
    "Let a model write the plans, critiques and reflections that a search or a strategy wants: the chat model (LIMBECK_CHAT_…), policy (a model folder that acts), bundled (limbeck-writer-model), or local:DIR, a model folder or GGUF file; where it fails, the search goes by its own rule",
  ),
  blind: flag("Do not let the search see how the world scores what has ended"),
} as const satisfies Record<string, Option>;

async function valueNames(): Promise<readonly string[]> {
  return Object.keys((await import("../../search/index.ts")).values);
}
