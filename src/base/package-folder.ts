/** Folders of packages that hold nothing but files, such as a model. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { manifestOf, OWN_MANIFEST } from "./native-part.ts";

export interface FilePackage {
  readonly name: string;
  /** Its folder in this repository, below `packages`. */
  readonly folder: string;
  /** A file that it has when it is whole. */
  readonly file: string;
}

/** Where it lies: installed in a project or beside this package, or in this repository; undefined where it is nowhere. */
export function packageFolder(
  { name, folder, file }: FilePackage,
  project: string,
  ownManifest = OWN_MANIFEST,
): string | undefined {
  const manifests = [join(project, "package.json"), ownManifest].map((from) => manifestOf(from, name));
  const installed = manifests.flatMap((manifest) => (manifest === undefined ? [] : [dirname(manifest)]));
  const places = [...installed, join(dirname(ownManifest), "packages", folder)];
  return places.find((place) => existsSync(join(place, file)));
}
