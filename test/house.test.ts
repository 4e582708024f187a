/**
 * The rules of the house, held by a machine: which room may import which, and that one method is one file, one test,
 * one registry line and one line in the docs. `docs/lookup/architecture.md` says why.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { pages } from "../scripts/docs/pages.ts";
import { PACKAGES, sourcesIn } from "../scripts/layout.ts";
import {
  bareNameFaults,
  circleFaults,
  closureOf,
  declarationFaults,
  homonymFaults,
  importFaults,
  importsOf,
  namingFaults,
  loadedBy,
  plateFaults,
  researchFaults,
  startUpFaults,
  everyImportOf,
  type SourceFile,
} from "./support/house.ts";
import { budgetFaults, codeLines, functionsOf, measureHouse, tightened, type Bounds } from "./support/house-budget.ts";
import { OPTIONAL_PARTS } from "../packages/base/src/base/optional-part.ts";
import { UPDATE_FILES } from "../scripts/docs/one-update-page.ts";
import { doorsOf } from "./support/doc-examples.ts";
import { registries } from "./support/registries.ts";
import { swallowedErrors } from "./support/swallowed.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

const filesBelow = (folder: string, named = /\.ts$/u): SourceFile[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => named.test(path) && !/(?:^|[\\/])(?:node_modules|dist)[\\/]/u.test(path))
    .map((path) => ({ path: path.split(sep).join("/"), text: readFileSync(join(root, folder, path), "utf8") }));

const files: readonly SourceFile[] = sourcesIn(root);
const research: readonly SourceFile[] = filesBelow("research");
const doors: readonly string[] = doorsOf(root).map(({ name }) => name);

/** Circles that are being taken apart. Nothing is added to this list. */
const CIRCLES_UNDER_WORK: readonly (readonly string[])[] = [];

/**
 * Names that say enough: an entry of a registry is called like its method, `scored` and `unscored` make the score of that
 * kind.
 */
const BARE_NAMES = [...registries.flatMap(({ ids }) => ids), "scored", "unscored"];

describe("the house as it stands", () => {
  test("the test sees it", () => {
    expect(files.length).toBeGreaterThan(50);
    expect(files.flatMap(importsOf).length).toBeGreaterThan(100);
    const fromDoors = research.flatMap(everyImportOf).filter(({ target }) => doors.includes(target));
    expect(fromDoors.length).toBeGreaterThan(100);
  });
  test("research imports doors of the package by name and files of the house by path", () =>
    expect(researchFaults(research, doors)).toEqual([]));
  test("imports point only upstream", () => expect(importFaults(files)).toEqual([]));
  test("a room may import none that lies below it in the packages", () => {
    const rooms = Object.values(PACKAGES).flatMap((each) => Object.entries(each));
    const order = rooms.map(([room]) => room);
    const up = rooms.flatMap(([, allowed], at) =>
      allowed === "everything above" ? [] : allowed.filter((other) => !order.slice(0, at).includes(other)),
    );
    expect(up).toEqual([]);
  });
  test("no files import each other in a circle, not even types", () =>
    expect(circleFaults(files, CIRCLES_UNDER_WORK)).toEqual([]));
  test("the five files of an update lead to few others, so that one can be read", () =>
    expect(closureOf(files, UPDATE_FILES).length).toBeLessThanOrEqual(205));
  test.each(["opid", "grpo"])("so does the recipe %s, which imports files and no doors of rooms", (name) =>
    expect(closureOf(files, [`recipe/${name}.ts`]).length).toBeLessThanOrEqual(220),
  );
  test("names say something", () => expect(namingFaults(files)).toEqual([]));
  test("exported functions are called after what they return or do", () =>
    expect(bareNameFaults(files, BARE_NAMES)).toEqual([]));
  test("no name of an exported type stands for more than three things", () => expect(homonymFaults(files)).toEqual([]));
  test("every room has a line that says what may enter, and every door one that says what it has", () =>
    expect(plateFaults(files, readFileSync(join(root, "docs/lookup/architecture.md"), "utf8"))).toEqual([]));
  test("an error that is swallowed has a comment that gives the reason", () => {
    const programs = ["packages", "scripts"].flatMap((folder) =>
      filesBelow(folder, /(?<!\.test|\.d)\.(?:tsx?|mjs|js)$/u).map(
        ({ path, text }) => [`${folder}/${path}`, text] as const,
      ),
    );
    expect(programs.length).toBeGreaterThan(1_000);
    expect(programs.flatMap(([path, text]) => swallowedErrors(text).map((place) => `${path}:${place}`))).toEqual([]);
  });
  test("a command line starts with its own room, the base and declarations; commands load what they use", () =>
    expect([...startUpFaults(files, "cli/bin.ts", ["base", "cli"]), ...declarationFaults(files)]).toEqual([]));
});

