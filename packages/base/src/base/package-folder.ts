/** Folders of packages that hold nothing but files, such as a model. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { manifestOf, OWN_MANIFEST, projectFolder } from "./own-place.ts";

export interface FilePackage {
  readonly name: string;
  /** Its folder in this repository, below `packages`. */
  readonly folder: string;
  /** A file that it has when it is whole. */
  readonly file: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of models: LIMBECK_MODELS, or `limbeck/models` where this system keeps what can be fetched again. */
export function modelsFolder(env: Environment, platform: string = process.platform): string {
  if (env["LIMBECK_MODELS"] !== undefined && env["LIMBECK_MODELS"] !== "") return env["LIMBECK_MODELS"];
  const home = env["HOME"] ?? homedir();
  const other = platform === "darwin" ? join(home, "Library", "Caches") : join(home, ".cache");
  const cache = platform === "win32" ? (env["LOCALAPPDATA"] ?? other) : (env["XDG_CACHE_HOME"] ?? other);
  return join(cache, "limbeck", "models");
}

/** As npm allows them; so a name is never a way out of a folder. */
const NAME = /^(?=.{1,214}$)(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/;

/** The place of an installed package in the folder of models; undefined for what is no name of a package. */
export function keptFolder(models: string, name: string): string | undefined {
  return NAME.test(name) ? join(models, name.replace("/", "+")) : undefined;
}

/** Where it lies: installed in a project or beside this package, in this repository, or in the folder of models; undefined where it is nowhere. */
export function packageFolder(
  { name, folder, file }: FilePackage,
  project: string,
  ownManifest = OWN_MANIFEST,
  environment: Environment = process.env,
): string | undefined {
  const manifests = [join(project, "package.json"), ownManifest].map((from) => manifestOf(from, name));
  const installed = manifests.flatMap((manifest) => (manifest === undefined ? [] : [dirname(manifest)]));
  const kept = [
    join(ownManifest === OWN_MANIFEST ? projectFolder() : dirname(ownManifest), "packages", folder),
    join(modelsFolder(environment), name),
  ];
  return [...installed, ...kept].find((place) => existsSync(join(place, file)));
}
