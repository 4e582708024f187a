/** The models that come with Limbeck: what they were made for and in which packages they lie. Tables, whether they are here or not. */
import { resolve } from "node:path";
import type { FilePackage } from "../base/package-folder.ts";

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
    sha256: "ed0be0242a010ed868c1541f5280797c97c29d0f270c35ce96b11de5a57f61aa",
    use: "limbeck demo",
  },
  "limbeck-world-models": {
    folder: "world-models",
    file: "package.json",
    about: "starting models of archive, countdown, draft, emit, ledger, research, shop, talk and tools",
    bytes: 18_761_176,
    sha256: "6d747d0e33d9f4386bca4182cd92339f26ce4e5f8520048c387300a03c734a5e",
    use: "limbeck rollout --env talk --policy bundled",
  },
  "limbeck-base-model": {
    folder: "base-model",
    file: "model.safetensors",
    about: "the larger base for a warm-up in a new world",
    bytes: 11_549_064,
    sha256: "9af8a8a88e6482b9d9fda253e86d07c8936c85cbec98439ec718646accc1ae11",
    use: "limbeck warm-up --env ./world.ts --base base",
  },
  "limbeck-writer-model": {
    folder: "writer-model",
    file: "model.safetensors",
    about: "the writer of --ask bundled",
    bytes: 13_124_200,
    sha256: "aacc4e428fb4b954516e609562e305dce46a9110badf1811e61e5c6dff72d8c9",
    use: "limbeck skills extract --ask bundled",
  },
} as const satisfies Record<string, ModelPackage>;

/** What is looked for when a package of ours is. */
export function filePackage(name: keyof typeof modelPackages): FilePackage {
  return { name, ...modelPackages[name] };
}
