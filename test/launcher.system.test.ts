/** `scripts/limbeck.mjs`, in small clones of its own: what is compiled, when, and what two at once do to each other. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");
let clone: string;

beforeEach(async () => {
  clone = await mkdtemp(join(tmpdir(), "limbeck-launcher-"));
  await mkdir(join(clone, "scripts"));
  await copyFile(join(ROOT, "scripts/limbeck.mjs"), join(clone, "scripts/limbeck.mjs"));
  await writeFile(join(clone, "package.json"), '{ "type": "module" }');
  await symlink(join(ROOT, "node_modules"), join(clone, "node_modules"), "junction");
  await source(
    "limbeck/src/cli/bin.ts",
    'import { hello } from "limbeck-base/base/hello";\nconsole.log(hello, process.argv.slice(2).join(" "));',
  );
  await source(
    "limbeck/src/cli/front.ts",
    'import { early } from "limbeck-base/base/early";\nexport const isAnswered = early(process.argv[2]);',
  );
  await source(
    "base/src/base/early.ts",
    'export const early = (word?: string) => word === "--help" && (console.log("help"), true);',
  );
  await source("base/src/base/hello.ts", 'export const hello: string = (await import("./word.ts")).word;');
  await source("base/src/base/word.ts", 'export const word = "hello";');
  await source("base/src/base/word.test.ts", "this is never compiled");
});
afterEach(() => rm(clone, { recursive: true, force: true }));

async function source(name: string, content: string): Promise<void> {
  await mkdir(dirname(join(clone, "packages", name)), { recursive: true });
  await writeFile(join(clone, "packages", name), content);
}

async function launch(...words: string[]): Promise<{ out: string; err: string; code: number }> {
  const child = spawn(process.execPath, [join(clone, "scripts/limbeck.mjs"), ...words], { cwd: clone });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { out, err, code: code as number };
}

const built = (name: string): string => join(clone, "packages", name);
const filesBuilt = async (): Promise<string[]> =>
  (await readdir(built(""), { recursive: true })).filter((name) => /dist\/.*\.js$/.test(name)).sort();

test("it compiles the sources, hands on the words, and leaves alone what did not change", async () => {
  expect(await launch("train", "--steps", "2")).toEqual({ out: "hello train --steps 2\n", err: "", code: 0 });
  expect(await filesBuilt()).toEqual([
    "base/dist/base/early.js",
    "base/dist/base/hello.js",
    "base/dist/base/word.js",
    "limbeck/dist/cli/bin.js",
    "limbeck/dist/cli/front.js",
  ]);
  // One file with all that it loads answers what no command is needed for.
  expect(await readFile(built("limbeck/dist/cli/front.js"), "utf8")).not.toContain("import {");
  expect((await launch("--help")).out).toBe("help\n");
  // Were it compiled again, the mark would be gone.
  await writeFile(built("base/dist/base/word.js"), 'export const word = "marked";');
  expect((await launch()).out).toBe("marked \n");
  await source("base/src/base/hello.ts", 'export const hello = "Not \\"import(./word.ts)\\"";');
  expect((await launch()).out).toBe('Not "import(./word.ts)" \n');
  expect(await readFile(built("base/dist/base/word.js"), "utf8")).toContain("marked");
});

test("another content of the same size and a file that is gone are seen", async () => {
  await launch();
  await source("base/src/base/word.ts", 'export const word = "salut";');
  await utimes(join(clone, "packages/base/src/base/word.ts"), new Date(), new Date(Date.now() + 1000));
  expect((await launch()).out).toBe("salut \n");
  await source("base/src/base/hello.ts", 'export const hello = "alone";');
  await rm(join(clone, "packages/base/src/base/word.ts"));
  expect((await launch()).out).toBe("alone \n");
  expect(await filesBuilt()).toEqual([
    "base/dist/base/early.js",
    "base/dist/base/hello.js",
    "limbeck/dist/cli/bin.js",
    "limbeck/dist/cli/front.js",
  ]);
});

test("what was not finished, emptied or compiled in another way is made again", async () => {
  await launch();
  await writeFile(built("limbeck/dist/.made-from.json"), '{"cli/bin');
  await rm(built("base/dist"), { recursive: true });
  expect((await launch()).out).toBe("hello \n");
  for (const name of ["base", "limbeck"]) await rm(built(`${name}/dist`), { recursive: true });
  expect((await launch()).out).toBe("hello \n");
  await writeFile(built("base/dist/base/word.js"), 'export const word = "old";');
  await writeFile(
    join(clone, "scripts/limbeck.mjs"),
    `${await readFile(join(clone, "scripts/limbeck.mjs"), "utf8")}\n`,
  );
  expect((await launch()).out).toBe("hello \n");
});

test("three at once all answer, and leave nothing unfinished", async () => {
  const answers = await Promise.all(["a", "b", "c"].map((word) => launch(word)));
  expect(answers.map(({ out, err }) => out + err)).toEqual(["hello a\n", "hello b\n", "hello c\n"]);
  expect(await filesBuilt()).toEqual([
    "base/dist/base/early.js",
    "base/dist/base/hello.js",
    "base/dist/base/word.js",
    "limbeck/dist/cli/bin.js",
    "limbeck/dist/cli/front.js",
  ]);
  // One file with all that it loads answers what no command is needed for.
  expect(await readFile(built("limbeck/dist/cli/front.js"), "utf8")).not.toContain("import {");
  expect((await launch("--help")).out).toBe("help\n");
});

test("a source that cannot be compiled is named, and the next try works once it is mended", async () => {
  await source("base/src/base/word.ts", "export const word = ;");
  const { err, code } = await launch();
  expect(code).toBe(1);
  expect(err).toContain("packages/base/src/base/word.ts:1:20");
  expect(err).not.toContain("at async");
  await source("base/src/base/word.ts", 'export const word = "mended";');
  expect((await launch()).out).toBe("mended \n");
});

test("without the packages of the clone it says what to do", async () => {
  await rm(join(clone, "node_modules"));
  const { err, code } = await launch();
  expect(code).toBe(1);
  expect(err).toMatch(
    /^error {4}The sources cannot be compiled: Cannot find package 'esbuild'.*\nhint {5}Run "npm ci" first\.\n$/,
  );
});
