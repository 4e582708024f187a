/** Where the packages of Limbeck lie: side by side in a clone, in the `node_modules` of a project, or in those of `limbeck` itself. */
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Sources and built files lie equally deep: `base/src/base/own-place.ts`, `base/dist/base/own-place.js`. */
const BESIDE = new URL("../../../", import.meta.url).href;
const WAY_IN_PACKAGES = BESIDE.endsWith("/packages/") ? /^[\w-]+\/(?:src|dist)\// : /^limbeck[\w-]*\/(?:src|dist)\//;

/** The package.json of a package as a file finds it; undefined where it is not installed. */
export function manifestOf(from: string, name: string): string | undefined {
  try {
    return createRequire(from).resolve(`${name}/package.json`);
  } catch {
    return undefined;
  }
}

const baseManifest = fileURLToPath(new URL("../../package.json", import.meta.url));

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Undefined where it cannot be read: a bundle has none beside it. */
export function readManifest(file: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Manifest;
  } catch {
    return undefined;
  }
}

/** The manifest of `limbeck`, which names every optional package; of this package where it stands alone. */
export const OWN_MANIFEST = manifestOf(baseManifest, "limbeck") ?? baseManifest;

/** Whether this is a clone: sources lie beside what runs. */
export const isClone = existsSync(new URL("base/src/base/own-place.ts", BESIDE)) && !BESIDE.includes("/node_modules/");

/** Where npm is run: the clone, or the project in whose node_modules the package with this manifest is. */
export function projectFolder(manifest = OWN_MANIFEST): string {
  if (isClone && manifest === OWN_MANIFEST) return fileURLToPath(new URL("../", BESIDE)).replace(/[\\/]$/, "");
  const own = dirname(manifest);
  const at = own.indexOf(`${sep}node_modules${sep}`);
  return at === -1 ? own : own.slice(0, at);
}

/** Whether an address, or a text that holds one, is of a file of ours. */
export function isOwnFile(url: string): boolean {
  const home = pathToFileURL(join(dirname(OWN_MANIFEST), sep)).href;
  const at = url.indexOf(BESIDE);
  if (at >= 0 && WAY_IN_PACKAGES.test(url.slice(at + BESIDE.length))) return true;
  return ["src/", "dist/"].some((folder) => url.includes(home + folder));
}
