import { describe, test } from "vitest";
import { createSearch, searches } from "./index.ts";
import { searchContract } from "./search.contract.ts";

for (const name of Object.keys(searches)) {
  searchContract({ name, create: () => createSearch(name), asks: false, runner: { describe, test } });
  searchContract({ name: `${name} with a text model`, create: () => createSearch(name), runner: { describe, test } });
}
