/** Installs the lock as npm would on another machine, and looks whether every native part has arrived. */
import { copyFile, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { npm } from "../package/npm.ts";
import { type Family, familiesOf, type Lock, pathFrom } from "./lock.ts";
import { nativeFiles } from "./native-file.ts";
import type { Platform } from "./platforms.ts";

/** Parts whose one package holds the files of all platforms. */
const WHOLE_PARTS = [
  {
    name: "onnxruntime-node",
    path: "node_modules/onnxruntime-node",
    folderOf: ({ os, cpu }: Platform) => join("bin", "napi-v6", os, cpu),
    offered: ({ libc }: Platform) => libc !== "musl",
  },
] as const;

/** What of a part is there for a platform. */
export interface Arrival {
  readonly part: string;
  readonly version: string;
  /** Whether the maker has a package for this platform at all. */
  readonly offered: boolean;
  readonly files: readonly string[];
}

/** `npm ci` in a folder that holds nothing but the manifest and the lock, for a platform that need not be this one. */
export async function installFor(platform: Platform, root: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of ["package.json", "package-lock.json", ".npmrc"])
    await copyFile(join(root, name), join(folder, name));
  for (const name of await readdir(join(root, "packages"))) {
    await mkdir(join(folder, "packages", name), { recursive: true });
    await copyFile(join(root, "packages", name, "package.json"), join(folder, "packages", name, "package.json"));
  }
  const libc = platform.libc === undefined ? [] : ["--libc", platform.libc];
  const words = ["--os", platform.os, "--cpu", platform.cpu, ...libc, "--ignore-scripts", "--prefer-offline"];
  npm(folder, ["ci", ...words], "pipe");
}

export async function arrivals(lock: Lock, folder: string, platform: Platform): Promise<Arrival[]> {
  const families = familiesOf(lock).map(async (family): Promise<Arrival> => {
    const member = memberFor(lock, family, platform);
    const path = member === undefined ? undefined : pathFrom(lock, family.path, member);
    const files = path === undefined ? [] : await nativeFiles(join(folder, path), platform);
    return { part: family.name, version: family.version, offered: member !== undefined, files };
  });
  const whole = WHOLE_PARTS.map(async ({ name, path, folderOf, offered }): Promise<Arrival> => {
    const files = offered(platform) ? await nativeFiles(join(folder, path, folderOf(platform)), platform) : [];
    return { part: name, version: lock.packages[path]?.version ?? "", offered: offered(platform), files };
  });
  return await Promise.all([...families, ...whole]);
}

/** Where the maker has no package for musl, the one for Linux serves both, unless it says that it needs glibc. */
function memberFor(lock: Lock, family: Family, platform: Platform): string | undefined {
  const exact = family.members.find((one) => one.platform === platform);
  const other = family.members.find(({ platform: { os, cpu } }) => os === platform.os && cpu === platform.cpu);
  const path = other === undefined ? undefined : pathFrom(lock, family.path, other.name);
  const serves = path !== undefined && lock.packages[path]?.libc === undefined;
  return exact?.name ?? (serves ? other?.name : undefined);
}
