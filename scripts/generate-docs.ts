/** Writes the generated pages; with `--check` only says which are out of date. */
import { readFileSync, writeFileSync } from "node:fs";
import { pages } from "./docs/pages.ts";

const check = process.argv.includes("--check");
const stale: string[] = [];
for (const [path, generate] of Object.entries(pages)) {
  const target = new URL(`../${path}`, import.meta.url);
  const text = generate();
  if (check) {
    if (read(target) !== text) stale.push(path);
  } else {
    writeFileSync(target, text);
    process.stdout.write(`wrote ${path}\n`);
  }
}
if (stale.length > 0) {
  process.stderr.write(`Out of date: ${stale.join(", ")}. Run "npm run docs" and commit the result.\n`);
  process.exitCode = 1;
}

function read(target: URL): string | undefined {
  try {
    return readFileSync(target, "utf8");
  } catch {
    // A page that is not there yet is written.
    return undefined;
  }
}
