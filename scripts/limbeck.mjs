/**
 * `npm run limbeck`: the command line of a clone. It runs the program that the package has, in `dist`; files whose sources changed are
 * compiled first. Plain JavaScript, because nothing is compiled yet when it starts.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SOURCES = join(ROOT, "src");
const BUILT = join(ROOT, "dist");
/** What each file was compiled from. `npm run build` empties the folder, and this goes with it. */
const RECORD = join(BUILT, ".made-from.json");
/** Compiled with all that it loads, because it answers at once. */
const FRONT = "cli/front.ts";
/** From so many files on it takes seconds, and a person should know why. */
const MANY = 200;

/** @typedef {Record<string, string>} Stamps By the name of the source. */

/** @returns {string} Changes with the file. */
function stampOf(/** @type {string} */ file) {
  const { mtimeMs, size } = statSync(file);
  return `${mtimeMs} ${size}`;
}

/** @returns {Stamps} This program is one of them: another way to compile makes everything anew. */
function sources() {
  /** @type {Stamps} */
  const found = { "": stampOf(fileURLToPath(import.meta.url)) };
  const folders = [""];
  for (const folder of folders) {
    for (const entry of readdirSync(`${SOURCES}/${folder}`, { withFileTypes: true })) {
      const name = folder + entry.name;
      if (entry.isDirectory()) folders.push(`${name}/`);
      else if (name.endsWith(".ts") && !name.endsWith(".test.ts")) found[name] = stampOf(`${SOURCES}/${name}`);
    }
  }
  return found;
}

/** @returns {Stamps} */
function record() {
  try {
    return JSON.parse(readFileSync(RECORD, "utf8"));
  } catch {
    // Nothing was compiled yet, or not to the end: all of it is.
    return {};
  }
}

/** @returns {string} */
function targetOf(/** @type {string} */ name) {
  return join(BUILT, name.replace(/\.ts$/, ".js"));
}

/** Whole or not at all: another command may be starting. */
function replace(/** @type {string} */ file, /** @type {string} */ text) {
  const writing = `${file}.${process.pid}`;
  writeFileSync(writing, text);
  renameSync(writing, file);
}

/** Modules that are loaded when they are needed are not part of the bundle: they are those of `dist`. */
const whenNeeded = {
  name: "when-needed",
  setup(/** @type {import("esbuild").PluginBuild} */ build) {
    build.onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
      if (kind !== "dynamic-import") return undefined;
      const to = relative(join(SOURCES, "cli"), join(resolveDir, path));
      return { path: `./${to.split(sep).join("/")}`, external: true };
    });
  },
};

async function compile(/** @type {string[]} */ names) {
  const { build, stop } = await import("esbuild");
  /** @type {import("esbuild").BuildOptions & { write: false }} */
  const options = {
    outbase: SOURCES,
    outdir: BUILT,
    format: "esm",
    platform: "node",
    target: "node20",
    write: false,
    logLevel: "error",
  };
  const [{ outputFiles: ownFiles }, { outputFiles: bundle }] = await Promise.all([
    build({ ...options, entryPoints: names.filter((name) => name !== FRONT).map((name) => join(SOURCES, name)) }),
    build({
      ...options,
      entryPoints: [join(SOURCES, FRONT)],
      bundle: true,
      packages: "external",
      plugins: [whenNeeded],
    }),
  ]);
  const outputFiles = [...ownFiles, ...bundle];
  // Its process would stay for as long as the command runs.
  await stop();
  for (const folder of new Set(outputFiles.map(({ path }) => dirname(path)))) mkdirSync(folder, { recursive: true });
  for (const { path, text } of outputFiles) {
    // As tsc does it: a statement begins its line, and import() has one text.
    replace(path, text.replace(/(^(?:import|export|\}).* from |^import |\bimport\()"(\.[^"]*)\.ts"/gm, '$1"$2.js"'));
  }
}

async function makeAnew() {
  const now = sources();
  const recorded = record();
  const before = recorded[""] === now[""] ? recorded : {};
  const changed = Object.keys(now).filter((name) => name !== "" && now[name] !== before[name]);
  const gone = Object.keys(recorded).filter((name) => now[name] === undefined);
  if (changed.length + gone.length === 0) return;
  if (changed.length >= MANY && process.stderr.isTTY) process.stderr.write("Compiling the sources, once…\n");
  await compile(changed);
  for (const name of gone) rmSync(targetOf(name), { force: true });
  replace(RECORD, JSON.stringify(now));
}

try {
  await makeAnew();
} catch (error) {
  const { code, errors, message } = /** @type {{ code?: string, errors?: unknown, message: string }} */ (error);
  // esbuild has printed what is wrong with a source.
  if (errors === undefined) process.stderr.write(`error    The sources cannot be compiled: ${message}\n`);
  if (code === "ERR_MODULE_NOT_FOUND") process.stderr.write('hint     Run "npm ci" first.\n');
  process.exit(1);
}
const { isAnswered } = await import(pathToFileURL(targetOf(FRONT)).href);
if (!isAnswered) await import(pathToFileURL(join(BUILT, "cli", "bin.js")).href);
