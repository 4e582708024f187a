/**
 * Benches that run as bundled code, as users have it: the compiler of the source tree gives every closure its name when it
 * is made, which can cost a loop more than all it does.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { ourSources } from "../../scripts/package/our-sources.ts";
import { withWorlds } from "../../scripts/package/with-worlds.ts";

/** Bundles a program of this folder; what is given back runs it in a process of its own and reads what it wrote. */
export async function bundleProgram<Figures>(name: string): Promise<(...words: readonly string[]) => Promise<Figures>> {
  // Inside the repository, so that the program finds its packages.
  const program = join(import.meta.dirname, "../..", "node_modules", ".cache", `limbeck-${name}.mjs`);
  await build({
    entryPoints: [join(import.meta.dirname, `${name}.ts`)],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    plugins: [ourSources, withWorlds],
    logLevel: "silent",
  });
  return async (...words) => {
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...words]);
    return JSON.parse(stdout) as Figures;
  };
}
