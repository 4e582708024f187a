/** What a package-lock says about parts that are made once for each platform, and what is wrong with it. */
import { type Platform, platformOf, REQUIRED_PLATFORMS } from "./platforms.ts";

interface LockEntry {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly libc?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface Lock {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

/** One part, as its maker publishes it: a package for each platform behind one that chooses. */
export interface Family {
  /** Where the choosing package lies: `node_modules/rolldown`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly members: readonly { readonly name: string; readonly version: string; readonly platform: Platform }[];
}

/** Fewer platform packages than this are an extra for one system (fsevents), not a part made for each. */
const SMALLEST_FAMILY = 3;

/** By the names that each package asks for, so that an entry which is gone from the lock is still missed. */
export function familiesOf(lock: Lock): Family[] {
  const families: Family[] = [];
  for (const [path, entry] of Object.entries(lock.packages)) {
    const members = Object.entries(entry.optionalDependencies ?? {}).flatMap(([name, version]) => {
      const platform = platformOf(name);
      return platform === undefined ? [] : [{ name, version, platform }];
    });
    if (members.length < SMALLEST_FAMILY) continue;
    families.push({ path, name: packageAt(path), version: entry.version ?? "", members });
  }
  return families.sort((one, other) => one.name.localeCompare(other.name));
}

/** One sentence for each fault; `withoutIntegrity` lists, by path, entries that may lack it. */
export function lockFaults(lock: Lock, withoutIntegrity: ReadonlySet<string>): string[] {
  const faults = familiesOf(lock).flatMap((family) => familyFaults(lock, family));
  for (const [path, entry] of Object.entries(lock.packages)) {
    // The root and the members of its workspace lie in the clone itself.
    const local = !path.includes("node_modules/") || entry.link === true;
    if (local || entry.integrity !== undefined || withoutIntegrity.has(path)) continue;
    const about = `${packageAt(path)}@${entry.version}`;
    if (faults.some((fault) => fault.startsWith(`${about} `))) continue;
    faults.push(`${about}: no integrity in the lock (${path}).`);
  }
  return faults;
}

function familyFaults(lock: Lock, family: Family): string[] {
  const faults = family.members.flatMap(({ name, version, platform }) => {
    const about = `${name}@${version} (${family.name}, ${platform.name})`;
    const path = pathFrom(lock, family.path, name);
    const entry = path === undefined ? undefined : lock.packages[path];
    if (entry === undefined) return [`${about}: no entry in the lock, so npm leaves it out without a word.`];
    if (entry.version !== version) return [`${about}: the lock has version ${entry.version}.`];
    if (entry.integrity === undefined) return [`${about}: no integrity in the lock, so npm may leave it out.`];
    return [];
  });
  const offered = new Set(family.members.map(({ platform }) => platform));
  for (const platform of REQUIRED_PLATFORMS) {
    if (offered.has(platform)) continue;
    faults.push(`${family.name}@${family.version}: its maker offers no package for ${platform.name}.`);
  }
  return faults;
}

/** Where a package that this one asks for lies, as Node looks: in its own folder, then in each above it. */
export function pathFrom(lock: Lock, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("node_modules/") - 1))) {
    const path = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (path in lock.packages) return path;
    if (folder === "") return undefined;
  }
}

function packageAt(path: string): string {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}
