/** The models that come with the package: small instruction followers, one for each of these worlds. */
import { fileURLToPath } from "node:url";

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
} as const satisfies Record<string, BundledPurpose>;

export type BundledModelName = keyof typeof bundledModels;

export const bundledNames = Object.keys(bundledModels) as readonly BundledModelName[];

/**
 * The folder of a bundled model.
 *
 * @example
 * import { readdir } from "node:fs/promises";
 *
 * console.log((await readdir(bundledModel("shop"))).includes("model.safetensors")); // true
 */
export function bundledModel(name: BundledModelName): string {
  // Sources and built files lie equally deep below the package's root.
  return fileURLToPath(new URL(`../../../models/${name}`, import.meta.url));
}

/**
 * The model for a world; household's where a world has none, since its language is the widest spoken.
 *
 * @example
 * console.log(bundledModelFor("shop"), bundledModelFor("alfworld")); // shop household
 */
export function bundledModelFor(world: string): BundledModelName {
  return bundledNames.find((name) => name === world) ?? "household";
}

/**
 * How a world with a model of its own is opened where nothing else is told.
 *
 * @example
 * console.log(bundledStart("countdown")?.worldOptions, bundledStart("archive")); // { level: "easy" } undefined
 */
export function bundledStart(world: string): BundledPurpose | undefined {
  return Object.entries<BundledPurpose>(bundledModels).find(([name]) => name === world)?.[1];
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
