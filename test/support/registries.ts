/** Every registry of the engine, for the house test: a new registry gets one entry here. */
import { existsSync } from "node:fs";
import { fileOf, PACKAGES } from "../../scripts/layout.ts";
import { allCredits } from "../../packages/core/src/credit/registry.ts";
import { commands } from "../../packages/limbeck/src/cli/index.ts";
import { contexts } from "../../packages/core/src/distill/contexts/index.ts";
import { teachers } from "../../packages/core/src/distill/index.ts";
import { pairSources } from "../../packages/core/src/distill/pairs/index.ts";
import { rubrics } from "../../packages/core/src/eval/rubrics/index.ts";
import { envs } from "../../packages/worlds/src/index.ts";
import { operators } from "../../packages/policy/src/graph/operators/index.ts";
import { providers } from "../../packages/core/src/update/providers/index.ts";
import { allRecipes } from "../../packages/core/src/recipe/registry.ts";
import { screens } from "../../packages/core/src/reward/screens/index.ts";
import { allRewards } from "../../packages/core/src/reward/registry.ts";
import { allStrategies } from "../../packages/core/src/rollout/registry.ts";
import { values } from "../../packages/core/src/search/values/index.ts";
import { allSearches } from "../../packages/core/src/search/registry.ts";
import { analysts } from "../../packages/core/src/skill/index.ts";
import { importers } from "../../packages/store/src/record/importers/registry.ts";
import { graders } from "../../packages/testing/src/suite/graders/registry.ts";
import { publicSets } from "../../packages/testing/src/suite/sets/registry.ts";
import { formats } from "../../packages/store/src/store/formats/index.ts";
import { allObjectives } from "../../packages/core/src/objective/registry.ts";

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
    file: (id) => `packages/core/src/skill/${id}/${id}.ts`,
    doc: "docs/lookup/skills.md",
  },
  {
    name: "commands",
    ids: Object.keys(commands),
    // An operation lies in the room of what it does.
    file: (id) => operationFile(id) ?? `packages/limbeck/src/cli/commands/${id}.ts`,
    tested: (id) => `packages/limbeck/src/cli/commands/${id}.ts`,
    doc: "docs/lookup/generated/cli.md",
    mark: (id) => `limbeck ${id}`,
  },
  {
    name: "contexts",
    ids: Object.keys(contexts),
    file: (id) => `packages/core/src/distill/contexts/${id}.ts`,
    doc: "docs/lookup/generated/recipes.md",
  },
  {
    name: "credit",
    ids: Object.keys(allCredits),
    file: (id) => `packages/core/src/credit/${id}.ts`,
    doc: "docs/lookup/generated/methods.md",
  },
  {
    name: "environments",
    ids: Object.keys(envs),
    file: (id) => `packages/worlds/src/${id}/index.ts`,
    doc: "docs/lookup/environments.md",
  },
  {
    name: "formats",
    ids: Object.keys(formats),
    file: (id) => `packages/store/src/store/formats/${id}.ts`,
    doc: "docs/lookup/formats.md",
  },
  {
    name: "graders",
    ids: Object.keys(graders),
    file: (id) => `packages/testing/src/suite/graders/${id}.ts`,
    doc: "docs/learn/suites.md",
  },
  {
    name: "importers",
    ids: Object.keys(importers),
    file: (id) => `packages/store/src/record/importers/${id}.ts`,
    doc: "docs/learn/import.md",
  },
  {
    name: "objectives",
    ids: Object.keys(allObjectives),
    file: (id) => `packages/core/src/objective/${id}.ts`,
    doc: "docs/lookup/generated/methods.md",
  },
  {
    name: "operators",
    ids: Object.keys(operators),
    file: () => "packages/policy/src/graph/operators/index.ts",
    tested: (id) => `packages/policy/src/graph/operators/${kebab(id)}.ts`,
    doc: "docs/lookup/graph.md",
  },
  {
    name: "sources of pairs",
    ids: Object.keys(pairSources),
    file: (id) => `packages/core/src/distill/pairs/${id}.ts`,
    doc: "docs/lookup/preferences.md",
  },
  {
    name: "public sets",
    ids: Object.keys(publicSets),
    file: (id) => `packages/testing/src/suite/sets/${id}.ts`,
    tested: () => "packages/testing/src/suite/sets/sets.ts",
    doc: "docs/learn/suites.md",
  },
  {
    name: "providers",
    ids: Object.keys(providers),
    file: (id) => `packages/core/src/update/providers/${id}.ts`,
    doc: "docs/lookup/generated/credit-providers.md",
  },
  {
    name: "recipes",
    ids: Object.keys(allRecipes),
    file: (id) => `packages/core/src/recipe/${id}.ts`,
    doc: "docs/lookup/generated/recipes.md",
  },
  {
    name: "rewards",
    ids: Object.keys(allRewards),
    file: (id) => `packages/core/src/reward/${id}.ts`,
    doc: "docs/lookup/generated/rewards.md",
  },
  {
    name: "rubrics",
    ids: Object.keys(rubrics),
    file: (id) => `packages/core/src/eval/rubrics/${id}.ts`,
    doc: "docs/lookup/evaluate.md",
  },
  {
    name: "screens",
    ids: Object.keys(screens),
    file: (id) => `packages/core/src/reward/screens/${id}.ts`,
    doc: "docs/lookup/generated/rewards.md",
  },
  {
    name: "searches",
    ids: Object.keys(allSearches),
    file: (id) => `packages/core/src/search/${id}.ts`,
    doc: "docs/lookup/generated/searches.md",
  },
  {
    name: "values",
    ids: Object.keys(values),
    file: (id) => `packages/core/src/search/values/${id}.ts`,
    doc: "docs/lookup/generated/searches.md",
  },
  {
    name: "teachers",
    ids: Object.keys(teachers),
    file: (id) => `packages/core/src/distill/${id}.ts`,
    doc: "docs/lookup/generated/recipes.md",
  },
  {
    name: "strategies",
    ids: Object.keys(allStrategies),
    file: (id) => `packages/core/src/rollout/${id}.ts`,
    doc: "docs/lookup/generated/strategies.md",
  },
];

function operationFile(id: string): string | undefined {
  return Object.values(PACKAGES)
    .flatMap((rooms) => Object.keys(rooms).map((room) => fileOf(`${room}/${id}.operation.ts`)))
    .find((file) => existsSync(file));
}
