/** Every example of a doc comment and every program on a page compiles against the public doors, and runs where it can. */
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMMAND_LINE } from "./support/command-line.ts";
import { allExamples, withMarks, wrongClaims } from "./support/doc-examples.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const examples = allExamples(root).map((example, at) => ({
  ...example,
  ...withMarks(example.program),
  // Two names may differ only in case, and some file systems do not see that.
  file: `./${at + 1}-${example.name}.mts`,
}));
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
  const write = async (file: string, place: (path: string) => string): Promise<void> => {
    const paths = Object.fromEntries(
      Object.entries({ ...compilerOptions.paths, ...recorder }).map(([name, to]) => [
        name,
        to.map((one) => join(root, place(one))),
      ]),
    );
    const options = { lib: ["ES2023"], paths };
    const extended = { extends: join(root, "tsconfig.json"), compilerOptions: options, include: ["*.mts"] };
    await writeFile(join(folder, file), JSON.stringify(extended));
  };
  await write("tsconfig.json", (path) => path);
  // What the command line is compiled to: the processes of an arena start several times as fast from there.
  await write("tsconfig.run.json", (path) => path.replace("./src/", "./dist/").replace(/\.ts$/, ".js"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("they compile", { timeout: 120_000 }, async () => {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const said = await run(process.execPath, [compiler, "--noEmit", "-p", "."], { cwd: folder }).then(
    ({ stdout }) => stdout,
    (error: unknown) => (error as { readonly stdout: string }).stdout,
  );
  expect(said).toBe("");
});

test("they run, and print what they say", { timeout: 300_000 }, async () => {
  const words = ["--import", join(root, "node_modules/tsx/dist/loader.mjs"), "all.mjs"];
  const env = { ...process.env, TSX_TSCONFIG_PATH: join(folder, "tsconfig.run.json") };
  // It compiles what changed.
  await run(process.execPath, [COMMAND_LINE, "--version"], { cwd: folder });
  const { stdout } = await run(process.execPath, words, { cwd: folder, env, maxBuffer: 64 * 1024 ** 2 });
  const outputs = new Map(
    stdout
      .split(BEGIN)
      .slice(1)
      .map((text) => [text.slice(0, text.indexOf("\n")), text]),
  );
  expect([...outputs.keys()]).toEqual(runnable.map(({ file }) => file));
  const wrong = runnable.flatMap(({ file, place, claims }) =>
    wrongClaims(claims, outputs.get(file) ?? "").map((line) => `${place}: ${line}`),
  );
  expect(wrong).toEqual([]);
});
