/** What tests build from the sources: made once for each content of them, and kept for all test files and runs. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
/** Inside the repository, so that a program finds its packages. */
const CACHE = join(ROOT, "node_modules", ".cache");
const PREFIX = "limbeck-built-";
const HOUR_MS = 3_600_000;

/**
 * The folder that `build` filled, now or before.
 *
 * @param from folders and files of the repository; what is built depends on their content alone
 */
export async function builtOnce(
  name: string,
  from: readonly string[],
  build: (folder: string) => Promise<unknown>,
): Promise<string> {
  const folder = join(CACHE, `${PREFIX}${name}-${contentOf([...from, "package-lock.json"])}`);
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  await removeOld(name);
  const making = await mkdtemp(join(CACHE, `${PREFIX}making-`));
  try {
    await build(making);
    // Another process may have been faster; what it built is the same.
    await rename(making, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return folder;
}

function contentOf(paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths) {
    const files = path.includes(".")
      ? [path]
      : readdirSync(join(ROOT, path), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
          .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
    for (const file of files.sort())
      hash
        .update(file)
        .update("\0")
        .update(readFileSync(join(ROOT, file)));
  }
  return hash.digest("hex").slice(0, 16);
}

/** Of sources that are no more; a run beside this one may still use what is new. */
async function removeOld(name: string): Promise<void> {
  for (const other of await readdir(CACHE)) {
    if (!other.startsWith(`${PREFIX}${name}-`) && !other.startsWith(`${PREFIX}making-`)) continue;
    const path = join(CACHE, other);
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > HOUR_MS) await rm(path, { recursive: true, force: true });
  }
}