describe("the budget of house.json", () => {
  const bounds = JSON.parse(readFileSync(join(root, "house.json"), "utf8")) as Bounds;
  const small: Bounds = { ...bounds, code: 3, rooms: { env: 3 }, outsideMethods: 3, exceptions: {} };
  const body = (lines: number): string => `${"  work();\n".repeat(lines - 2)}}\n`;
  const file = (text: string, path = "env/a.ts"): SourceFile => ({ path, text });

  test("is kept; `npm run house` shows every figure", () => {
    expect(budgetFaults(measureHouse(files), bounds)).toEqual([]);
  });
  test("a line of code is no blank and no comment", () =>
    expect(codeLines("/** A.\n * B. */\n\n// C\nconst a = 1; // D\n/* E */\nrun(a);\n")).toBe(2));
  test("the lines of a function are found, whichever form it has", () => {
    const found = (text: string): number[] => functionsOf(file(text)).map(({ lines }) => lines);
    expect(found(`export async function a(\n  b: C,\n): Promise<{\n  readonly d: E;\n}> {\n${body(90)}`)).toEqual([94]);
    expect(found(`const a = (b: C): D => {\n${body(90)}`)).toEqual([90]);
    expect(found(`class A {\n  run(b: C): void {\n${body(90).replaceAll(/^/gm, "  ")}\n}\n`)).toEqual([90]);
    expect(found(`const a = [\n${"  1,\n".repeat(90)}];\nfunction b() {\n${body(9)}`)).toEqual([]);
  });
  test("a bound that is passed is named, and bounds only fall", () => {
    const long = measureHouse([file(`function a() {\n${body(90)}`), file('import "./a.ts";', "env/b.ts")]);
    expect(long).toMatchObject({ code: 91, satellites: ["env/a.ts < env/b.ts"], rooms: { env: 91 } });
    const faults = budgetFaults(long, { ...small, functionsOver80: 0 });
    expect(faults).toContain("code is 91, and house.json allows 3.");
    expect(faults).toContain("functionsOver80 is 1, and house.json allows 0.");
    const excepted = {
      ...small,
      functionsOver80: 0,
      exceptions: { "env/a.ts a": "a table of ninety lines, read from the top" },
    };
    expect(budgetFaults(long, excepted).filter((fault) => /functions|exception/.test(fault))).toEqual([]);
    expect(budgetFaults(measureHouse([file("run();\n")]), excepted).join()).toContain("take it off the exceptions");
    expect(tightened(long, small).code).toBe(3);
    expect(tightened(measureHouse([file("run();\n")]), small)).toMatchObject({ code: 1, rooms: { env: 1 } });
  });
});

describe("what not everybody needs", () => {
  const optional: readonly string[] = Object.values(OPTIONAL_PARTS).flatMap(({ packages }): string[] => [...packages]);
  const isOptional = (name: string): boolean => optional.some((one) => name === one || name.startsWith(`${one}/`));

  const doorFiles = files.flatMap(({ path }) => (path.startsWith("doors/") ? [path] : []));
  test.each([...doorFiles, "cli/train/run-train.ts", "cli/demo/run-demo.ts"])("is not loaded by %s", (start) => {
    const { files: own, packages } = loadedBy(files, start);
    expect(own.length).toBeGreaterThan(3);
    expect(packages.filter(isOptional)).toEqual([]);
  });
  test.each([
    ["limbeck", 145],
    ["credit", 105],
  ])("the door %s loads few files and no package at all, so that it opens at once", (door, most) => {
    const { files: own, packages } = loadedBy(files, `doors/${door}.ts`);
    expect(packages).toEqual([]);
    expect(own.length).toBeLessThanOrEqual(most);
  });
  test("is loaded nowhere but through optionalPart", () => {
    const direct = files.filter(({ path }) => !path.endsWith(".test.ts") && !path.endsWith("/mcp-stdio.ts"));
    expect(
      direct
        .filter((file) => everyImportOf(file).some(({ kind, target }) => kind === "value" && isOptional(target)))
        .map(({ path }) => path),
    ).toEqual([]);
    const lazy = direct.filter(({ text }) =>
      [...text.matchAll(/\bimport\("([^".][^"]*)"\)/g)].some(([, name = ""]) => isOptional(name)),
    );
    expect(lazy.length).toBeGreaterThan(5);
    expect(lazy.filter(({ text }) => !text.includes("optionalPart(")).map(({ path }) => path)).toEqual([]);
  });
});

