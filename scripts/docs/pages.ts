/** Every page that is generated, or filled in between marks, by its path in the repository. A new page is one line here. */
import { loadCatalog } from "../../src/cli/catalog/catalog.ts";
import { commands } from "../../src/cli/index.ts";
import { allMethods, entriesOf } from "../../src/cli/methods/all-methods.ts";
import { teachers } from "../../src/distill/index.ts";
import { providers } from "../../src/update/providers/index.ts";
import { allRecipes } from "../../src/recipe/registry.ts";
import { screens } from "../../src/reward/screens/index.ts";
import { values } from "../../src/search/values/index.ts";
import { batchSchema } from "../../src/credit/batch-json.ts";
import { apiPage } from "./api-page.ts";
import { catalogPage } from "./catalog-page.ts";
import { cliPage } from "./cli-page.ts";
import { filledIn } from "./fill-in.ts";
import { methodsPage } from "./methods-page.ts";
import { oneUpdatePage } from "./one-update-page.ts";
import { loadParity, parityPage } from "./parity-page.ts";
import { providersPage } from "./providers-page.ts";
import { recipesPage } from "./recipes-page.ts";
import { rewardsPage } from "./rewards-page.ts";
import { searchesPage } from "./searches-page.ts";
import { strategiesPage } from "./strategies-page.ts";
import { unlearnedData } from "./unlearned-data.ts";

export const pages = {
  "data/unlearned.json": () => unlearnedData(),
  "docs/api.md": apiPage,
  "README.md": () => filledIn("README.md"),
  "docs/modules.md": () => filledIn("docs/modules.md"),
  "docs/catalog.md": () => catalogPage(loadCatalog()),
  "docs/cli.md": () => cliPage(commands),
  "docs/credit-batch.schema.json": () => `${JSON.stringify(batchSchema(), null, 2)}\n`,
  "docs/credit-providers.md": () => providersPage(providers),
  "docs/import.md": () => filledIn("docs/import.md"),
  "docs/methods.md": () => methodsPage([...methodsOf("credit"), ...methodsOf("objective")]),
  "docs/one-update.md": oneUpdatePage,
  "docs/parity.md": () => parityPage([...methodsOf("credit"), ...methodsOf("objective")], loadParity()),
  "docs/recipes.md": () => recipesPage(allRecipes, teachers),
  "docs/rewards.md": () =>
    rewardsPage(methodsOf("reward"), entriesOf({ room: "screen", entries: screens, folder: "reward/screens" })),
  "docs/searches.md": () =>
    searchesPage(methodsOf("search"), entriesOf({ room: "value", entries: values, folder: "search/values" })),
  "docs/strategies.md": () => strategiesPage(methodsOf("rollout")),
  "docs/write-a-credit-method.md": () => filledIn("docs/write-a-credit-method.md"),
  "docs/write-a-reward.md": () => filledIn("docs/write-a-reward.md"),
  "docs/write-a-search.md": () => filledIn("docs/write-a-search.md"),
  "docs/write-a-strategy.md": () => filledIn("docs/write-a-strategy.md"),
  "docs/new-world.md": () => filledIn("docs/new-world.md"),
  "docs/write-a-world.md": () => filledIn("docs/write-a-world.md"),
} as const satisfies Record<string, () => string>;

function methodsOf(wanted: string) {
  return allMethods().filter(({ room }) => room === wanted);
}
