/**
 * Measures the house: its files and lines by room, its public door, its circles, and how much one file pulls in.
 *
 *     npm run house
 *     npm run house -- --tighten
 *     npm run house -- --repo ../before --closure packages/core/src/update/context.ts,packages/core/src/recipe/grpo.ts
 *
 * A line is a line of a source of the packages. Circles are followed through every import, those of types and `import()`
 * included; a closure only through the imports at the top of files, types included. The command fails where a bound of
 * `house.json` is passed, code lines for the most part; `--tighten` lowers each bound to the present figure.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { parseArgs } from "node:util";
import { roomPath, sourcesIn } from "./layout.ts";
import { circlesOf, closureOf, differingInCase, exportsOf, roomOf, type SourceFile } from "../test/support/house.ts";
import { budgetFaults, measureHouse, tightened, type Bounds } from "../test/support/house-budget.ts";

const { values } = parseArgs({
  options: {
    repo: { type: "string", default: "." },
    closure: { type: "string", default: "" },
    tighten: { type: "boolean", default: false },
  },
});
// Where the words were typed, which need not be the root of the clone.
const repo = resolve(process.env["INIT_CWD"] ?? process.cwd(), values.repo);

const everything = sourcesIn(repo);
const tests = everything.filter(({ path }) => path.endsWith(".test.ts"));
const sources = everything.filter(({ path }) => !path.endsWith(".test.ts"));
const door = exportsOf(sources.find(({ path }) => path === "doors/limbeck.ts")?.text ?? "");
const circles = circlesOf(sources);

say("source files", sources.length);
say("source lines", linesOf(sources));
say("test lines in packages", linesOf(tests));
say("test lines in test", linesOf(filesBelow(join(repo, "test"))));
say("values of packages/limbeck/src/doors/limbeck.ts", door.values.length);
say("types of packages/limbeck/src/doors/limbeck.ts", door.types.length);
const twins = differingInCase([...door.values, ...door.types]);
say("exports that differ only in case", twins.length, twins.join(", "));
say("circles", circles.length);
for (const circle of circles) say("  files in a circle", circle.length, circle.join(" "));

for (const [room, files] of byRoom()) say(`lines of ${room}`, linesOf(files));

for (const start of values.closure.split(",").filter((path) => path !== "")) {
  const path = roomPath(start) ?? start;
  if (!sources.some((file) => file.path === path)) stop(`There is no ${start} in ${repo}. Name a source by its path.`);
  const reached = new Set(closureOf(sources, [path]));
  const lines = linesOf(sources.filter((file) => reached.has(file.path)));
  say(`files reached from ${start}`, reached.size, `${lines} lines`);
}

const boundsFile = join(repo, "house.json");
const house = measureHouse(everything);
say("code lines of the packages", house.code);
for (const [room, lines] of Object.entries(house.rooms).sort(([, one], [, other]) => other - one))
  say(`  of ${room}, less methods and worlds`, lines);
say("code lines of methods", house.methods, `${Math.round((100 * house.methods) / house.code)}%`);
say("code lines outside methods", house.outsideMethods);
for (const [start, count] of Object.entries(house.closures)) say(`files reached from ${start}`, count);
for (const { name, file, lines } of house.functions.filter(({ lines }) => lines > 80))
  say(`lines of ${name}`, lines, file);
say("files with one neighbour alone", house.satellites.length);
for (const pair of house.satellites) say("", linesOf(sources.filter(({ path }) => pair.startsWith(`${path} `))), pair);
say('places with settings["', house.textSettings);
say("places with jsonFields", house.jsonFields);
// Another checkout may be older than the file.
if (existsSync(boundsFile)) {
  const bounds = JSON.parse(readFileSync(boundsFile, "utf8")) as Bounds;
  if (values.tighten) writeFileSync(boundsFile, `${JSON.stringify(tightened(house, bounds), undefined, 2)}\n`);
  const faults = budgetFaults(house, bounds);
  if (faults.length > 0) stop(faults.join("\n"));
}

function filesBelow(folder: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !/(?:^|[\\/])(?:node_modules|dist)[\\/]/.test(path))
    .map((path) => ({ path: path.split(sep).join("/"), text: readFileSync(join(folder, path), "utf8") }));
}

function linesOf(files: readonly SourceFile[]): number {
  return files.reduce((lines, { text }) => lines + text.split("\n").length - 1, 0);
}

/** Rooms with their files, the largest first. */
function byRoom(): [string, SourceFile[]][] {
  const found = new Map<string, SourceFile[]>();
  for (const file of sources) found.set(roomOf(file.path), [...(found.get(roomOf(file.path)) ?? []), file]);
  return [...found].sort(([, left], [, right]) => linesOf(right) - linesOf(left));
}

function say(what: string, count: number, detail = ""): void {
  process.stdout.write(`${what.padEnd(34)} ${String(count).padStart(7)}${detail === "" ? "" : `  ${detail}`}\n`);
}

function stop(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
