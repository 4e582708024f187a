import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { templates } from "../init/templates.ts";
import { packageVersion } from "limbeck-base/base/package-info";

const newFolder = temporaryFolders();
const read = async (...path: string[]): Promise<Record<string, Record<string, string>>> =>
  JSON.parse(await readFile(join(...path), "utf8")) as Record<string, Record<string, string>>;

describe.each(Object.keys(templates))("%s", (template) => {
  test("has every file that its scripts and its README name", async () => {
    const cwd = await newFolder();
    const { code, objects } = await limbeck(["init", "mine", "--template", template, "--json"], { cwd });
    expect(code).toBe(0);
    const [{ files, ...said } = {}] = objects();
    expect(said).toEqual({
      template,
      folder: join(cwd, "mine"),
      limbeck: packageVersion(),
      next: ["npm install", "npm test", "npm run train"],
    });
    expect(files).toEqual(expect.arrayContaining([".gitignore", "README.md", "package.json", "tsconfig.json"]));
    const { scripts = {}, dependencies = {}, devDependencies = {} } = await read(cwd, "mine", "package.json");
    const started = Object.values(scripts).flatMap((script) => script.match(/src\/\S+\.ts/g) ?? []);
    expect(files).toEqual(expect.arrayContaining(started));
    const readme = await readFile(join(cwd, "mine", "README.md"), "utf8");
    const named = [...readme.matchAll(/^\| `([^`]+\.\w+)` \|/gm)].map(([, path]) => path);
    expect(named.length).toBeGreaterThan(4);
    expect(files).toEqual(expect.arrayContaining(named));
    // Every package has a version of its own, none is "whatever is newest".
    const versions = Object.values({ ...dependencies, ...devDependencies });
    expect(versions.filter((version) => !/^\^?\d+\.\d+/.test(version))).toEqual([]);
  });
});

describe("what is there stays", () => {
  test("a folder that is not empty is refused by name, and nothing is written", async () => {
    const cwd = await newFolder();
    await writeFile(join(cwd, "package.json"), "mine");
    const { code, err } = await limbeck(["init", "--template", "text-world"], { cwd });
    expect(code).toBe(2);
    expect(err).toContain(`The folder "${cwd}" is not empty: it holds "package.json"`);
    expect(await readdir(cwd)).toEqual(["package.json"]);
    expect(await readFile(join(cwd, "package.json"), "utf8")).toBe("mine");
  });
  test("--force writes over files of the same name and leaves the others", async () => {
    const cwd = await newFolder();
    await writeFile(join(cwd, "package.json"), "mine");
    await writeFile(join(cwd, "notes.txt"), "mine too");
    const { code } = await limbeck(["init", "--template", "text-world", "--force"], { cwd });
    expect(code).toBe(0);
    expect((await read(cwd, "package.json"))["scripts"]?.["train"]).toBe("node --import tsx src/train.ts");
    expect(await readFile(join(cwd, "notes.txt"), "utf8")).toBe("mine too");
  });
  test("a new repository counts as empty; a file is no folder", async () => {
    const cwd = await newFolder();
    await mkdir(join(cwd, ".git"));
    expect((await limbeck(["init", "--template", "text-world"], { cwd })).code).toBe(0);
    const onFile = await limbeck(["init", "README.md", "--template", "text-world"], { cwd });
    expect([onFile.code, onFile.err]).toEqual([2, expect.stringContaining("is a file. Name a folder")]);
  });
});

describe("what is asked", () => {
  const terminal = { in: true, err: true };
  test("template and folder, by number and by name; Enter takes the first", async () => {
    const cwd = await newFolder();
    const { code, out } = await limbeck(["init"], { cwd, terminal, answers: ["3", "desk"] });
    expect([code, out]).toEqual([0, expect.stringContaining("✓ questions in desk:")]);
    expect(out).toContain("Next:\n  cd desk\n  npm install\n  npm test\n  npm run train\n");
    const second = await limbeck(["init"], { cwd, terminal, answers: ["", ""] });
    expect(second.out).toContain("✓ text-world in my-world:");
  });
  test("where nobody answers, what is missing is named; a wrong name gets a suggestion", async () => {
    const cwd = await newFolder();
    const silent = await limbeck(["init", "x"], { cwd });
    expect([silent.code, silent.err]).toEqual([2, expect.stringContaining("needs --template NAME; known: text-world")]);
    const wrong = await limbeck(["init", "x", "--template", "text-wrld"], { cwd });
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("text-world")]);
    expect(await readdir(cwd)).toEqual([]);
  });
});

test("--limbeck is a path from the new folder; what is not there or no package is refused", async () => {
  const cwd = await newFolder();
  await writeFile(join(cwd, "limbeck-9.9.9.tgz"), "");
  await writeFile(join(cwd, "other.txt"), "");
  const made = async (name: string, path: string): Promise<string> => {
    const { code, err } = await limbeck(["init", name, "--template", "openenv", "--limbeck", path], { cwd });
    return code === 0 ? ((await read(cwd, name, "package.json"))["dependencies"]?.["limbeck"] ?? "") : err;
  };
  expect(await made("a/deep", "limbeck-9.9.9.tgz")).toBe("file:../../limbeck-9.9.9.tgz");
  expect(await made("b", "nothing.tgz")).toContain("is not there");
  expect(await made("c", "other.txt")).toContain("is no package");
});

test("a project is not called as what it depends on", async () => {
  const cwd = await newFolder();
  const named = async (folder: string): Promise<unknown> => {
    await limbeck(["init", folder, "--template", "ai-sdk-agent"], { cwd });
    return (await read(cwd, folder, "package.json"))["name"];
  };
  expect(await named("limbeck")).toBe("limbeck-project");
  expect(await named("ai")).toBe("ai-project");
  expect(await named("My Agent (2)")).toBe("my-agent-2-");
});
