/**
 * Puts `line-process.ts` into one file:
 *
 *     tsx scripts/search-curves/bundle.ts search-line.mjs
 *
 * Beside it must lie onnxruntime-node, where a model plays, and the models (`--models DIR`).
 */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const [outfile = "search-line.mjs"] = process.argv.slice(2);

await build({
  entryPoints: [fileURLToPath(new URL("line-process.ts", import.meta.url))],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  external: ["onnxruntime-node", "@duckdb/node-api", "apache-arrow", "parquet-wasm", "@modelcontextprotocol/sdk"],
  banner: {
    js: 'import { createRequire as limbeckRequire } from "node:module"; const require = limbeckRequire(import.meta.url);',
  },
  logLevel: "warning",
});
