/** Optional packages that are not installed, and the command that brings them. */
import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { isClone, OWN_MANIFEST, projectFolder, readManifest } from "./own-place.ts";

interface Manager {
  /** What a project of its own holds. */
  readonly files: readonly string[];
  /** No package needs its install script, and one of them would fetch libraries for GPUs. */
  readonly words: readonly string[];
}

const NPM: Manager = { files: ["package-lock.json"], words: ["npm", "install", "--ignore-scripts"] };
const MANAGERS: readonly Manager[] = [
  NPM,
  { files: ["pnpm-lock.yaml"], words: ["pnpm", "add", "--ignore-scripts"] },
  { files: ["bun.lock", "bun.lockb"], words: ["bun", "add", "--ignore-scripts"] },
  { files: [".yarnrc.yml"], words: ["yarn", "add", "--mode=skip-build"] },
  { files: ["yarn.lock"], words: ["yarn", "add", "--ignore-scripts"] },
];

export interface MissingPackages {
  /** The project into which they can be installed. */
  readonly project: string;
  readonly names: readonly string[];
  /** The program and its words. */
  readonly command: readonly string[];
}

/**
 * Those of these packages that the `limbeck` with this manifest cannot import; undefined where all are there, and where nothing
 * can be installed: in a clone, and in no project. Only files are looked at: Node remembers a package that it did not find.
 */
export function missingPackages(all: readonly string[], manifest = OWN_MANIFEST): MissingPackages | undefined {
  const project = projectFolder(manifest);
  if (!manifest.startsWith(join(project, "node_modules", sep)) || !existsSync(join(project, "package.json")))
    return undefined;
  const names = all.filter((name) => !isThere(name, dirname(manifest)));
  return names.length === 0 ? undefined : { project, names, command: installWords(names, manifest) };
}

function isThere(name: string, folder: string): boolean {
  const above = dirname(folder);
  return existsSync(join(folder, "node_modules", name, "package.json")) || (above !== folder && isThere(name, above));
}

/** In the versions that the manifest names. A command for all users stands in no project. */
function installWords(names: readonly string[], manifest: string): string[] {
  const { peerDependencies = {} } = readManifest(manifest) ?? {};
  const packages = names.map((name) => `${name}@${peerDependencies[name] ?? "latest"}`);
  const has = (file: string): boolean => existsSync(join(projectFolder(manifest), file));
  if (!has("package.json")) return [...NPM.words, "--global", ...packages];
  const { words } = MANAGERS.find(({ files }) => files.some(has)) ?? NPM;
  return [...words, ...packages];
}

/** What a person types. A clone has all packages in its lock. */
export function installCommand(names: readonly string[]): string {
  return isClone ? "npm ci" : commandText(installWords(names, OWN_MANIFEST));
}

/** In quotes where a shell would read a "^". */
export function commandText(words: readonly string[]): string {
  return words.map((word) => (/^[\w@./=-]+$/.test(word) ? word : `"${word}"`)).join(" ");
}