describe("planted faults are found", () => {
  const file = (path: string, text: string): SourceFile => ({ path, text });

  test("a forbidden import is named with both rooms and the allowed list", () => {
    const wrong = file("credit/grpo.ts", 'import type { Env } from "../env/env.ts";');
    expect(importFaults([wrong])).toEqual([
      "packages/core/src/credit/grpo.ts (credit) imports packages/core/src/env/env.ts (env); allowed: base, trajectory.",
    ]);
  });
  test("dynamic imports, the public door, unknown rooms and paths outside src count too", () => {
    expect(importFaults([file("env/a.ts", 'await import("../store/index.ts")')])).toHaveLength(1);
    expect(importFaults([file("env/a.ts", 'import { x } from "../doors/env.ts";')])[0]).toContain("a public door");
    expect(importFaults([file("env/a.ts", 'import { x } from "limbeck/store";')])[0]).toContain("a public door");
    expect(importFaults([file("env/a.ts", '/**\n * import { x } from "limbeck";\n */')])).toEqual([]);
    expect(importFaults([file("extra/a.ts", 'import { x } from "./b.ts";')])[0]).toContain('"extra" is not a room');
    expect(importFaults([file("env/a.ts", 'import { x } from "../../test/x.ts";')])).toHaveLength(1);
    expect(importFaults([file("env/a.test.ts", 'import { x } from "../../test/x.ts";')])).toEqual([]);
    expect(importFaults([file("env/shop/a.ts", 'import { x } from "../../base/rng.ts";')])).toEqual([]);
  });
  test("research that reaches past the engine, by whichever form of import", () => {
    const faults = (path: string, text: string): string[] => researchFaults([file(path, text)], ["limbeck/env"]);
    const past =
      "research/matrix/a.ts imports research/bench/harness.ts; import a door of the package, or a source by its path.";
    expect(faults("matrix/a.ts", 'import type { Bench } from "../bench/harness.ts";')).toEqual([past]);
    expect(faults("matrix/a.ts", 'export {\n  x,\n} from "../bench/harness.ts";')).toEqual([past]);
    expect(faults("matrix/a.ts", 'await import("../bench/harness.ts")')).toEqual([past]);
    expect(faults("matrix/a.ts", 'import type { Env } from "../../packages/core/src/env/env.ts";')).toEqual([]);
    expect(faults("a.ts", 'import { x } from "../scripts/x.ts";')).toHaveLength(1);
    expect(faults("a.ts", 'import { x } from "limbeck/env/env";')).toEqual([
      "research/a.ts imports limbeck/env/env, which is no door of the package; see docs/lookup/generated/api.md.",
    ]);
    expect(faults("a.ts", 'import { x } from "../test/support/x.ts";')).toHaveLength(1);
    expect(faults("a.test.ts", 'import { x } from "../test/support/x.ts";')).toEqual([]);
    expect(faults("a.test.ts", 'import { x } from "./bench/harness.ts";')).toHaveLength(1);
    expect(faults("a.test.ts", 'import { x } from "../scripts/x.ts";')).toHaveLength(1);
    expect(faults("matrix/a.ts", 'import { x } from "limbeck/env";\nimport { y } from "../b.ts";')).toEqual([]);
    const fromBench = 'import { h } from "./harness.ts";\nimport { x } from "../../scripts/x.ts";';
    expect(faults("bench/a.ts", fromBench)).toEqual([]);
    expect(faults("bench/a.ts", 'import { x } from "../../test/support/x.ts";')).toEqual([]);
    expect(faults("bench/a.ts", 'import { x } from "../../python/x.ts";')).toHaveLength(1);
    expect(faults("a.ts", 'import { z } from "zod";\nimport { r } from "limbeck-recorder";')).toEqual([]);
  });
  test("a circle of files, by types, re-exports and import() too; tests and straight lines are none", () => {
    const a = file("env/a.ts", 'import type { B } from "./b.ts";');
    const b = file("env/b.ts", 'export { c } from "./c.ts";');
    const c = file("env/c.ts", 'const { a } = await import("./a.ts");');
    const fault =
      "These import each other in a circle: packages/core/src/env/a.ts, packages/core/src/env/b.ts, packages/core/src/env/c.ts.";
    const tested = file("env/a.test.ts", 'import "./a.ts";');
    expect(circleFaults([a, b, c, tested])).toEqual([fault]);
    expect(circleFaults([a, b])).toEqual([]);
    expect(circleFaults([file("env/own.ts", 'import "./own.ts";')])).toHaveLength(1);
    expect(circleFaults([a, b, c], [["env"]])).toEqual([]);
    expect(circleFaults([a, b, c], [["policy"]])).toEqual([
      fault,
      "There is no circle in policy any more; take it off the list.",
    ]);
  });
  test("what a command line loads too early, by whichever form of import", () => {
    const start = (text: string): SourceFile[] => [
      file("cli/bin.ts", 'import { main } from "./index.ts";'),
      file("cli/index.ts", text),
      file("objective/index.ts", ""),
    ];
    const faults = (text: string): string[] => startUpFaults(start(text), "cli/bin.ts", ["base", "cli"]);
    const fault =
      "packages/limbeck/src/cli/index.ts loads objective/index.ts before any command runs; import it where it is used.";
    expect(faults('import {\n  a,\n  type B,\n} from "../objective/index.ts";')).toEqual([fault]);
    expect(faults('export { a } from "../objective/index.ts";')).toEqual([fault]);
    expect(faults('import "../objective/index.ts";')).toEqual([fault]);
    expect(faults('import * as train from "../objective/index.ts";')).toEqual([fault]);
    expect(faults('import { z } from "zod";')).toEqual([fault.replace("objective/index.ts", "zod")]);
    expect(faults('import type { A } from "../objective/index.ts";')).toEqual([]);
    expect(faults('import { join } from "node:path";')).toEqual([]);
    expect(faults('const { a } = await import("../objective/index.ts");')).toEqual([]);
    const declaration = file("eval/a.operation.ts", 'import { b } from "./b.ts";');
    expect(declarationFaults([declaration])).toEqual([
      "packages/core/src/eval/a.operation.ts loads eval/b.ts; a declaration loads base and declarations only.",
    ]);
    const light = 'import { a } from "../base/a.ts";\nimport { b } from "./b.part.ts";\nawait import("./c.ts");';
    expect(declarationFaults([file("eval/a.inputs.ts", light)])).toEqual([]);
  });
  test("an error that is swallowed without a word, by whichever form", () => {
    const quiet = [
      "await save().catch(() => undefined);",
      "const names = await list().catch(() => []);",
      'socket.on("error", () => undefined);',
      "try {\n  await save();\n} catch {}",
      "try {\n  await save();\n} catch {\n  return undefined;\n}",
      "try {\n  await save();\n} catch (error) {\n  return;\n}",
    ];
    expect(quiet.map((source) => swallowedErrors(source).length)).toEqual(quiet.map(() => 1));
    expect(quiet.flatMap((source) => swallowedErrors(`// It is gone either way.\n${source}`))).toEqual([]);
    const loud = [
      "await save().catch((error: unknown) => tell(error));",
      "try {\n  await save();\n} catch (error) {\n  tell(error);\n}",
      'try {\n  return JSON.parse(text);\n} catch {\n  throw new EngineError("bad-json", "No.");\n}',
      "try {\n  return JSON.parse(text);\n} catch {\n  return undefined;\n}",
    ];
    expect(loud.flatMap(swallowedErrors)).toEqual([]);
  });
  test("an exported name that is a bare participle or adjective", () => {
    const faults = (text: string): string[] => bareNameFaults([file("env/a.ts", text)], ["guided"]);
    const fault =
      'packages/core/src/env/a.ts exports "NAME"; let the name say what it returns or does, as joinLines does.';
    expect(faults("export function joined(a: string): string {")).toEqual([fault.replace("NAME", "joined")]);
    expect(faults("export const plain = (a: string) => a;")).toEqual([fault.replace("NAME", "plain")]);
    expect(faults("export async function told() {")).toHaveLength(1);
    expect(faults("export const guided = 1;\nexport const seed = 1;\nfunction lost() {}")).toEqual([]);
    expect(faults("export function joinedLines() {}\nexport function read() {}")).toEqual([]);
    expect(bareNameFaults([file("env/a.test.ts", "export const plain = 1;")])).toEqual([]);
  });
  test("the name of an exported type that four files declare", () => {
    const four = ["a", "b", "c", "d"].map((name) => file(`env/${name}.ts`, "export interface Place {}"));
    expect(homonymFaults(four)).toEqual([
      "The type Place is declared in packages/core/src/env/a.ts, packages/core/src/env/b.ts, packages/core/src/env/c.ts, packages/core/src/env/d.ts; name each after what it is.",
    ]);
    expect(homonymFaults(four.map((one) => ({ ...one, text: "export type Place = string;" })))).toHaveLength(1);
    expect(homonymFaults(four.slice(1))).toEqual([]);
    const others = ["interface Place {}", 'export type { Place } from "./b.ts";', "export type PlaceOf = string;"];
    expect(homonymFaults(others.flatMap((text) => four.slice(1).map((one) => ({ ...one, text }))))).toEqual([]);
  });
  test("empty names, wildcard exports, doors without a plate and rooms without a line", () => {
    const wrong = [
      file("env/utils.ts", ""),
      file("env/MyEnv.ts", 'export * from "./a.ts";'),
      file("doors/env.ts", "// env"),
    ];
    expect(namingFaults(wrong)).toHaveLength(3);
    const table =
      "| `env` | the contract, wrappers, worlds | trajectory |\n| `doors` | what users can import | all |\n";
    expect(plateFaults(wrong, table)).toEqual(["packages/limbeck/src/doors/env.ts has no door plate."]);
    expect(plateFaults([file("credit/a.ts", "")], table)).toEqual([
      "The room credit has no line in the table of docs/lookup/architecture.md.",
    ]);
  });
  test("what a file loads: values at once, types and import() not", () => {
    const door = file(
      "doors/a.ts",
      'export { b } from "../env/b.ts";\nexport type { C } from "../env/c.ts";\nimport("./d.ts");',
    );
    const b = file("env/b.ts", 'import { z } from "zod";\nimport { join } from "node:path";');
    expect(loadedBy([door, b, file("env/c.ts", ""), file("doors/d.ts", "")], "doors/a.ts")).toEqual({
      files: ["doors/a.ts", "env/b.ts"],
      packages: ["zod"],
    });
  });
});

