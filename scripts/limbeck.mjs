/**
 * `npm run limbeck`: the command line of a clone. It runs what the packages have in `dist`; files whose sources changed are
 * compiled first. Plain JavaScript, because nothing is compiled yet when it starts.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Each package has its sources in `src`; what is compiled lies in `dist` beside it. */
const PACKAGES = fileURLToPath(new URL("../packages", import.meta.url));
/** What each file was compiled from. */
const RECORD = join(PACKAGES, "limbeck", "dist", ".made-from.json");
/** Compiled with all that it loads, because it answers at once. */
const FRONT = "limbeck/src/cli/front.ts";
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
  const folders = readdirSync(PACKAGES).map((name) => `${name}/src/`);
  for (const folder of folders) {
    if (!existsSync(`${PACKAGES}/${folder}`)) continue;
    for (const entry of readdirSync(`${PACKAGES}/${folder}`, { withFileTypes: true })) {
      const name = folder + entry.name;
      if (entry.isDirectory()) folders.push(`${name}/`);
      else if (name.endsWith(".ts") && !name.endsWith(".test.ts")) found[name] = stampOf(`${PACKAGES}/${name}`);
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
  return join(PACKAGES, name.replace("/src/", "/dist/").replace(/\.ts$/, ".js"));
}

/** Whole or not at all: another command may be starting. */
function replace(/** @type {string} */ file, /** @type {string} */ text) {
  const writing = `${file}.${process.pid}`;
  writeFileSync(writing, text);
  renameSync(writing, file);
}

/** A module of ours by its name: `limbeck-core/credit/grpo` is `core/src/credit/grpo.ts`. */
const NAMED = /limbeck-(\w+)\/([^"]*)/;

/** What a file of the packages is from another one: `../../../core/src/credit/grpo.ts`. */
function wayTo(/** @type {string} */ folder, /** @type {string} */ file) {
  const way = relative(folder, file).split(sep).join("/");
  return way.startsWith(".") ? way : `./${way}`;
}

/** Modules that are loaded when they are needed are not part of the bundle: they are those of `dist`. */
const whenNeeded = {
  name: "when-needed",
  setup(/** @type {import("esbuild").PluginBuild} */ build) {
    build.onResolve({ filter: /^(?:\.|limbeck-)/ }, ({ kind, path, resolveDir }) => {
      const [, name, rest] = NAMED.exec(path) ?? [];
      const to = name === undefined ? join(resolveDir, path) : join(PACKAGES, name, "src", `${rest}.ts`);
      if (kind !== "dynamic-import") return { path: to };
      return { path: wayTo(dirname(join(PACKAGES, FRONT)), to), external: true };
    });
  },
};

/** As tsc does it: a statement begins its line, and import() has one text. Names of our packages become paths to what is compiled. */
function compiled(/** @type {string} */ text, /** @type {string} */ file) {
  const statement = /(^(?:import|export|\}).* from |^import |\bimport\()"(\.[^"]*\.ts|limbeck-\w+\/[^"]*)"/gm;
  return text.replace(statement, (_, before, specifier) => {
    const [, name, rest] = NAMED.exec(specifier) ?? [];
    const path = name === undefined ? specifier : wayTo(dirname(file), join(PACKAGES, name, "dist", `${rest}.ts`));
    return `${before}"${path.replace("/src/", "/dist/").replace(/\.ts$/, ".js")}"`;
  });
}

async function compile(/** @type {string[]} */ names) {
  const { build, stop } = await import("esbuild");
  /** @type {import("esbuild").BuildOptions & { write: false }} */
  const options = {
    outbase: PACKAGES,
    outdir: PACKAGES,
    format: "esm",
    platform: "node",
    target: "node20",
    write: false,
    logLevel: "error",
  };
  const [{ outputFiles: ownFiles }, { outputFiles: bundle }] = await Promise.all([
    build({ ...options, entryPoints: names.filter((name) => name !== FRONT).map((name) => join(PACKAGES, name)) }),
    build({
      ...options,
      entryPoints: [join(PACKAGES, FRONT)],
      bundle: true,
      packages: "external",
      plugins: [whenNeeded],
    }),
  ]);
  // Its process would stay for as long as the command runs.
  await stop();
  for (const { path, text } of [...ownFiles, ...bundle]) {
    const file = targetOf(relative(PACKAGES, path).split(sep).join("/"));
    mkdirSync(dirname(file), { recursive: true });
    replace(file, compiled(text, file));
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
if (!isAnswered) await import(pathToFileURL(targetOf("limbeck/src/cli/bin.ts")).href);
