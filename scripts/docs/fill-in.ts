/**
 * Pages that are written by hand but for what stands between marks: counts, and code that is compiled and run by tests.
 *
 *   <!-- fill credit methods -->57<!-- /fill -->      <!-- fill code examples/write/credit.ts --> ... <!-- /fill -->
 */
import type { SessionSource } from "../../packages/store/src/store/formats/source.ts";
import { importers } from "../../packages/store/src/record/importers/registry.ts";
import { readFileSync } from "node:fs";
import { lookUp } from "../../packages/base/src/base/registry.ts";
import { loadCatalog } from "../../packages/limbeck/src/cli/catalog/catalog.ts";
import { STATES, STATE_NAMES } from "../../packages/limbeck/src/cli/catalog/state.ts";
import { allCredits } from "../../packages/core/src/credit/registry.ts";
import { allObjectives } from "../../packages/core/src/objective/registry.ts";
import { allRecipes } from "../../packages/core/src/recipe/registry.ts";
import { screens } from "../../packages/core/src/reward/screens/index.ts";
import { allRewards } from "../../packages/core/src/reward/registry.ts";
import { allStrategies } from "../../packages/core/src/rollout/registry.ts";
import { allSearches } from "../../packages/core/src/search/registry.ts";
import { PACKAGES } from "../layout.ts";
import { lines } from "../../research/matrix/lines.ts";
import type { LineResult } from "../../research/matrix/run-line.ts";

const sizeOf = (registry: object) => () => String(Object.keys(registry).length);

const COUNTS: Readonly<Record<string, () => string>> = {
  "credit methods": sizeOf(allCredits),
  objectives: sizeOf(allObjectives),
  recipes: sizeOf(allRecipes),
  rewards: sizeOf(allRewards),
  screens: sizeOf(screens),
  strategies: sizeOf(allStrategies),
  searches: sizeOf(allSearches),
  importers: importersTable,
  systems: () => String(loadCatalog().length),
  "systems by state": systemsByState,
  packages: packagesPicture,
  "matrix lines": () => `${linesThatRan()} of ${lines.length}`,
};

function importersTable(): string {
  const all: readonly SessionSource[] = Object.values(importers);
  const rows = all.map(
    ({ id, title, versions, reads, leaves }) => `| \`${id}\` | ${title} | ${versions} | ${reads} | ${leaves} |`,
  );
  return `\n\n${["| name | program | versions | read | not read |", "| --- | --- | --- | --- | --- |", ...rows].join("\n")}\n\n`;
}

/** Top to bottom, each with an arrow to every package that it stands on; those are below it. */
function packagesPicture(): string {
  const names = Object.keys(PACKAGES).toReversed();
  const rows = names.map((name) => {
    const { dependencies = {} } = JSON.parse(read(`packages/${name}/package.json`)) as {
      readonly dependencies?: Readonly<Record<string, string>>;
    };
    const below = names.filter((other) => `limbeck-${other}` in dependencies);
    const up = below.find((other) => names.indexOf(other) < names.indexOf(name));
    if (up !== undefined) throw new Error(`packages/${name} depends on ${up}, which stands above it.`);
    return `${name.padEnd(9)} ${below.length === 0 ? "" : `──> ${below.join(" ")}`}`.trimEnd();
  });
  return `\n\n\`\`\`\n${rows.join("\n")}\n\`\`\`\n\n`;
}

function systemsByState(): string {
  const entries = loadCatalog();
  const counts = STATE_NAMES.map((name) => [entries.filter(({ state }) => state === name).length, STATES[name].label]);
  return counts.map(([count, label]) => `${count} ${label}`).join("; ");
}

function linesThatRan(): number {
  const results = JSON.parse(read("docs/evidence/generated/matrix.json")) as readonly Pick<
    LineResult,
    "line" | "failure"
  >[];
  const ran = new Set(results.filter(({ failure }) => failure === null).map(({ line }) => line));
  return lines.filter(({ id }) => ran.has(id)).length;
}

/** The page with its marks filled. */
export function filledIn(path: string): string {
  return read(path).replaceAll(
    /(<!-- fill (.+?) -->)[\s\S]*?(<!-- \/fill -->)/g,
    (_, open: string, what: string, close) =>
      `${open}${what.startsWith("code ") ? codeOf(what.slice("code ".length)) : lookUp(COUNTS, what, "count")()}${close}`,
  );
}

/** Code as it stands in the room's own folder, with the files beside it. */
function codeOf(path: string): string {
  const code = read(path).replaceAll(/"\.\.\/\.\.\/packages\/core\/src\/\w+\/([\w.-]+)"/g, '"./$1"');
  return `\n\n\`\`\`ts\n${code}\`\`\`\n\n`;
}

function read(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
}
