import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  commentExamples,
  doorFunctions,
  handWrittenPages,
  pageExamples,
  withMarks,
  wrongClaims,
} from "./support/doc-examples.ts";
const root = fileURLToPath(new URL("..", import.meta.url));
const examples = [...commentExamples(root), ...handWrittenPages(root).flatMap((page) => pageExamples(root, page))].map(
  (example, at) => ({
    ...example,
    ...withMarks(example.program),
    // Two names may differ only in case, and some file systems do not see that.
    file: `./${at + 1}-${example.name}.mts`,
  }),
);
const runnable = examples.filter(({ runs }) => runs);
/** Begins the line that tells which program comes next. */
const BEGIN = "begins: ";
interface Manifest {
  readonly compilerOptions: { readonly paths: Readonly<Record<string, readonly string[]>> };
}
let folder: string;
/** Where an example leaves its files: two runs of one second must not meet. */
const placeOf = (file: string): string => join(folder, file.replace(/\.mts$/, ""));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-examples-"));
  for (const { file, program } of examples) {
    await writeFile(join(folder, file), program);
    await mkdir(placeOf(file));
  }
  // The world of docs/new-world.md, which a snippet of that page imports.
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  await copyFile(join(root, "research", "new-worlds", "kitchen.ts"), join(folder, "kitchen.ts"));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  const all = runnable.map(({ file }) =>
    [
      `console.log(${JSON.stringify(BEGIN + file)});`,
      `enter(${JSON.stringify(placeOf(file))});`,
      `await import(${JSON.stringify(file)});`,
    ].join("\n"),
  );
  const entering = 'import { chdir as enter } from "node:process";';
  await writeFile(join(folder, "all.mjs"), `${[entering, ...all].join("\n")}\n`);
  const { compilerOptions } = JSON.parse(await readFile(join(root, "tsconfig.json"), "utf8")) as Manifest;
  const recorder = { "limbeck-recorder": ["./src/record/recorder/index.ts"] };
  const paths = Object.fromEntries(
    Object.entries({ ...compilerOptions.paths, ...recorder }).map(([name, to]) => [
      name,
      to.map((one) => join(root, one)),
    ]),
  );
  const options = { lib: ["ES2023"], paths };
  const extended = { extends: join(root, "tsconfig.json"), compilerOptions: options, include: ["*.mts"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(extended));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("every function of every door has an example", () => {
  const shown = new Set(examples.map(({ name, place }) => `${place} ${name}`));
  const without = doorFunctions(root).filter(({ name, place }) => !shown.has(`${place} ${name}`));
  expect(without.map(({ door, name }) => `${name} of ${door}`)).toEqual([]);
});

test("a line that does not print what it says is told, with what it prints", () => {
  const { program, claims } = withMarks(
    'console.log(1 + 1); // 2\nif (x) console.log(["a"]); // [ "b" ]\nconsole.log(9);',
  );
  expect(program.match(/number \d/g)).toEqual(["number 0", "number 1", "number 2"]);
  const printed = ["0\n2\n", "1\n[\n  'a'\n]\n", "2\n9\n"].map((text) => `printed by console.log number ${text}`);
  expect(wrongClaims(claims, printed.join(""))).toEqual(['if (x) console.log(["a"]); // [ "b" ] prints [ "a" ]']);
  expect(wrongClaims(claims, "")).toHaveLength(2);
});
