import { describe, test } from "vitest";
import { createSearch } from "./index.ts";
import { allSearches } from "./registry.ts";
import { searchContract } from "./search.contract.ts";

for (const name of Object.keys(allSearches)) {
  searchContract({ name, create: () => createSearch(name), asks: false, runner: { describe, test } });
  searchContract({ name: `${name} with a text model`, create: () => createSearch(name), runner: { describe, test } });
}
