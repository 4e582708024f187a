/** A program of its own, built from a support file, so that a test can start and kill it. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll } from "vitest";
import { withWorlds } from "../../scripts/package/with-worlds.ts";

const ROOT = join(import.meta.dirname, "../..");

export interface BundledChild {
  readonly program: string;
  remove(): Promise<void>;
}

/** Builds `test/support/NAME.ts` inside the repository, so that the program finds its packages. */
export async function bundleChild(name: string): Promise<BundledChild> {
  const cache = join(ROOT, "node_modules", ".cache");
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, "limbeck-child-"));
  const program = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [join(ROOT, `test/support/${name}.ts`)],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    plugins: [withWorlds],
    logLevel: "silent",
  });
  return { program, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** The same before the tests of a file, and removes it afterwards; gives the path of the program. */
export function builtChild(name: string): () => string {
  let child: BundledChild | undefined;
  beforeAll(async () => {
    child = await bundleChild(name);
  });
  afterAll(async () => child?.remove());
  return () => child?.program ?? "";
}
