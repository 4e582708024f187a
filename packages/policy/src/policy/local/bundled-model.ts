/** Where the models of `policy/starts.ts` lie: household's comes with the program, the others are a package of their own. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { projectFolder } from "limbeck-base/base/own-place";
import { keptFolder, modelsFolder, packageFolder, type FilePackage } from "limbeck-base/base/package-folder";
import { BUNDLED, bundledModels, filePackage, type BundledModelName } from "../starts.ts";

const WEIGHTS = "model.safetensors";

/** Where it is not, the place in a clone. */
const placeOf = (one: FilePackage): string =>
  packageFolder(one, process.cwd()) ?? join(projectFolder(), "packages", one.folder);
const household = placeOf(filePackage("limbeck-household-model"));
const others = placeOf(filePackage("limbeck-world-models"));

/**
 * Those that are here.
 *
 * @example
 * console.log(bundledNames.includes("household")); // true
 */
export const bundledNames = (Object.keys(bundledModels) as readonly BundledModelName[]).filter((name) =>
  existsSync(join(bundledModel(name), WEIGHTS)),
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
  return name === "household" ? household : join(others, name);
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

/** The bundled model of a world in words that hold on every machine. */
export function bundledAddress(world: string): string {
  return `${BUNDLED}${bundledModelFor(world)}`;
}

/** The folder that such words mean here, or those of an installed package ("bundled:my-model"); undefined for anything else. */
export function bundledFolder(address: string): string | undefined {
  if (!address.startsWith(BUNDLED)) return undefined;
  const given = address.slice(BUNDLED.length);
  const name = bundledNames.find((known) => known === given);
  if (name !== undefined) return bundledModel(name);
  const folder = keptFolder(modelsFolder(process.env), given);
  return folder !== undefined && existsSync(join(folder, WEIGHTS)) ? folder : undefined;
}

/** The model that a name, a path or nothing stands for where a world is played. */
export function startingModel(world: string, given: string | undefined): string {
  return given === undefined ? bundledModel(bundledModelFor(world)) : (bundledFolder(given) ?? given);
}
