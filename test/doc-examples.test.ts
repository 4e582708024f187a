/** Every example of a doc comment, and every snippet of docs/library.md, compiles against the public doors and runs. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commentExamples, pageExamples } from "./support/doc-examples.ts";
import { exportsOf } from "./support/house.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const examples = [...commentExamples(root), ...pageExamples(root, "docs/library.md")].map((example, at) => ({
  ...example,
  // Two names may differ only in case, and some file systems do not see that.
  file: `./${at + 1}-${example.name}.mts`,
}));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-examples-"));
  for (const { file, program } of examples) await writeFile(join(folder, file), program);
  await symlink(join(root, "node_modules"), join(folder, "node_modules"), "junction");
  const all = examples.map(
    ({ file }) => `console.log(${JSON.stringify(file)});\nawait import(${JSON.stringify(file)});`,
  );
  await writeFile(join(folder, "all.mjs"), `${all.join("\n")}\n`);
  const extended = { extends: join(root, "tsconfig.json"), compilerOptions: { lib: ["ES2023"] }, include: ["*.mts"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(extended));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("every function of the front door has an example", () => {
  const { values } = exportsOf(readFileSync(join(root, "src/index.ts"), "utf8"));
  const shown = new Set(examples.map(({ name }) => name));
  const isFunction = (name: string): boolean => /^[a-z]/.test(name) && name !== "option";
  expect(values.filter((name) => isFunction(name) && !shown.has(name))).toEqual([]);
});

test("they compile", { timeout: 120_000 }, async () => {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const said = await run(process.execPath, [compiler, "--noEmit", "-p", "."], { cwd: folder }).then(
    ({ stdout }) => stdout,
    (error: unknown) => (error as { readonly stdout: string }).stdout,
  );
  expect(said).toBe("");
});

test("they run", { timeout: 300_000 }, async () => {
  const words = ["--import", join(root, "node_modules/tsx/dist/loader.mjs"), "all.mjs"];
  const env = { ...process.env, TSX_TSCONFIG_PATH: join(folder, "tsconfig.json") };
  const { stdout } = await run(process.execPath, words, { cwd: folder, env });
  for (const { file } of examples) expect(stdout).toContain(file);
});
