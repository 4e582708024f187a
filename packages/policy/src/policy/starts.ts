/** The models that come with Limbeck: what they were made for and in which packages they lie. Tables, whether they are here or not. */
import { resolve } from "node:path";
import type { FilePackage } from "limbeck-base/base/package-folder";

/** What a bundled model was made for. */
export interface BundledPurpose {
  /** Options of its world; with others it meets texts that it has never read. */
  readonly worldOptions: Readonly<Record<string, string | number | readonly number[]>>;
  /** Room for its longest answer. Default: what recipes give anyway. */
  readonly answerTokens?: number;
}

export const bundledModels = {
  household: { worldOptions: { dial: "tiny" } },
  shop: { worldOptions: { preset: "brief" }, answerTokens: 48 },
  research: { worldOptions: { hops: [1, 2], topk: 2 }, answerTokens: 40 },
  tools: { worldOptions: { opening: "dialogue" }, answerTokens: 96 },
  countdown: { worldOptions: { level: "easy" }, answerTokens: 64 },
  archive: { worldOptions: { size: "tiny" } },
  draft: { worldOptions: { level: "small" } },
  emit: { worldOptions: { level: "small" }, answerTokens: 40 },
  ledger: { worldOptions: { level: "small" } },
  talk: { worldOptions: { level: "small" } },
} as const satisfies Record<string, BundledPurpose>;

export type BundledModelName = keyof typeof bundledModels;

/**
 * How a world with a model of its own is opened by default.
 *
 * @example
 * console.log(bundledStart("countdown")?.worldOptions, bundledStart("alfworld")); // { level: "easy" } undefined
 */
export function bundledStart(world: string): BundledPurpose | undefined {
  return Object.hasOwn(bundledModels, world) ? bundledModels[world as BundledModelName] : undefined;
}

/** What an address of a bundled model begins with. */
export const BUNDLED = "bundled:";

/** A model as it is typed: the address of a bundled one as it is, anything else as a path. */
export function typedModel<Given extends string | undefined>(given: Given, cwd: string): Given | string {
  return given === undefined || given.startsWith(BUNDLED) ? given : resolve(cwd, given);
}

interface ModelPackage {
  /** Below `packages` in a clone. */
  readonly folder: string;
  /** A file that it has when it is whole. */
  readonly file: string;
  readonly about: string;
  /** Of all weights. */
  readonly bytes: number;
  /** Of the list of its weights, which `listHash` of `policy/local/install-model.ts` makes: a stranger's package of this name has other ones. */
  readonly sha256: string;
  /** A command that uses it. */
  readonly use: string;
}

export const modelPackages = {
  "limbeck-household-model": {
    folder: "household-model",
    file: "model.safetensors",
    about: "the starting model of household, with which the demo begins",
    bytes: 2_005_874,
    sha256: "108c91bcbae91c787cbb2abf30f8feb42a20d0f1f923d74eb03e732746e9cbe4",
    use: "limbeck demo",
  },
  "limbeck-world-models": {
    folder: "world-models",
    file: "package.json",
    about: "starting models of archive, countdown, draft, emit, ledger, research, shop, talk and tools",
    bytes: 18_761_176,
    sha256: "a7376a9ce43be3529f1251687ca027270439339819f7ad86b10ea3dfd8cd9f83",
    use: "limbeck rollout --env talk --policy bundled",
  },
  "limbeck-base-model": {
    folder: "base-model",
    file: "model.safetensors",
    about: "the larger base for a warm-up in a new world",
    bytes: 11_549_064,
    sha256: "eeb56e771feee493a92a69567bfa92c9035cfa096a45ded5153cea6e2d8f2a7c",
    use: "limbeck warm-up --env ./world.ts --base base",
  },
  "limbeck-writer-model": {
    folder: "writer-model",
    file: "model.safetensors",
    about: "the writer of --ask bundled",
    bytes: 13_124_200,
    sha256: "e63c8243cf9a341f70404c3682a3775fd67eb4296a58265954ac51a62b97364d",
    use: "limbeck skills extract --ask bundled",
  },
} as const satisfies Record<string, ModelPackage>;

/** What is looked for when a package of ours is. */
export function filePackage(name: keyof typeof modelPackages): FilePackage {
  return { name, ...modelPackages[name] };
}
