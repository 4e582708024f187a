/** What users get: the packed tarball, unpacked beside its dependencies, run by plain node. */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { publint } from "publint";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageVersion } from "../src/cli/package-info.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);
let folder: string;
let unpacked: string;

/** Packs a copy, so that building does not disturb a dist folder that someone is using. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-package-"));
  const copy = join(folder, "copy");
  await mkdir(copy);
  for (const name of await readdir(root)) {
    if (["src", "studio", "data", "docs"].includes(name) || /^(package|tsconfig).*\.json$|\.md$|^LICENSE$/.test(name)) {
      await cp(join(root, name), join(copy, name), { recursive: true });
    }
  }
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  await run("npm", ["pack", "--pack-destination", folder], { cwd: copy });
  const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
  const modules = join(folder, "app", "node_modules");
  await mkdir(modules, { recursive: true });
  await run("tar", ["-xzf", join(folder, tarball ?? "nothing was packed"), "-C", modules]);
  unpacked = join(modules, "limbeck");
  await rename(join(modules, "package"), unpacked);
  // What an install would fetch is here already. Only declared dependencies are linked: an undeclared one must fail.
  for (const name of await dependencies(unpacked)) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(root, "node_modules", name), join(modules, name));
  }
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function dependencies(packageFolder: string): Promise<string[]> {
  const manifest = JSON.parse(await readFile(join(packageFolder, "package.json"), "utf8")) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  return Object.keys(manifest.dependencies ?? {});
}

async function limbeck(...words: string[]): Promise<string> {
  const bin = join(unpacked, "dist", "cli", "bin.js");
  const { stdout } = await run(process.execPath, [bin, ...words], { cwd: join(folder, "app") });
  return stdout;
}

test("its command works: version, doctor, import, question, catalog", async () => {
  expect(await limbeck("--version")).toBe(`${packageVersion()}\n`);
  const findings = (await limbeck("doctor", "--json")).trim().split("\n");
  expect(findings.filter((line) => line.includes('"broken"'))).toEqual([]);
  const chat = {
    messages: [
      { role: "user", content: "2 + 2?" },
      { role: "assistant", content: "4" },
    ],
  };
  await writeFile(join(folder, "app", "chats.jsonl"), `${JSON.stringify(chat)}\n${JSON.stringify(chat)}\n`);
  await limbeck("import", "chats.jsonl", "--run", "first");
  expect(await limbeck("sql", "--json", "select run, count(*) n from trajectories group by run")).toBe(
    '{"run":"first","n":2}\n',
  );
  expect((await limbeck("catalog", "--json")).trim().split("\n")).toHaveLength(204);
});

test("holds no tests, no sources and nothing of this machine", async () => {
  const files = await readdir(unpacked, { recursive: true });
  expect(files.filter((file) => /\.test\.|^src|^test|^scripts/.test(file))).toEqual([]);
  expect(files).toContain(join("data", "catalog.tsv"));
  expect(files).toContain(join("dist", "studio", "index.html"));
});

test("its studio has its pages", async () => {
  const lines = (await limbeck("studio", "--port", "0", "--no-open", "--for", "100ms", "--json")).trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { readonly event: string }).event)).toEqual(["listening", "stopped"]);
});

test("publint finds nothing", async () => {
  const { messages } = await publint({ pkgDir: unpacked, pack: false });
  expect(messages).toEqual([]);
});
