/**
 * Parts of packages that are machine code: loading one, and what to say where that fails. npm leaves an optional package
 * out without a word, so the first call that needs it notices.
 */
import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { EngineError } from "./errors.ts";
import { installCommand } from "./missing-packages.ts";
import { isClone, manifestOf, OWN_MANIFEST, projectFolder, readManifest } from "./own-place.ts";

export interface NativePart {
  /** For people: "DuckDB". */
  readonly name: string;
  /** What does not work without it. */
  readonly affects: string;
  /** What this machine is called among the platforms it is made for. */
  readonly platform: string;
  /** From a package that ours depends on to the one that holds the file; each is found from the one before. */
  readonly packages: readonly string[];
  /** The file, in the last package. */
  readonly file: string;
  /** The platforms it is made for, as the innermost of these packages that is installed tells. */
  readonly platforms: (folder: string) => readonly string[];
  /** Of `npm install`, beside the package. */
  readonly installOptions?: string;
}

/** Calls `load`; where it fails, the error says which package is missing or broken, and the commands that mend it. */
export async function loadNativePart<T>(load: () => Promise<T>, part: () => NativePart): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw partError(part(), cause);
  }
}

/** "linux-arm64", "win32-x64"; with "-musl" on a Linux without glibc, Alpine for example. */
export function machinePlatform(): string {
  return `${process.platform}-${process.arch}${isMusl() ? "-musl" : ""}`;
}

function isMusl(): boolean {
  if (process.platform !== "linux") return false;
  const { header } = process.report.getReport() as { readonly header: { readonly glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined;
}

/** What was found on the way to the file. */
interface Found {
  readonly package: string;
  readonly version: string | undefined;
  /** Undefined where the package is not installed. */
  readonly folder: string | undefined;
  /** Folder of the innermost package that is installed. */
  readonly within: string | undefined;
}

function partError(part: NativePart, cause: unknown): EngineError {
  const found = find(part.packages);
  const { folder, within } = found;
  const spec = found.version === undefined ? found.package : `${found.package}@${found.version}`;
  const platforms = within === undefined ? [] : part.platforms(within);
  const there = folder !== undefined && existsSync(join(folder, part.file));
  const reason = firstLine(cause instanceof Error ? cause.message : String(cause));
  const facts = { part: part.name, platform: part.platform, package: spec, affects: part.affects };
  const isLeftOut = found.folder === undefined && found.within === undefined && !isClone;
  const fail = (lines: readonly string[], commands: readonly (readonly string[])[], withCause = {}): EngineError =>
    new EngineError("native-part-missing", lines.join("\n"), {
      details: { ...facts, isLeftOut, commands: commands.map((one) => one.join(" && ")) },
      ...withCause,
    });

  if (isLeftOut) return fail(...notInstalled(part, found.package));
  if (!there && platforms.length > 0 && !platforms.includes(part.platform)) {
    const title = `${part.name} has no native part for ${part.platform}; there is one for ${platforms.join(", ")}.`;
    return fail([title, "Use a machine of one of these kinds."], []);
  }
  const commands = mending(part, spec, folder);
  const [first = [], second = []] = commands;
  const mend = [
    `To mend it, in ${projectFolder()}:`,
    ...first.map((line) => `  ${line}`),
    "If that does not help:",
    ...second.map((line) => `  ${line}`),
  ];
  if (!there) {
    const what = folder === undefined ? "is not installed" : `is installed without its file ${part.file}`;
    const gap = "npm says nothing of it: an optional package that it leaves out, or that has lost a file, is no error.";
    const missing = `${part.name}'s native part for ${part.platform} is missing: the package ${spec} ${what}.`;
    return fail([missing, gap, ...mend], commands);
  }
  const title = `${part.name}'s native part for ${part.platform} (${part.file} of ${spec}) does not load: ${reason}`;
  const system = systemReason(part, reason);
  if (system !== undefined) return fail([title, system], [], { cause });
  const windows = "It needs the Microsoft Visual C++ Redistributable of this machine's kind.";
  return fail([title, ...(process.platform === "win32" ? [windows] : []), ...mend], commands, { cause });
}

/** A first installation leaves it out, because it is large and much works without it. */
function notInstalled({ name }: NativePart, own: string): [string[], string[][]] {
  const command = installCommand([own]);
  return [
    [`${name} is not installed here; a first installation leaves it out. In ${projectFolder()}:`, `  ${command}`],
    [[command]],
  ];
}

/** What follows in an error of Node is the list of files that asked. */
function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}

/** Why no installation helps, where the system itself does not fit. */
function systemReason(part: NativePart, reason: string): string | undefined {
  if (/GLIBC(XX)?_|CXXABI_/.test(reason)) {
    return "The C library of this system is older than the file needs. Installing again does not help; use a newer system.";
  }
  if (!isMusl() || part.platform.endsWith("-musl")) return undefined;
  return "It is made for glibc, and this system has musl (Alpine). Installing again does not help; use a system with glibc.";
}

function find(packages: readonly string[]): Found {
  let from = OWN_MANIFEST;
  let within: string | undefined;
  let last: Found = { package: "", version: undefined, folder: undefined, within };
  for (const name of packages) {
    const version = wantedVersion(from, name);
    const manifest = manifestOf(from, name);
    if (manifest === undefined) return { package: name, version, folder: undefined, within };
    within = dirname(manifest);
    last = { package: name, version, folder: within, within };
    from = manifest;
  }
  return last;
}

function wantedVersion(from: string, name: string): string | undefined {
  const { dependencies, optionalDependencies, peerDependencies } = readManifest(from) ?? {};
  return optionalDependencies?.[name] ?? dependencies?.[name] ?? peerDependencies?.[name];
}

/**
 * Two ways, each one or two commands. `npm install` believes a package whose manifest is there, so one that lost its file
 * is removed first. `npm ci` begins with an empty node_modules; a project's own lock may lack the package altogether
 * (npm issue 4828) and is made again.
 */
function mending(part: NativePart, spec: string, folder: string | undefined): readonly (readonly string[])[] {
  const project = projectFolder();
  const install = ["npm install --no-save", part.installOptions ?? "", spec].filter((word) => word !== "").join(" ");
  if (!isClone && !existsSync(join(project, "package.json"))) {
    const { name = "limbeck", version } = readManifest(OWN_MANIFEST) ?? {};
    const own = version === undefined ? name : `${name}@${version}`;
    return [
      [`npm install --global --include=optional ${own}`],
      [`npm uninstall --global ${name}`, `npm install --global --include=optional ${own}`],
    ];
  }
  const again = isClone
    ? ["npm ci --include=optional"]
    : [removal(["node_modules", "package-lock.json"]), "npm install --include=optional"];
  const broken = folder === undefined ? [] : [removal([relative(project, folder).split(sep).join("/")])];
  return [[...broken, install], again];
}

function removal(paths: readonly string[]): string {
  if (process.platform !== "win32") return `rm -rf ${paths.join(" ")}`;
  const list = paths.map((path) => `'${path}'`).join(",");
  return `node -e "for(const p of[${list}])fs.rmSync(p,{recursive:true,force:true})"`;
}
