/** Every registry of the engine, for the house test: a new registry gets one entry here. */
import { existsSync, readdirSync } from "node:fs";
import { allCredits } from "../../src/credit/registry.ts";
import { commands } from "../../src/cli/index.ts";
import { contexts } from "../../src/distill/contexts/index.ts";
import { teachers } from "../../src/distill/index.ts";
import { pairSources } from "../../src/distill/pairs/index.ts";
import { rubrics } from "../../src/eval/rubrics/index.ts";
import { envs } from "../../src/worlds/index.ts";
import { operators } from "../../src/graph/operators/index.ts";
import { providers } from "../../src/update/providers/index.ts";
import { allRecipes } from "../../src/recipe/registry.ts";
import { screens } from "../../src/reward/screens/index.ts";
import { allRewards } from "../../src/reward/registry.ts";
import { allStrategies } from "../../src/rollout/registry.ts";
import { values } from "../../src/search/values/index.ts";
import { allSearches } from "../../src/search/registry.ts";
import { analysts } from "../../src/skill/index.ts";
import { importers } from "../../src/record/importers/registry.ts";
import { formats } from "../../src/store/formats/index.ts";
import { allObjectives } from "../../src/objective/registry.ts";

interface Registry {
  readonly name: string;
  readonly ids: readonly string[];
  /** The file of an entry, from the root of the repository; an entry that is a folder names its index.ts. */
  readonly file: (id: string) => string;
  /** The file that a test lies beside. Default: the same. */
  readonly tested?: (id: string) => string;
  /** The page that has a line for each entry, and the text that marks it there. Default: the id in backquotes. */
  readonly doc: string;
  readonly mark?: (id: string) => string;
}

/** `logSoftmax` is the operator of `log-softmax.ts`. */
const kebab = (id: string): string => id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const registries: readonly Registry[] = [
  {
    name: "analysts",
    ids: Object.keys(analysts),
    file: (id) => `src/skill/${id}/${id}.ts`,
    doc: "docs/lookup/skills.md",
  },
  {
    name: "commands",
    ids: Object.keys(commands),
    // An operation lies in the room of what it does.
    file: (id) => operationFile(id) ?? `src/cli/commands/${id}.ts`,
    tested: (id) => `src/cli/commands/${id}.ts`,
    doc: "docs/lookup/generated/cli.md",
    mark: (id) => `limbeck ${id}`,
  },
  {
    name: "contexts",
    ids: Object.keys(contexts),
    file: (id) => `src/distill/contexts/${id}.ts`,
    doc: "docs/lookup/generated/recipes.md",
  },
  {
    name: "credit",
    ids: Object.keys(allCredits),
    file: (id) => `src/credit/${id}.ts`,
    doc: "docs/lookup/generated/methods.md",
  },
  {
    name: "environments",
    ids: Object.keys(envs),
    file: (id) => `src/worlds/${id}/index.ts`,
    doc: "docs/lookup/environments.md",
  },
  {
    name: "formats",
    ids: Object.keys(formats),
    file: (id) => `src/store/formats/${id}.ts`,
    doc: "docs/lookup/formats.md",
  },
  {
    name: "importers",
    ids: Object.keys(importers),
    file: (id) => `src/record/importers/${id}.ts`,
    doc: "docs/learn/import.md",
  },
  {
    name: "objectives",
    ids: Object.keys(allObjectives),
    file: (id) => `src/objective/${id}.ts`,
    doc: "docs/lookup/generated/methods.md",
  },
  {
    name: "operators",
    ids: Object.keys(operators),
    file: () => "src/graph/operators/index.ts",
    tested: (id) => `src/graph/operators/${kebab(id)}.ts`,
    doc: "docs/lookup/graph.md",
  },
  {
    name: "sources of pairs",
    ids: Object.keys(pairSources),
    file: (id) => `src/distill/pairs/${id}.ts`,
    doc: "docs/lookup/preferences.md",
  },
  {
    name: "providers",
    ids: Object.keys(providers),
    file: (id) => `src/update/providers/${id}.ts`,
    doc: "docs/lookup/generated/credit-providers.md",
  },
  {
    name: "recipes",
    ids: Object.keys(allRecipes),
    file: (id) => `src/recipe/${id}.ts`,
    doc: "docs/lookup/generated/recipes.md",
  },
  {
    name: "rewards",
    ids: Object.keys(allRewards),
    file: (id) => `src/reward/${id}.ts`,
    doc: "docs/lookup/generated/rewards.md",
  },
  {
    name: "rubrics",
    ids: Object.keys(rubrics),
    file: (id) => `src/eval/rubrics/${id}.ts`,
    doc: "docs/lookup/evaluate.md",
  },
  {
    name: "screens",
    ids: Object.keys(screens),
    file: (id) => `src/reward/screens/${id}.ts`,
    doc: "docs/lookup/generated/rewards.md",
  },
  {
    name: "searches",
    ids: Object.keys(allSearches),
    file: (id) => `src/search/${id}.ts`,
    doc: "docs/lookup/generated/searches.md",
  },
  {
    name: "values",
    ids: Object.keys(values),
    file: (id) => `src/search/values/${id}.ts`,
    doc: "docs/lookup/generated/searches.md",
  },
  {
    name: "teachers",
    ids: Object.keys(teachers),
    file: (id) => `src/distill/${id}.ts`,
    doc: "docs/lookup/generated/recipes.md",
  },
  {
    name: "strategies",
    ids: Object.keys(allStrategies),
    file: (id) => `src/rollout/${id}.ts`,
    doc: "docs/lookup/generated/strategies.md",
  },
];

function operationFile(id: string): string | undefined {
  return readdirSync("src")
    .map((room) => `src/${room}/${id}.operation.ts`)
    .find((file) => existsSync(file));
}
