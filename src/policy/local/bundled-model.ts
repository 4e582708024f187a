/**
 * The models that come with the package: small instruction followers, one for each of these worlds. The package has no room
 * for all of them; those of the graded worlds are a package of their own, and count where it is installed.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageFolder } from "../../base/package-folder.ts";

/** What a bundled model was made for. */
export interface BundledPurpose {
  /** Options of its world; with others it meets texts that it has never read. */
  readonly worldOptions: Readonly<Record<string, string | number | readonly number[]>>;
  /** Room for its longest answer. Default: what recipes give anyway. */
  readonly answerTokens?: number;
  /** It lies in the package of further models. Default: in this one. */
  readonly apart?: boolean;
}

export const bundledModels = {
  household: { worldOptions: { dial: "tiny" } },
  shop: { worldOptions: { preset: "brief" }, answerTokens: 48 },
  research: { worldOptions: { hops: [1, 2], topk: 2 }, answerTokens: 40 },
  tools: { worldOptions: { opening: "dialogue" }, answerTokens: 96 },
  countdown: { worldOptions: { level: "easy" }, answerTokens: 64 },
  archive: { worldOptions: { size: "tiny" }, apart: true },
  draft: { worldOptions: { level: "small" }, apart: true },
  emit: { worldOptions: { level: "small" }, answerTokens: 40, apart: true },
  ledger: { worldOptions: { level: "small" }, apart: true },
  talk: { worldOptions: { level: "small" }, apart: true },
} as const satisfies Record<string, BundledPurpose>;

export type BundledModelName = keyof typeof bundledModels;

/** The package that holds the models that are apart. */
const APART = { name: "limbeck-world-models", folder: "world-models", file: "package.json" };

// Sources and built files lie equally deep below the package's root.
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const apartFolder = packageFolder(APART, process.cwd()) ?? join(ROOT, "packages", APART.folder);

/**
 * Those that are here.
 *
 * @example
 * console.log(bundledNames.includes("household")); // true
 */
export const bundledNames = (Object.keys(bundledModels) as readonly BundledModelName[]).filter((name) =>
  existsSync(join(bundledModel(name), "model.safetensors")),
);

/**
 * The folder of a bundled model.
 *
 * @example
 * import { readdir } from "node:fs/promises";
 *
 * console.log((await readdir(bundledModel("shop"))).includes("model.safetensors")); // true
 */
export function bundledModel(name: BundledModelName): string {
  const { apart = false }: BundledPurpose = bundledModels[name];
  return join(apart ? apartFolder : join(ROOT, "models"), name);
}

/**
 * The model for a world; household's where a world has none, since its language is the most common.
 *
 * @example
 * console.log(bundledModelFor("shop"), bundledModelFor("alfworld")); // shop household
 */
export function bundledModelFor(world: string): BundledModelName {
  return bundledNames.find((name) => name === world) ?? "household";
}

/**
 * How a world with a model of its own is opened by default.
 *
 * @example
 * console.log(bundledStart("countdown")?.worldOptions, bundledStart("alfworld")); // { level: "easy" } undefined
 */
export function bundledStart(world: string): BundledPurpose | undefined {
  const name = bundledNames.find((known) => known === world);
  return name === undefined ? undefined : bundledModels[name];
}

const ADDRESS = "bundled:";

/** The bundled model of a world in words that hold on every machine. */
export function bundledAddress(world: string): string {
  return `${ADDRESS}${bundledModelFor(world)}`;
}

/** The folder that such words mean here; undefined for anything else. */
export function bundledFolder(address: string): string | undefined {
  const name = bundledNames.find((known) => address === `${ADDRESS}${known}`);
  return name === undefined ? undefined : bundledModel(name);
}
