/**
 * Which test files may share a process. Imports are most of the life of a small test file, so files share wherever one
 * cannot disturb the other; `vitest.config.ts` runs each kind as a project of its own.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileOf, namedPath } from "../../scripts/layout.ts";
import { doorsOf } from "./doc-examples.ts";

/** `npm test` runs the unit tier and the slice; CONTRIBUTING says what lives where. The name of a file says its tier. */
export type Tier = "nightly" | "slice" | "system" | "unit";

/** Set by the project of the system tier that runs tests of the store again, on object storage, which listens. */
export const ON_OBJECTS = "LIMBECK_TEST_ON_OBJECTS";
/** Set by the project of the nightly tier that runs tests again which try more there. */
export const THOROUGH = "LIMBECK_TEST_THOROUGH";

export interface SortedTests {
  /** Unit tests, each in a fresh process: they change it, or measure it. */
  readonly alone: string[];
  /** Unit tests that could run a model. The runtime makes its thread read denormal numbers as zero, and it stays like that. */
  readonly models: string[];
  /** All the other unit tests; none of these opens a model, so arithmetic is exact. */
  readonly plain: string[];
  /** End to end and thin: `x.slice.test.ts`. */
  readonly slice: string[];
  /** They start programs, listen, or take their time: `x.system.test.ts`. These share a process. */
  readonly system: string[];
  /** Those of the system tier that need a fresh one. */
  readonly systemAlone: string[];
  /** Unit tests of the store that the system tier runs again, on object storage. */
  readonly objects: string[];
  /** Tests that `npm run test:nightly` runs again, with more tries. */
  readonly thorough: string[];
  /** `x.nightly.test.ts`. */
  readonly nightly: string[];
}

/**
 * @example
 * tierOf("packages/store/src/store/kill.system.test.ts"); // "system"
 */
export function tierOf(path: string): Tier {
  return (/\.(nightly|slice|system)\.test\.ts$/.exec(path)?.[1] as Tier | undefined) ?? "unit";
}

const FOLDERS = ["packages", "research", "scripts", "test"];
const RUNTIME = join("packages", "policy", "src", "graph", "program.ts");

/**
 * An import of types only is matched whole, so that its path is not taken for that of another import. The package's own
 * name counts at the beginning of a line alone: examples in comments have it too.
 */
const IMPORTS =
  /^(?:import|export) type [^;]*;|^import\b[^;"]*"(limbeck(?:\/[^"]*)?)"|\b(?:from|import)\s*\(?\s*"((?:\.|limbeck-)[^"]*)"/gm;

/** What a test can do to its process that a later file would notice. */
const MARKS: readonly RegExp[] = [
  /\bvi\.(?:mock|doMock|stubEnv|stubGlobal|useFakeTimers|resetModules)\(/,
  /\bprocess\.(?:chdir|umask)\(/,
  /\b(?:process\.env|globalThis)(?:\.\w+|\[[^\]]+\])\s*=(?!=)/,
  /\bObject\.assign\((?:globalThis|process)\b/,
  // What is measured must be the test's own.
  /\bprocess\.memoryUsage\b/,
];

export function sortTests(root: string): SortedTests {
  const texts = readSources(root);
  const doors = new Map(doorsOf(root).map(({ name, file }) => [name, join(file)]));
  const models = importersOf(RUNTIME, texts, doors);
  const sorted: SortedTests = {
    alone: [],
    models: [],
    plain: [],
    slice: [],
    system: [],
    systemAlone: [],
    objects: [],
    thorough: [],
    nightly: [],
  };
  for (const [path, text] of texts) {
    if (!path.endsWith(".test.ts")) continue;
    const tier = tierOf(path);
    const name = path.split(sep).join("/");
    sorted[kindOf(tier, text, models.has(path))].push(name);
    if (text.includes("onEveryStore(")) sorted.objects.push(name);
    if (text.includes('/thorough.ts"')) sorted.thorough.push(name);
  }
  return sorted;
}

function kindOf(tier: Tier, text: string, reachesRuntime: boolean): keyof SortedTests {
  const isAlone = MARKS.some((mark) => mark.test(text));
  if (tier === "system") return isAlone ? "systemAlone" : "system";
  if (tier !== "unit") return tier;
  if (isAlone) return "alone";
  return reachesRuntime ? "models" : "plain";
}

function readSources(root: string): Map<string, string> {
  const texts = new Map<string, string>();
  for (const folder of FOLDERS) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
      if (name.endsWith(".ts") && !/(?:^|[\\/])(?:node_modules|dist|templates)[\\/]/.test(name))
        texts.set(join(folder, name), readFileSync(join(root, folder, name), "utf8"));
    }
  }
  return texts;
}

/** Every file from which imports lead to the target, static or dynamic, directly or not; types lead nowhere. */
function importersOf(
  target: string,
  texts: ReadonlyMap<string, string>,
  doors: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const importers = new Map<string, string[]>();
  for (const [path, text] of texts) {
    for (const [, door = "", relative] of text.matchAll(IMPORTS)) {
      const imported = relative === undefined ? doors.get(door) : importedFile(path, relative);
      if (imported === undefined) continue;
      importers.set(imported, [...(importers.get(imported) ?? []), path]);
    }
  }
  const found = new Set([target]);
  // A set that grows is walked to its new end.
  for (const path of found) for (const importer of importers.get(path) ?? []) found.add(importer);
  return found;
}

function importedFile(path: string, specifier: string): string {
  const named = namedPath(specifier);
  return named === undefined ? join(dirname(path), specifier) : join(fileOf(named));
}
