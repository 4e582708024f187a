/**
 * Builds this clone, packs it, and installs the tarball into a project of yours, as `npm install limbeck` would:
 *
 *     npm run install-into -- ../my-agent
 *     npm run install-into -- ../my-agent limbeck @duckdb/node-api onnxruntime-node
 *     npm run install-into -- ../my-agent limbeck limbeck-recorder ai zod
 *
 * Other names are those of published packages; what limbeck may need is taken in the version that it names. No install script runs: nothing of ours has one, and that of
 * onnxruntime-node would fetch libraries for GPUs.
 */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { modelPackages } from "../packages/policy/src/policy/starts.ts";
import { npm } from "./package/npm.ts";

const clone = fileURLToPath(new URL("..", import.meta.url));
const OURS: Readonly<Record<string, string>> = {
  limbeck: clone,
  "limbeck-recorder": join(clone, "build", "stage", "recorder"),
  ...ofModels(({ folder }) => join(clone, "packages", folder)),
};
const NEXT: Readonly<Record<string, string>> = {
  limbeck: "npx limbeck doctor",
  "limbeck-recorder": 'import { createRecorder } from "limbeck-recorder";  // in your agent',
  ...ofModels(({ use }) => `npx ${use}`),
};
const USAGE = `npm run install-into -- FOLDER ${Object.keys(OURS)
  .map((name) => `[${name}]`)
  .join(" ")} [other packages]`;
/** A package of the registry with an optional version; no option of npm, no path, no address. */
const PACKAGE = /^(?:@[\w.-]+\/)?\w[\w.-]*(?:@[\w.^~*-]+)?$/;

const [folder, ...given] = process.argv.slice(2);
const names = given.length === 0 ? ["limbeck"] : given;
// Where the words were typed, which need not be the root of the clone.
const typedIn = process.env["INIT_CWD"] ?? process.cwd();
if (folder === undefined) stop(`Which folder shall it be installed into? ${USAGE}`);
const project = resolve(typedIn, folder);
checkWords();

/** The packages with sources are built together, once. */
let isBuilt = false;
try {
  const packages = names.map((name) => (Object.hasOwn(OURS, name) ? pack(name) : withVersion(name)));
  prepare();
  npm(project, ["install", "--ignore-scripts", ...packages]);
} catch (error) {
  stop((error as Error).message, 1);
}

const lines = names.flatMap((name) => NEXT[name] ?? []).map((line) => `  ${line}\n`);
const way = relative(typedIn, project);
const step = way === "" ? "" : `  cd ${/\s/.test(way) ? JSON.stringify(way) : way}\n`;
process.stdout.write(`\nInstalled in ${project}: ${names.join(", ")}. Next:\n${step}${lines.join("")}`);

function ofModels(text: (one: (typeof modelPackages)[keyof typeof modelPackages]) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(modelPackages).map(([name, one]) => [name, text(one)]));
}

function checkWords(): void {
  if (project === resolve(clone)) {
    stop(`${project} is this clone. Name the folder of your own project: ${USAGE}`);
  }
  if (existsSync(project) && !statSync(project).isDirectory()) {
    stop(`${project} is a file. Name a folder; it is made if it is not there.`);
  }
  const wrong = names.find((name) => !PACKAGE.test(name));
  if (wrong !== undefined) stop(`"${wrong}" is no name of a package. ${USAGE}`);
}

/** Gives the path of the tarball, which lies at the root of the clone: the project's package.json names it there. */
function pack(name: string): string {
  const source = OURS[name] ?? clone;
  process.stdout.write(`Building and packing ${name}…\n`);
  if (!isBuilt && !Object.hasOwn(modelPackages, name)) {
    npm(clone, ["run", "--silent", "pack"]);
    isBuilt = true;
  }
  if (name !== "limbeck") npm(source, ["pack", "--ignore-scripts", "--loglevel", "error", "--pack-destination", clone]);
  const { version } = JSON.parse(readFileSync(join(clone, "package.json"), "utf8")) as { readonly version: string };
  return join(clone, `${name}-${version}.tgz`);
}

function withVersion(name: string): string {
  const manifest = JSON.parse(readFileSync(join(clone, "packages", "limbeck", "package.json"), "utf8")) as {
    readonly peerDependencies: Readonly<Record<string, string>>;
  };
  const version = manifest.peerDependencies[name];
  return version === undefined ? name : `${name}@${version}`;
}

/** Without a package.json npm would install into the nearest folder above that has one. */
function prepare(): void {
  mkdirSync(project, { recursive: true });
  const manifest = join(project, "package.json");
  if (existsSync(manifest)) return;
  writeFileSync(manifest, '{\n  "private": true,\n  "type": "module"\n}\n');
  process.stdout.write(`Made ${manifest}.\n`);
}

function stop(message: string, code = 2): never {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}
