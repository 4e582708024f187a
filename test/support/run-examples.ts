/** The examples of doc comments and pages as programs in a folder: compiled together, run one after the other in one process. */
import { execFile } from "node:child_process";
import { copyFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect } from "vitest";
import { allExamples, withMarks, wrongClaims, type DocExample } from "./doc-examples.ts";
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
    const options = { lib: ["ES2023"] };
    const extended = { extends: join(root, "tsconfig.json"), compilerOptions: options, include: ["*.mts"] };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(extended));
  });
}

/** What the compiler says of all of them; `npm run types` checks the sources that they import. */
export async function compileExamples(folder: string): Promise<string> {
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
  const { stdout } = await run(process.execPath, words, { cwd: folder, maxBuffer: 64 * 1024 ** 2 });
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
