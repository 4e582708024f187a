/** A program of its own, built from a support file, so that a test can start and kill it. */
import { join } from "node:path";
import { build } from "esbuild";
import { beforeAll } from "vitest";
import { sourceFolders } from "../../scripts/layout.ts";
import { ourSources } from "../../scripts/package/our-sources.ts";
import { withWorlds } from "../../scripts/package/with-worlds.ts";
import { builtOnce } from "./built-once.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Builds `test/support/NAME.ts`; gives the path of the program. */
export async function bundleChild(name: string): Promise<string> {
  const folder = await builtOnce(
    name,
    [...sourceFolders, "packages/core/data/worlds", "test/support", "scripts/package"],
    (making) =>
      build({
        entryPoints: [join(ROOT, `test/support/${name}.ts`)],
        outfile: join(making, `${name}.mjs`),
        bundle: true,
        platform: "node",
        format: "esm",
        packages: "external",
        plugins: [ourSources, withWorlds],
        logLevel: "silent",
      }),
  );
  return join(folder, `${name}.mjs`);
}

/** The same before the tests of a file. */
export function builtChild(name: string): () => string {
  let program = "";
  beforeAll(async () => {
    program = await bundleChild(name);
  });
  return () => program;
}
