/**
 * Everything of a release but the last command, which it prints:
 *
 *     npm run release -- --advisories osv.json
 *
 * Packs every package into `build/release`, installs the tarballs into an empty folder with npm, looks at their licences, compiles a
 * program over all doors strictly, runs the command line there, and writes a bill of materials and checksums. Whatever is not as it
 * must be ends it.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { modelPackages } from "../packages/policy/src/policy/starts.ts";
import { PACKAGES } from "./layout.ts";
import { LICENCES } from "./package/dependencies.ts";
import { npm } from "./package/npm.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const release = join(root, "build", "release");
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly exports?: Readonly<Record<string, unknown>>;
}

checkVersions();
// `npm run release -- --advisories FILE` looks for advisories too.
run(root, "tsx", ["scripts/check-dependencies.ts", ...process.argv.slice(2)]);
run(root, "tsx", ["scripts/pack.ts", "--each", "--out", release]);
for (const { folder } of Object.values(modelPackages))
  npm(join(root, "packages", folder), [
    "pack",
    "--ignore-scripts",
    "--loglevel",
    "error",
    "--pack-destination",
    release,
  ]);
const tarballs = readdirSync(release).filter((name) => name.endsWith(".tgz"));
const project = mkdtempSync(join(tmpdir(), "limbeck release "));
try {
  rehearse();
} finally {
  rmSync(project, { recursive: true, force: true });
}
const sums = tarballs.map(
  (name) =>
    `${createHash("sha256")
      .update(readFileSync(join(release, name)))
      .digest("hex")}  ${name}\n`,
);
writeFileSync(join(release, "SHA256SUMS"), sums.join(""));
// What others stand on goes first.
const order = [...Object.values(modelPackages).map(({ folder }) => folder), ...Object.keys(PACKAGES)];
say(`\nAll of it lies in ${release}. What is left, in this order:`);
for (const name of order) {
  const { name: full, version } = manifestIn(join(root, "packages", name));
  say(`  npm publish --provenance --access public build/release/${full}-${version}.tgz`);
}

/** One version for all, and a line of the changelog for it. */
function checkVersions(): void {
  const { version } = manifestIn(root);
  const others = readdirSync(join(root, "packages")).filter(
    (name) => manifestIn(join(root, "packages", name)).version !== version,
  );
  if (others.length > 0) stop(`These packages have another version than ${version}: ${others.join(", ")}.`);
  const changes = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  if (!changes.includes(`## ${version}`)) stop(`CHANGELOG.md has no section "## ${version}".`);
}

function rehearse(): void {
  writeFileSync(
    join(project, "package.json"),
    '{ "name": "rehearsal", "version": "1.0.0", "private": true, "type": "module" }\n',
  );
  const files = tarballs.map((name) => join(release, name));
  npm(project, ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...files]);
  checkLicences();
  const doors = Object.keys(manifestIn(join(project, "node_modules", "limbeck")).exports ?? {}).filter(
    (door) => !door.endsWith(".json"),
  );
  const imports = doors.map((door, at) => `import * as door${at} from "limbeck${door.slice(1)}";\n`);
  writeFileSync(
    join(project, "all.ts"),
    `${imports.join("")}console.log(${doors.map((_, at) => `Object.keys(door${at}).length`).join(" + ")});\n`,
  );
  for (const module of ["nodenext", "preserve"]) {
    run(project, "tsc", [
      "--strict",
      "--noEmit",
      "--target",
      "es2023",
      "--types",
      "node",
      "--typeRoots",
      join(root, "node_modules", "@types"),
      "--module",
      module,
      "all.ts",
    ]);
  }
  execFileSync(process.execPath, [join("node_modules", "limbeck", "dist", "cli", "bin.js"), "explain", "opid"], {
    cwd: project,
  });
  const sbom = npm(project, ["sbom", "--omit", "dev", "--sbom-format", "cyclonedx"], "pipe");
  writeFileSync(join(release, "sbom.cyclonedx.json"), sbom);
}

function checkLicences(): void {
  const folders = readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith("."));
  const names = folders.flatMap((name) =>
    name.startsWith("@") ? readdirSync(join(project, "node_modules", name)).map((one) => `${name}/${one}`) : [name],
  );
  const odd = names.flatMap((name) => {
    const { license = "none" } = manifestIn(join(project, "node_modules", name));
    return LICENCES.has(license) ? [] : [`${name}: ${license}`];
  });
  if (odd.length > 0) stop(`Licences that are not on the list of scripts/package/dependencies.ts: ${odd.join("; ")}.`);
  say(`${names.length} packages are installed, each under a licence of the list.`);
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

function run(cwd: string, program: "tsc" | "tsx", words: readonly string[]): void {
  const file = { tsc: "typescript/bin/tsc", tsx: "tsx/dist/cli.mjs" }[program];
  mkdirSync(release, { recursive: true });
  execFileSync(process.execPath, [join(root, "node_modules", file), ...words], { cwd, stdio: "inherit" });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function stop(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
