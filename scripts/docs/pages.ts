/** Every page that is generated, or filled in between marks, by its path in the repository. A new page is one line here. */
import { loadCatalog } from "../../packages/limbeck/src/cli/catalog/catalog.ts";
import { commands } from "../../packages/limbeck/src/cli/index.ts";
import { allMethods, entriesOf } from "../../packages/limbeck/src/cli/methods/all-methods.ts";
import { teachers } from "../../packages/core/src/distill/index.ts";
import { pairSources } from "../../packages/core/src/distill/pairs/index.ts";
import { providers } from "../../packages/core/src/update/providers/index.ts";
import { allRecipes } from "../../packages/core/src/recipe/registry.ts";
import { screens } from "../../packages/core/src/reward/screens/index.ts";
import { values } from "../../packages/core/src/search/values/index.ts";
import { batchSchema } from "../../packages/core/src/credit/batch-json.ts";
import { judgings } from "../../packages/training/src/training/judge/registry.ts";
import type { EntryInfo } from "../../packages/base/src/base/method-info.ts";
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

/** Pages that are generated from beginning to end; those of the documentation lie in a folder `generated`. */
export const generated = {
  "packages/training/data/unlearned.json": () => unlearnedData(),
  "docs/lookup/generated/api.md": apiPage,
  "docs/lookup/generated/catalog.md": () => catalogPage(loadCatalog(), entriesByFile()),
  "docs/lookup/generated/cli.md": () => cliPage(commands),
  "docs/lookup/generated/credit-batch.schema.json": () => `${JSON.stringify(batchSchema(), null, 2)}\n`,
  "docs/lookup/generated/credit-providers.md": () => providersPage(providers),
  "docs/lookup/generated/methods.md": () => methodsPage([...methodsOf("credit"), ...methodsOf("objective")]),
  "docs/lookup/generated/one-update.md": oneUpdatePage,
  "docs/evidence/generated/parity.md": () =>
    parityPage([...methodsOf("credit"), ...methodsOf("objective")], loadParity()),
  "docs/lookup/generated/recipes.md": () => recipesPage(allRecipes, teachers),
  "docs/lookup/generated/rewards.md": () =>
    rewardsPage(methodsOf("reward"), entriesOf({ room: "screen", entries: screens, folder: "reward/screens" })),
  "docs/lookup/generated/searches.md": () =>
    searchesPage(methodsOf("search"), entriesOf({ room: "value", entries: values, folder: "search/values" })),
  "docs/lookup/generated/strategies.md": () => strategiesPage(methodsOf("rollout")),
} as const satisfies Record<string, () => string>;

/** Generated as well, by studies that take too long for `npm run docs`: `npm run matrix` and research/skills-from-traces.ts. */
export const generatedByStudies = [
  "docs/evidence/generated/matrix.json",
  "docs/evidence/generated/matrix.md",
  "docs/evidence/generated/skills-from-traces.md",
];

/** Pages written by hand but for what stands between marks. */
const filled = [
  "docs/lookup/architecture.md",
  "README.md",
  "docs/learn/import.md",
  "docs/learn/new-world.md",
  "docs/learn/write-a-credit-method.md",
  "docs/learn/write-a-reward.md",
  "docs/learn/write-a-search.md",
  "docs/learn/write-a-strategy.md",
  "docs/learn/write-a-world.md",
  "docs/lookup/modules.md",
];

export const pages: Readonly<Record<string, () => string>> = {
  ...generated,
  ...Object.fromEntries(filled.map((path) => [path, () => filledIn(path)])),
};

/** What a row of the catalog may live in. */
function entriesByFile(): ReadonlyMap<string, EntryInfo> {
  const below = (folder: string, table: Readonly<Record<string, { readonly info: EntryInfo }>>) =>
    Object.entries(table).map(([id, { info }]) => [`packages/${folder}/${id}.ts`, info] as const);
  return new Map<string, EntryInfo>([
    ...allMethods().map((method) => [method.file, method] as const),
    ...below("core/src/recipe", allRecipes),
    ...below("core/src/distill/pairs", pairSources),
    ...below("training/src/training/judge", judgings),
  ]);
}

function methodsOf(wanted: string) {
  return allMethods().filter(({ room }) => room === wanted);
}