describe("one entry = one file + one test + one doc line", () => {
  test("what is missing is named with the way to mend it", () => {
    expect(registryFaults("qae", "packages/core/src/credit/qae.ts", "docs/lookup/generated/methods.md", false)).toEqual(
      [
        '"qae" has no file packages/core/src/credit/qae.ts: name the file after the entry, or take the line out of the registry',
        '"qae" has no test beside packages/core/src/credit/qae.ts: write packages/core/src/credit/qae.test.ts',
        '"qae" has no line in docs/lookup/generated/methods.md: run `npm run docs`',
      ],
    );
    expect(registryFaults("maze", "packages/worlds/src/shop/index.ts", "docs/lookup/environments.md", false)).toEqual([
      '"maze" has no line in docs/lookup/environments.md: add one by hand',
    ]);
  });
  test("the test sees the registries", () => expect(registries.length).toBeGreaterThan(0));

  test.each(registries)("$name", ({ ids, file, tested = file, doc, mark = backquoted }) => {
    const page = readFileSync(join(root, doc), "utf8");
    const missing = ids.flatMap((id) => registryFaults(id, file(id), doc, page.includes(mark(id)), tested(id)));
    expect(ids.length).toBeGreaterThan(0);
    expect(missing).toEqual([]);
  });
});

