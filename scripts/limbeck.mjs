/**
 * `npm run limbeck`: the command line of a clone. It runs the program that the package has, in `dist`; files whose sources changed are
 * made anew first. Plain JavaScript, because nothing of ours is compiled yet when it starts.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const ROOT = join(import.meta.dirname, "..");
const SOURCES = join(ROOT, "src");
const BUILT = join(ROOT, "dist");
/** What each file was made from: `npm run build` empties the folder, and this with it. */
const RECORD = join(BUILT, ".made-from.json");

/** @returns {Record<string, string>} */
function sources() {
  const found = {};
  for (const name of readdirSync(SOURCES, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ts") || name.endsWith(".test.ts")) continue;
    const { mtimeMs, size } = statSync(join(SOURCES, name));
    found[name] = `${mtimeMs} ${size}`;
  }
  return found;
}

/** @returns {Record<string, string>} */
function record() {
  try {
    return JSON.parse(readFileSync(RECORD, "utf8"));
  } catch {
    // Nothing was made yet, or only half: all of it is made.
    return {};
  }
}

const target = (name) => join(BUILT, name.replace(/\.ts$/, ".js"));

/** Whole or not at all: another command may be starting. */
function replace(file, text) {
  const writing = `${file}.${process.pid}`;
  writeFileSync(writing, text);
  renameSync(writing, file);
}

async function make(names) {
  const { build } = await import("esbuild");
  const { outputFiles } = await build({
    entryPoints: names.map((name) => join(SOURCES, name)),
    outbase: SOURCES,
    outdir: BUILT,
    format: "esm",
    platform: "node",
    target: "node20",
    write: false,
    logLevel: "silent",
  });
  for (const folder of new Set(outputFiles.map(({ path }) => dirname(path)))) mkdirSync(folder, { recursive: true });
  for (const { path, text } of outputFiles) {
    replace(path, text.replace(/(\b(?:from|import) ?\(?)"(\.[^"]*)\.ts"/g, '$1"$2.js"'));
  }
}

const [before, now] = [record(), sources()];
const changed = Object.keys(now).filter((name) => now[name] !== before[name]);
const gone = Object.keys(before).filter((name) => now[name] === undefined);
if (changed.length > 0 || gone.length > 0) {
  await make(changed);
  for (const name of gone) rmSync(target(name), { force: true });
  replace(RECORD, JSON.stringify(now));
}
await import(pathToFileURL(join(BUILT, "cli", "bin.js")).href);
