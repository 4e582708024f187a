/**
 * Puts a program of `research` that keeps nothing in a store into one file, for machines that have the engine's runtime and nothing else:
 *
 *     tsx scripts/bundle.ts research/tcod.ts tcod.mjs
 *
 * `npm run matrix:bundle -- FILE` and `npm run search-curves:bundle -- FILE` do it for one line of those studies. The store,
 * with its engines, is left out; onnxruntime-node must lie beside the file where a model plays.
 */
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { withWorlds } from "./package/with-worlds.ts";

const [entry = "research/matrix/line-process.ts", outfile = "bundle.mjs"] = process.argv.slice(2);

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
  plugins: [withoutStore, withWorlds],
  logLevel: "warning",
});
