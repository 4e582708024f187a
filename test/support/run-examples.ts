/** The examples of doc comments and pages as programs in a folder: compiled together, run one after the other in one process. */
import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "vitest";
import { COMMAND_LINE } from "./command-line.ts";
import { allExamples, SOURCE_PATHS, withMarks, wrongClaims, type DocExample } from "./doc-examples.ts";
import { filledFolder } from "./temporary-folder.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const examples = allExamples(root).map((example, at) => ({
  ...example,
  ...withMarks(example.program),
  // Two names may differ only in case, and some file systems do not see that.
  file: `./${at + 1}-${example.name}.mts`,
}));
/** Begins the line that tells which program comes next. */
const BEGIN = "begins: ";
interface Manifest {
  readonly compilerOptions: { readonly paths: Readonly<Record<string, readonly string[]>> };
}

/** Half of what all of them take, in one of twenty: these run by night. */
export const trains = ({ program }: DocExample): boolean =>
  /(?<![.\w])(?:arena|train|trainInTurn|trainScorer|tune|warmUp)\(/.test(program);

/** Writes them before the tests of a file; gives the folder. */
export function writtenExamples(): () => string {
  return filledFolder(async (folder) => {
    for (const { file, program } of examples) await writeFile(join(folder, file), program);
    // The world of docs/learn/new-world.md, which a snippet of that page imports.
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    await copyFile(join(root, "research", "new-worlds", "kitchen.ts"), join(folder, "kitchen.ts"));
    await symlink(join(root, "node_modules"), join(folder, "node_modules"), "junction");
    const { compilerOptions } = JSON.parse(await readFile(join(root, "tsconfig.json"), "utf8")) as Manifest;
    const others = { ...SOURCE_PATHS, "limbeck-recorder": ["./src/record/recorder/index.ts"] };
    const write = async (file: string, place: (path: string) => string): Promise<void> => {
      const paths = Object.fromEntries(
        Object.entries({ ...compilerOptions.paths, ...others }).map(([name, to]) => [name, to.map(place)]),
      );
      const options = { lib: ["ES2023"], paths };
      const extended = { extends: join(root, "tsconfig.json"), compilerOptions: options, include: ["*.mts"] };
      await writeFile(join(folder, file), JSON.stringify(extended));
    };
    await write("tsconfig.json", (path) => join(folder, path));
    // What the command line is compiled to: the processes of an arena start several times as fast from there.
    await write("tsconfig.run.json", (path) => join(root, path.replace("./src/", "./dist/").replace(/\.ts$/, ".js")));
  });
}

/** What the compiler says of all of them. Of the sources it takes the types alone: `npm run types` checks these. */
export async function compileExamples(folder: string): Promise<string> {
  for (const name of await readdir(join(root, "src"), { recursive: true })) {
    if (!name.endsWith(".ts") || name.endsWith(".test.ts")) continue;
    const [from, to] = [join(root, "src", name), join(folder, "src", name)];
    await mkdir(dirname(to), { recursive: true });
    await writeFile(to, `// @ts-nocheck\n${await readFile(from, "utf8")}`);
  }
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  return await run(process.execPath, [compiler, "--noEmit", "-p", "."], { cwd: folder }).then(
    ({ stdout }) => stdout,
    (error: unknown) => (error as { readonly stdout: string }).stdout,
  );
}

/** Expects of those that run as they stand, and are wanted, that they print what they say. */
export async function expectPrinted(folder: string, wanted: (example: DocExample) => boolean): Promise<void> {
  const runnable = examples.filter((example) => example.runs && wanted(example));
  const all = ['import { chdir as enter } from "node:process";'];
  for (const { file } of runnable) {
    // Where it leaves its files: two runs of one second must not meet.
    const place = join(folder, file.replace(/\.mts$/, ""));
    await mkdir(place);
    all.push(`console.log(${JSON.stringify(BEGIN + file)});`, `enter(${JSON.stringify(place)});`);
    all.push(`await import(${JSON.stringify(file)});`);
  }
  await writeFile(join(folder, "all.mjs"), `${all.join("\n")}\n`);
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
}
