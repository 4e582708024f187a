/** A program of its own, built from a support file, so that a test can start and kill it. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll } from "vitest";
import { withWorlds } from "../../scripts/package/with-worlds.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Builds `test/support/NAME.ts` before the tests of a file, and removes it afterwards; gives the path of the program. */
export function builtChild(name: string): () => string {
  let folder = "";
  const program = (): string => join(folder, `${name}.mjs`);
  beforeAll(async () => {
    // Inside the repository, so that the program finds its packages.
    const cache = join(ROOT, "node_modules", ".cache");
    await mkdir(cache, { recursive: true });
    folder = await mkdtemp(join(cache, "limbeck-child-"));
    await build({
      entryPoints: [join(ROOT, `test/support/${name}.ts`)],
      outfile: program(),
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
      plugins: [withWorlds],
      logLevel: "silent",
    });
  });
  afterAll(async () => rm(folder, { recursive: true, force: true }));
  return program;
}