/** What an entry of a registry lacks, and how that is mended. */
function registryFaults(id: string, file: string, doc: string, hasLine: boolean, tested = file): string[] {
  const write = doc in pages ? "run `npm run docs`" : "add one by hand";
  return [
    ...(existsSync(join(root, file))
      ? []
      : [`"${id}" has no file ${file}: name the file after the entry, or take the line out of the registry`]),
    ...(isTested(join(root, tested)) ? [] : [`"${id}" has no test beside ${tested}: write ${testOf(tested)}`]),
    ...(hasLine ? [] : [`"${id}" has no line in ${doc}: ${write}`]),
  ];
}

function testOf(file: string): string {
  return file.endsWith("/index.ts") ? `a *.test.ts in ${dirname(file)}` : file.replace(/\.ts$/, ".test.ts");
}

function backquoted(id: string): string {
  return `\`${id}\``;
}

/** An entry that is one file has `<file>.test.ts`; one that is a folder has tests in it. */
function isTested(path: string): boolean {
  if (!path.endsWith(`${sep}index.ts`)) {
    return [".test.ts", ".system.test.ts"].some((end) => existsSync(path.replace(/\.ts$/, end)));
  }
  const folder = dirname(path);
  return existsSync(folder) && readdirSync(folder).some((name) => name.endsWith(".test.ts"));
}
