/** Every generated page, by its path in the repository. A new page is one line here. */
import { loadCatalog } from "../../src/cli/catalog/catalog.ts";
import { commands } from "../../src/cli/index.ts";
import { catalogPage } from "./catalog-page.ts";
import { cliPage } from "./cli-page.ts";

export const pages = {
  "docs/catalog.md": () => catalogPage(loadCatalog()),
  "docs/cli.md": () => cliPage(commands),
} as const satisfies Record<string, () => string>;
