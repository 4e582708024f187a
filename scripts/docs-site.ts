/** Builds the documentation as a site: `npm run docs:site`; `-- --serve` shows it, `-- --port 4180` says where. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { checkSite } from "./site/check-links.ts";
import { SITE, stage } from "./site/stage.ts";

interface VitePress {
  readonly build: (root: string) => Promise<void>;
  readonly serve: (options: { readonly root: string; readonly port: number }) => Promise<unknown>;
}
// By a name that the compiler does not follow: its types bring those of a browser, which change what `fetch` takes everywhere.
const generator: string = "vitepress";
const { build, serve } = (await import(generator)) as VitePress;

const { values } = parseArgs({
  options: { serve: { type: "boolean", default: false }, port: { type: "string", default: "4180" } },
});
const root = fileURLToPath(new URL("site", import.meta.url));
const built = join(SITE, "built");
const began = performance.now();

// Links to these are links to files; VitePress knows the usual kinds only.
process.env["VITE_EXTRA_EXTENSIONS"] = "parquet,jsonl";
stage();
await build(root);
const { pages, links, dead, foreign } = checkSite(built);
const seconds = ((performance.now() - began) / 1000).toFixed(0);
process.stdout.write(`${pages} pages, ${links} links, ${dead.length} dead, in ${seconds} s: .cache/docs-site/built\n`);
for (const line of [...dead, ...foreign]) process.stderr.write(`${line}\n`);
if (dead.length + foreign.length > 0) process.exitCode = 1;
else if (values.serve) {
  await serve({ root, port: Number(values.port) });
  process.stdout.write(`http://localhost:${values.port}/ (end it with Ctrl+C)\n`);
}
