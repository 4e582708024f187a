/** Writes a project from a template: its files, and a package.json that depends on this limbeck. */
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import { OWN_MANIFEST, readManifest } from "limbeck-base/base/own-place";
import { packageVersion } from "limbeck-base/base/package-info";
import { PART_PACKAGES } from "../natives.ts";
import { BASE, templateFolder, templates, TOOLS, type Template, type TemplateName } from "./templates.ts";

export interface ProjectOptions {
  readonly template: TemplateName;
  readonly folder: string;
  /** A tarball or a folder to depend on in the place of this version. */
  readonly limbeck?: string | undefined;
  /** Writes into a folder that is not empty, over files of the same name. */
  readonly force: boolean;
}

/** npm leaves a file of the right name out of a package. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: ".gitignore" };

/** Gives the paths below the folder, with forward slashes, and what package.json says of limbeck. */
export async function writeProject(options: ProjectOptions) {
  const { template, folder, force } = options;
  const limbeck = await dependencyOn(options);
  if (!force) await refuseFull(folder);
  const files = new Map<string, Buffer | string>();
  for (const name of new Set<TemplateName>([BASE, template])) {
    for (const [path, text] of await readTemplate(name)) files.set(path, text);
  }
  files.set("package.json", `${JSON.stringify(manifestOf(template, folder, limbeck), null, 2)}\n`);
  for (const [path, text] of files) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text, { flag: force ? "w" : "wx" }).catch((cause: unknown) => {
      if (errorCode(cause) !== "EEXIST") throw cause;
      throw targetExists(`"${path}" is there already. Give --force to write over it.`, cause);
    });
  }
  return { files: [...files.keys()].sort(), limbeck };
}

async function dependencyOn({ folder, limbeck }: ProjectOptions): Promise<string> {
  if (limbeck === undefined) return packageVersion();
  const found = await stat(limbeck).catch((cause: unknown) => {
    const message = `--limbeck "${limbeck}" is not there. It takes a tarball or a folder.`;
    throw new EngineError("bad-options", message, { cause });
  });
  if (!found.isDirectory() && !/\.(?:tgz|tar\.gz)$/.test(limbeck)) {
    throw new EngineError("bad-options", `--limbeck "${limbeck}" is no package: it takes a .tgz file or a folder.`);
  }
  return `file:${relative(resolve(folder), resolve(limbeck)).split(sep).join("/")}`;
}

/** A repository that was just made is empty for our purpose. */
async function refuseFull(folder: string): Promise<void> {
  const there = await readdir(folder).catch((cause: unknown) => {
    if (errorCode(cause) === "ENOENT") return [];
    if (errorCode(cause) !== "ENOTDIR") throw cause;
    throw targetExists(`"${folder}" is a file. Name a folder; it is made if it is not there.`, cause);
  });
  const first = there.find((name) => name !== ".git");
  const cure = "Name another folder, or give --force to write over files of the same name.";
  if (first !== undefined) throw targetExists(`The folder "${folder}" is not empty: it holds "${first}". ${cure}`);
}

function targetExists(message: string, cause?: unknown): EngineError {
  return new EngineError("target-exists", message, { cause });
}

async function readTemplate(name: TemplateName): Promise<(readonly [string, Buffer])[]> {
  const root = templateFolder(name);
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  return await Promise.all(
    found
      .filter((entry) => entry.isFile())
      .map(async ({ parentPath, name: file }) => {
        const below = relative(root, join(parentPath, file)).split(sep).join("/");
        return [RENAMED[below] ?? below, await readFile(join(parentPath, file))] as const;
      }),
  );
}

function manifestOf(template: TemplateName, folder: string, limbeck: string): object {
  const { packages, scripts }: Template = templates[template];
  const own = readManifest(OWN_MANIFEST);
  const versions = { ...own?.devDependencies, ...own?.dependencies, ...own?.peerDependencies };
  const ranged = (names: readonly string[]): [string, string][] =>
    names.map((name) => [name, (versions[name] ?? "latest").replace(/^(?=\d)/, "^")]);
  // The training needs them, and limbeck takes no other version.
  const engines = [...PART_PACKAGES.duckdb.packages, ...PART_PACKAGES.onnxruntime.packages];
  const exact = engines.map((name) => [name, versions[name] ?? "latest"] as const);
  const dependencies = Object.fromEntries([...exact, ...ranged(packages), ["limbeck", limbeck]]);
  return {
    name: packageName(folder, Object.keys(dependencies)),
    private: true,
    type: "module",
    scripts: {
      test: "node --import tsx --test src/world.test.ts",
      train: "node --import tsx src/train.ts",
      types: "tsc --noEmit",
      ...scripts,
    },
    dependencies,
    devDependencies: Object.fromEntries(ranged(TOOLS)),
  };
}

/** npm takes small letters, digits, dots and dashes, and no project that is called as what it depends on. */
function packageName(folder: string, taken: readonly string[]): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9.-]+/g, "-")
    .replace(/^[.-]+/, "");
  return name === "" ? "my-world" : taken.includes(name) ? `${name}-project` : name;
}
