/**
 * Puts the process of a line into one file, for machines that have the engine's runtime and nothing else. Another script
 * that keeps nothing in a store can be given, as a path below scripts:
 *
 *     tsx scripts/matrix/bundle.ts matrix-line.mjs
 *     tsx scripts/matrix/bundle.ts tcod.mjs tcod.ts
 *
 * The store, with its engines, is left out: a line keeps nothing.
 */
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";

const [outfile = "matrix-line.mjs", entry = "matrix/line-process.ts"] = process.argv.slice(2);

const withoutStore: Plugin = {
  name: "without-store",
  setup: (build) => {
    build.onResolve({ filter: /kept-records\.ts$/ }, ({ path }) => ({ path, external: true }));
  },
};

await build({
  entryPoints: [fileURLToPath(new URL(`../${entry}`, import.meta.url))],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  external: ["onnxruntime-node", "@duckdb/node-api", "apache-arrow", "parquet-wasm", "@modelcontextprotocol/sdk"],
  // Some packages still ask for built-in modules the old way.
  banner: {
    js: 'import { createRequire as limbeckRequire } from "node:module"; const require = limbeckRequire(import.meta.url);',
  },
  plugins: [withoutStore],
  logLevel: "warning",
});
