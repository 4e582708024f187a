import { describe, test } from "vitest";
import { tries } from "../../../../test/support/thorough.ts";
import { createSearch, allSearches } from "./registry.ts";
import { searchContract } from "./search.contract.ts";

for (const name of Object.keys(allSearches)) {
  const create = () => createSearch(name);
  searchContract({ name, create, asks: false, budgets: tries(2, 12), runner: { describe, test } });
  // Five kinds of budgets come in turn.
  searchContract({ name: `${name} with a text model`, create, budgets: tries(5, 12), runner: { describe, test } });
}
