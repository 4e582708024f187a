/** What must hold of everything that is installed: pinned, under a licence that lets it be passed on, without a program that runs at install, and on no advisory. */

export interface Installed {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

export type Packages = Readonly<Record<string, Installed>>;

/** Licences under which everything that is installed may be passed on. */
export const LICENCES: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "(MIT OR Apache-2.0)",
  "MIT OR Apache-2.0",
  "(MIT OR CC0-1.0)",
]);
/** What only the house is built and tested with is passed on to nobody. */
const TOOL_LICENCES: ReadonlySet<string> = new Set([
  ...LICENCES,
  "(AFL-2.1 OR BSD-3-Clause)",
  "CC0-1.0",
  "MPL-2.0",
  "Unlicense",
]);

/** They ask to run something at install, and do without: `.npmrc` forbids it, and every test runs so. */
const DOES_WITHOUT: ReadonlyMap<string, string> = new Map([
  ["esbuild", "checks its own binary, which comes as a package for each platform"],
  ["msgpackr-extract", "builds what comes as a package for each platform"],
  ["onnxruntime-node", "fetches CUDA, which is asked for by name where it is wanted"],
  ["protobufjs", "prints a notice"],
]);

/** The package's own name, wherever it lies. */
function nameAt(path: string): string {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

function* foreign(packages: Packages): Iterable<readonly [path: string, name: string, entry: Installed]> {
  for (const [path, entry] of Object.entries(packages)) {
    if (path.includes("node_modules/") && entry.link !== true) yield [path, nameAt(path), entry];
  }
}

/** In words; empty where all is well. */
export function dependencyFaults(packages: Packages): string[] {
  const faults: string[] = [];
  for (const [path, name, { version = "", resolved, integrity, license, dev, hasInstallScript }] of foreign(packages)) {
    if (!/^\d+\.\d+\.\d+[\w.+-]*$/.test(version) || integrity?.startsWith("sha512-") !== true)
      faults.push(`${path} is not pinned: its version is "${version}", its integrity ${integrity ?? "missing"}.`);
    if (resolved !== undefined && !/^https:\/\/[^/]+\/.+\.tgz$/.test(resolved))
      faults.push(`${path} comes from ${resolved}; only packages of a registry are pinned by their content.`);
    const allowed = dev === true ? TOOL_LICENCES : LICENCES;
    if (!allowed.has(license ?? "none"))
      faults.push(`${path} is under ${license ?? "no licence"}; allowed: ${[...allowed].join(", ")}.`);
    if (hasInstallScript === true && !DOES_WITHOUT.has(name))
      faults.push(
        `${path} runs a program at install. Do without it, or say in scripts/package/dependencies.ts why it is not needed.`,
      );
  }
  return faults;
}

/** An advisory in OSV's form (https://ossf.github.io/osv-schema), as far as it is read. */
export interface Advisory {
  readonly id?: string;
  readonly summary?: string;
  readonly withdrawn?: string;
  readonly affected?: readonly {
    readonly package?: { readonly ecosystem?: string; readonly name?: string };
    readonly versions?: readonly string[];
    readonly ranges?: readonly {
      readonly type?: string;
      readonly events?: readonly {
        readonly introduced?: string;
        readonly fixed?: string;
        readonly last_affected?: string;
      }[];
    }[];
  }[];
}

/** Each advisory that matches what is installed, in words. */
export function advisoryMatches(packages: Packages, advisories: readonly Advisory[]): string[] {
  const byName = new Map<string, (readonly [string, string])[]>();
  for (const [path, name, { version = "" }] of foreign(packages))
    byName.set(name, [...(byName.get(name) ?? []), [path, version]]);
  return advisories.flatMap(({ id = "an advisory without an id", summary = "", withdrawn, affected = [] }) =>
    withdrawn !== undefined
      ? []
      : affected.flatMap((one) => {
          if (one.package?.ecosystem?.toLowerCase() !== "npm") return [];
          return (byName.get(one.package.name ?? "") ?? []).flatMap(([path, version]) => {
            const isListed = one.versions?.includes(version) === true;
            const isInRange = (one.ranges ?? []).some(
              ({ type, events }) => type !== "GIT" && isWithin(version, events ?? []),
            );
            return isListed || isInRange
              ? [`${id}: ${path} ${version}${summary === "" ? "" : ` (${summary.slice(0, 120)})`}`]
              : [];
          });
        }),
  );
}

type Events = NonNullable<NonNullable<NonNullable<Advisory["affected"]>[number]["ranges"]>[number]["events"]>;

/** Affected from an introduction to the next fix, in the order of versions. */
function isWithin(version: string, events: Events): boolean {
  const turns = events
    .flatMap(({ introduced, fixed, last_affected: last }) => [
      ...(introduced === undefined
        ? []
        : [{ at: introduced === "0" ? "0.0.0-0" : introduced, affected: true, after: false }]),
      ...(fixed === undefined ? [] : [{ at: fixed, affected: false, after: false }]),
      ...(last === undefined ? [] : [{ at: last, affected: false, after: true }]),
    ])
    .sort((one, other) => compareVersions(one.at, other.at) || Number(one.after) - Number(other.after));
  let isAffected = false;
  for (const { at, affected, after } of turns) {
    const order = compareVersions(version, at);
    if (order > 0 || (order === 0 && !after)) isAffected = affected;
  }
  return isAffected;
}

/** By SemVer 2.0, item 11: numbers, then a prerelease before its release. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [one, other].map((text) => {
    const [core = "", ...rest] = text.replace(/^v/, "").split("+", 1)[0]?.split("-") ?? [];
    return { core: core.split(".").map(Number), before: rest.join("-") };
  }) as [{ core: number[]; before: string }, { core: number[]; before: string }];
  for (const at of [0, 1, 2]) {
    const difference = (left.core[at] ?? 0) - (right.core[at] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  if (left.before === "" || right.before === "") return Number(left.before === "") - Number(right.before === "");
  const [parts, others] = [left.before.split("."), right.before.split(".")];
  for (let at = 0; at < Math.max(parts.length, others.length); at += 1) {
    const order = comparePart(parts[at], others[at]);
    if (order !== 0) return order;
  }
  return 0;
}

function comparePart(one: string | undefined, other: string | undefined): number {
  if (one === undefined || other === undefined) return Number(one !== undefined) - Number(other !== undefined);
  const [left, right] = [one, other].map((part) => /^\d+$/.test(part)) as [boolean, boolean];
  if (left && right) return Math.sign(Number(one) - Number(other));
  if (left !== right) return left ? -1 : 1;
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A list, a single one, or one a line. Throws where it is none of these. */
export function readAdvisories(text: string): Advisory[] {
  const isOne = (value: unknown): value is Advisory =>
    typeof value === "object" && value !== null && "affected" in value;
  const all = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);
  let values: unknown[];
  try {
    values = all(JSON.parse(text));
  } catch {
    values = text.split("\n").flatMap((line) => (line.trim() === "" ? [] : all(JSON.parse(line))));
  }
  const odd = values.findIndex((value) => !isOne(value));
  if (odd >= 0) throw new SyntaxError(`Entry ${odd + 1} has no "affected": it is no advisory in OSV's form.`);
  return values as Advisory[];
}
