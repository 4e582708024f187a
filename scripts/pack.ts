/**
 * Builds every package and packs it, as it would be published:
 *
 *     npm run pack                  limbeck with all packages of ours inside: one file that can be carried anywhere
 *     npm run pack -- --each        every package in a file of its own
 *     npm run pack -- --out FOLDER  into another folder. Default: the root of the clone
 *     npm run pack -- --work FOLDER where it is built. Default: build
 *
 * In the clone `exports` lead to the sources, so that nothing has to be built before a test; here they lead to `dist`. What is built
 * lies in `build`: compiled in `js`, ready to be packed in `stage`.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { transformSync } from "esbuild";
import { joinRoom } from "./join-room.ts";
import { PACKAGES } from "./layout.ts";
import { npm } from "./package/npm.ts";

const { values } = parseArgs({
  options: { each: { type: "boolean", default: false }, out: { type: "string" }, work: { type: "string" } },
});
const root = fileURLToPath(new URL("..", import.meta.url));
const out = resolve(process.env["INIT_CWD"] ?? root, values.out ?? root);
const work = resolve(process.env["INIT_CWD"] ?? root, values.work ?? join(root, "build"));
const [built, stage] = [join(work, "js"), join(work, "stage")];
/** What a package has beside its code, from its own folder. */
const BESIDE = ["data", "templates", "README.md", "LICENSE"];
/** The trainer that `limbeck-remote` starts, from the root. */
const PYTHON = "python/trainer";
/** What users find in `limbeck`, from the root. The pages of single studies are left out for their size. */
const PAGES = ["README.md", "CHANGELOG.md", "docs/index.md", "docs/learn", "docs/lookup", "docs/evidence", "examples"];
const LEFT_OUT = /[\\/](?:docs[\\/]evidence[\\/]results[\\/].*|__pycache__|\.venv|.*\.egg-info)$/;
const STARTING_MODEL = "household-model";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string>>;
  readonly private?: boolean | undefined;
  readonly scripts?: object | undefined;
}

await build();
for (const name of Object.keys(PACKAGES)) stagePackage(name);
if (values.each) for (const name of Object.keys(PACKAGES)) pack(join(stage, name));
else packTogether();

async function build(): Promise<void> {
  rmSync(work, { recursive: true, force: true });
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  for (const words of [["--removeComments", "--declaration", "false"], ["--emitDeclarationOnly"]]) {
    run(process.execPath, [compiler, "-p", "tsconfig.build.json", "--outDir", built, ...words]);
  }
  await joinRoom(join(built, "core/src/credit/registry.js"));
  const vite = join(root, "node_modules", "vite", "bin", "vite.js");
  run(process.execPath, [vite, "build", "packages/studio/pages", "--logLevel", "warn"]);
}

function stagePackage(name: string): void {
  const [from, to] = [join(root, "packages", name), join(stage, name)];
  copy(join(built, name, "src"), join(to, "dist"));
  for (const one of BESIDE) if (existsSync(join(from, one))) copy(join(from, one), join(to, one));
  if (name === "remote") copy(join(root, PYTHON), join(to, PYTHON));
  if (name === "studio") copy(join(from, "dist", "pages"), join(to, "dist", "pages"));
  if (name === "limbeck") for (const one of PAGES) copy(join(root, one), join(to, one));
  // Agents install it to record, and nothing else.
  if (name === "recorder") minify(join(to, "dist"));
  const files = readdirSync(to).filter((one) => !["package.json", "README.md", "LICENSE"].includes(one));
  writeJson(join(to, "package.json"), { ...published(readJson(join(from, "package.json"))), files });
}

function minify(folder: string): void {
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((one) => one.endsWith(".js"))) {
    const file = join(folder, path);
    writeFileSync(
      file,
      transformSync(readFileSync(file, "utf8"), { minifyWhitespace: true, minifySyntax: true, format: "esm" }).code,
    );
  }
}

/** As it is in the clone, but for sources, tests and the mark that keeps it from being published by mistake. */
function published({ exports = {}, ...manifest }: Manifest): Manifest {
  const doors = Object.entries(exports).flatMap(([door, file]) => {
    // Sources of what no door has are for the examples of the clone.
    if (manifest.name === "limbeck" && door.includes("*")) return [];
    if (!file.endsWith(".ts")) return [[door, file]];
    const way = file.replace("./src/", "./dist/").replace(/\.ts$/, "");
    return [[door, { types: `${way}.d.ts`, default: `${way}.js` }]];
  });
  const table = Object.fromEntries(doors) as Readonly<Record<string, string>>;
  return { ...manifest, private: undefined, scripts: undefined, exports: table };
}

/**
 * All of ours as bundled dependencies of `limbeck`; npm fetches what they need of others. Ours are
 * optional there: Bun looks for each dependency in a registry, bundled or not, and npm bundles only what some table names.
 */
function packTogether(): void {
  const folder = join(stage, "limbeck");
  const manifest = readJson(join(folder, "package.json"));
  const isOurs = (name: string): boolean => name.startsWith("limbeck-");
  const ours = Object.keys(manifest.dependencies ?? {}).filter(isOurs);
  const needed: Record<string, string> = {};
  for (const name of ours) {
    const short = name.slice("limbeck-".length);
    const from = join(short === STARTING_MODEL ? join(root, "packages") : stage, short);
    copy(from, join(folder, "node_modules", name));
    // npm looks for nothing that a bundled package needs.
    Object.assign(needed, readJson(join(from, "package.json")).dependencies);
  }
  const all = Object.entries({ ...needed, ...manifest.dependencies });
  const dependencies = Object.fromEntries(all.filter(([name]) => !isOurs(name)));
  const optionalDependencies = Object.fromEntries(all.filter(([name]) => isOurs(name)));
  writeJson(join(folder, "package.json"), {
    ...manifest,
    dependencies,
    optionalDependencies,
    bundleDependencies: ours,
  });
  pack(folder);
}

function pack(folder: string): void {
  mkdirSync(out, { recursive: true });
  npm(folder, ["pack", "--ignore-scripts", "--loglevel", "error", "--pack-destination", out]);
}

function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !LEFT_OUT.test(path) });
}

function run(file: string, words: readonly string[]): void {
  execFileSync(file, words, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
}

function readJson(file: string): Manifest {
  return JSON.parse(readFileSync(file, "utf8")) as Manifest;
}

function writeJson(file: string, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);
}
