/** What users get: `npm run install-into` typed in a clone, and what then lies and works in their project. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join, posix, sep } from "node:path";
import { createInterface } from "node:readline";
import { publint } from "publint";
import { beforeEach, describe, expect, test } from "vitest";
import { packageVersion } from "../packages/base/src/base/package-info.ts";
import { installedOnce, limbeckIn, npm, root, run, TARBALL } from "./support/installed-package.ts";
import { walkTheWay } from "./support/ten-minutes.ts";

const installed = installedOnce();

const bin = (): string => join(installed().unpacked, "dist", "cli", "bin.js");
const limbeck = (...words: string[]): Promise<string> => limbeckIn(installed(), installed().app, ...words);

async function files(): Promise<string[]> {
  const found = await readdir(installed().unpacked, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) =>
      join(parentPath, name)
        .slice(installed().unpacked.length + 1)
        .split(sep)
        .join("/"),
    );
}

/** An import of each of its doors: their types must hold where no optional package is installed. */
async function everyDoor(): Promise<{ readonly every: string; readonly names: string }> {
  const { exports } = JSON.parse(await readFile(join(installed().unpacked, "package.json"), "utf8")) as {
    readonly exports: object;
  };
  const doors = Object.keys(exports).filter((door) => !door.endsWith(".json"));
  const imports = doors.map((door, at) => `import * as door${at} from "limbeck${door.slice(1)}";\n`);
  return { every: imports.join(""), names: doors.map((_, at) => `door${at}`).join(", ") };
}

describe("installed", () => {
  beforeEach(({ skip }) => skip(installed().unreachable !== undefined, installed().unreachable));

  test("the command made a project, installed into it and said what to type next", async () => {
    const next = `Next:\n  cd ${join("..", "my-agent")}\n  npx limbeck doctor\n  import { createRecorder }`;
    expect(installed().said).toContain(
      `Installed in ${installed().app}: limbeck, @duckdb/node-api, limbeck-recorder, ai@6, zod. ${next}`,
    );
    const manifest = JSON.parse(await readFile(join(installed().app, "package.json"), "utf8")) as Record<
      string,
      unknown
    >;
    expect(manifest).toMatchObject({
      private: true,
      type: "module",
      dependencies: {
        ai: expect.stringMatching(/^\^6\./) as string,
        limbeck: `file:../the clone/${TARBALL}`,
        "limbeck-recorder": `file:../the clone/limbeck-recorder-${packageVersion()}.tgz`,
      },
    });
  });

  test("its command works: version, doctor, import, question, catalog", async () => {
    expect(await npm(installed().app, "exec", "--", "limbeck", "--version")).toBe(`${packageVersion()}\n`);
    const findings = (await limbeck("doctor", "--json")).trim().split("\n");
    expect(findings.filter((line) => line.includes('"broken"'))).toEqual([]);
    const chats = join(installed().unpacked, "examples", "bookshop-agent.jsonl");
    await limbeck("import", chats, "--run", "first", "--store", "imported");
    expect(
      await limbeck("sql", "--store", "imported", "--json", "select run, count(*) n from trajectories group by run"),
    ).toBe('{"run":"first","n":4}\n');
    expect((await limbeck("catalog", "--json")).trim().split("\n")).toHaveLength(204);
  });

  test("its demo trains the bundled model and names a command that is there", { timeout: 120_000 }, async () => {
    const small = ["tasks=1", "group=2", "answerTokens=3", "maxSteps=2"].flatMap((setting) => ["--set", setting]);
    const words = ["--steps", "1", "--report-tasks", "1", "--threads", "1", "--json", ...small];
    const last = (await limbeck("demo", ...words)).trim().split("\n").at(-1) ?? "";
    const { reason, report, studio } = JSON.parse(last) as Record<string, string>;
    expect({ reason, studio }).toEqual({ reason: "finished", studio: "npx limbeck studio" });
    expect(await readFile(join(installed().app, report ?? ""), "utf8")).toContain("<h1>OPID</h1>");
  });

  // The way of docs/learn/ten-minutes.md. AI SDK 6 lies in the project; 7 is installed beside it.
  test.each([6, 7])(
    "from an empty folder to a proven skill and a green check, AI SDK %i",
    { timeout: 400_000 },
    async (major) => {
      const folder = join(installed().folder, `ai-${major}`);
      const [from, modules] = [join(installed().app, "node_modules"), join(folder, "node_modules")];
      await mkdir(modules, { recursive: true });
      await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }');
      if (major === 7) await npm(folder, "install", "--ignore-scripts", "--no-audit", "ai@7", "zod@4");
      await mkdir(join(modules, ".bin"), { recursive: true });
      for (const name of [
        "limbeck",
        "limbeck-recorder",
        join(".bin", "limbeck"),
        ...(major === 7 ? [] : ["ai", "zod"]),
      ])
        await symlink(join(from, name), join(modules, name), "junction");
      const own = JSON.parse(await readFile(join(modules, "ai", "package.json"), "utf8")) as {
        readonly version: string;
      };
      expect(own.version).toMatch(new RegExp(`^${major}\\.`));
      await walkTheWay({
        folder,
        limbeck: async (words) => await limbeckIn(installed(), folder, ...words),
      });
    },
  );

  test("a first installation imports and extracts without an engine, and says what training needs", async () => {
    const bare = join(installed().folder, "bare");
    const modules = join(installed().app, "node_modules");
    await mkdir(join(bare, "node_modules"), { recursive: true });
    await writeFile(join(bare, "package.json"), "{}");
    for (const name of await readdir(modules)) {
      if (["limbeck", "@duckdb", "onnxruntime-node"].includes(name) || name.startsWith(".")) continue;
      await symlink(join(modules, name), join(bare, "node_modules", name), "junction");
    }
    // From its own place it looks for engines.
    await cp(join(modules, "limbeck"), join(bare, "node_modules", "limbeck"), { recursive: true });
    const own = join(bare, "node_modules", "limbeck", "dist", "cli", "bin.js");
    const typed = (...words: string[]) => run(process.execPath, [own, ...words], { cwd: bare });
    await typed("import", join(installed().unpacked, "examples", "bookshop-agent.jsonl"), "--run", "first");
    const { stdout } = await typed("skills", "extract", "--run", "first", "--json");
    expect(stdout).toContain('"can-cancel"');
    await typed("report", "first", "--out", "report.html");
    expect(await readFile(join(bare, "report.html"), "utf8")).toContain("bookshop");
    const traces = await typed("traces", "--json");
    expect(traces.stdout.trim().split("\n")).toHaveLength(5);
    const refused = (await typed("demo", "--json").catch((error: unknown) => error)) as { readonly stderr: string };
    expect(refused.stderr).toContain(
      "@duckdb/node-api and onnxruntime-node are not installed here; a first installation leaves them out.",
    );
    expect(refused.stderr).toMatch(/npm install --ignore-scripts @duckdb\/node-api@\S+ onnxruntime-node@[\d.]+/);
  });

  test("the studio answers with its page", async () => {
    const words = ["studio", "--port", "0", "--no-open", "--json"];
    const server = spawn(process.execPath, [bin(), ...words], {
      cwd: installed().app,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const over = once(server, "exit");
    try {
      const [line] = (await once(createInterface(server.stdout), "line")) as [string];
      const { url } = JSON.parse(line) as { readonly url: string };
      const entered = await fetch(url, { redirect: "manual" });
      const headers = { cookie: entered.headers.get("set-cookie")?.split(";")[0] ?? "" };
      const page = await (await fetch(new URL("/", url), { headers })).text();
      const assets = [...page.matchAll(/(?:src|href)="(\.\/[^"]+)"/g)].map(([, path = ""]) => new URL(path, url));
      expect(assets).toHaveLength(3);
      const answers = await Promise.all(assets.map((asset) => fetch(asset, { headers })));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    } finally {
      server.kill();
      await over;
    }
  });

  test(
    "the program in the README compiles strictly, under nodenext and bundler, and runs",
    { timeout: 120_000 },
    async () => {
      const readme = await readFile(join(installed().unpacked, "README.md"), "utf8");
      const section = /## From code[\s\S]*?(?=^## )/m.exec(readme)?.[0] ?? "";
      const [training = "", program = ""] = [...section.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, text]) => text);
      const all = 'import * as doors from "limbeck";\nimport * as testing from "limbeck/testing";\n';
      const { every, names } = await everyDoor();
      const recorder = 'import { createRecorder } from "limbeck-recorder";\n';
      const used = "export const seen: readonly unknown[] = [doors, testing, createRecorder, rows, env];\n";
      await writeFile(
        join(installed().app, "program.ts"),
        `${all}${recorder}${every}${training}${program}${used}export { ${names} };\n`,
      );
      const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
      const strict = ["--noEmit", "--strict", "--skipLibCheck", "false", "--target", "es2023", "program.ts"];
      const modes = [
        ["--module", "nodenext"],
        ["--module", "esnext", "--moduleResolution", "bundler"],
      ];
      const compile = async (mode: readonly string[]): Promise<string> =>
        await run(process.execPath, [compiler, ...mode, ...strict], { cwd: installed().app }).then(
          ({ stdout }) => stdout,
          (error: unknown) => (error as { readonly stdout: string }).stdout,
        );
      expect(await Promise.all(modes.map(compile))).toEqual(["", ""]);
      // Nothing in it needs a type, so it is JavaScript too.
      const told = "process.stdout.write(JSON.stringify([typeof openStore, typeof testing.envContract, env.id]));\n";
      await writeFile(join(installed().app, "program.js"), `${all}${program}${told}`);
      const { stdout } = await run(process.execPath, ["program.js"], { cwd: installed().app });
      expect(JSON.parse(stdout)).toEqual(["function", "function", "shop"]);
    },
  );
});

test("the command refuses what it cannot install, before it builds", async () => {
  const script = ["--import", join(root, "node_modules", "tsx", "dist", "loader.mjs"), "scripts/install-into.ts"];
  const refusal = async (...words: string[]): Promise<unknown> => {
    const env = { ...process.env, INIT_CWD: installed().clone };
    return await run(process.execPath, [...script, ...words], { cwd: installed().clone, env }).catch(
      (error: unknown) => error,
    );
  };
  const saying = (text: string): object => ({ code: 2, stderr: expect.stringContaining(text) as string });
  expect(await refusal()).toMatchObject(saying("Which folder"));
  expect(await refusal(".")).toMatchObject(saying("is this clone"));
  expect(await refusal("package.json")).toMatchObject(saying("is a file"));
  expect(await refusal("../other", "--global")).toMatchObject(saying('"--global" is no name of a package'));
});

test("holds its pages, example and models, and no tests, sources, pictures or maps to nothing", async () => {
  const held = await files();
  const needless = /\.test\.|\.map$|\.png$|\.svg$|^(?:node_modules\/limbeck-[\w-]+\/)?(?:src|test|scripts|packages)\//;
  // A template has its test, because the project has it.
  const ours = held.filter((file) => !/^templates\/[\w-]+\/src\/world\.test\.ts$/.test(file));
  expect(ours.filter((file) => needless.test(file))).toEqual(["node_modules/limbeck-studio/dist/pages/icon.svg"]);
  expect(held).toEqual(
    expect.arrayContaining([
      "data/catalog.tsv",
      "node_modules/limbeck-core/data/worlds/shop.json",
      "node_modules/limbeck-remote/python/trainer/limbeck_torch/__main__.py",
      "node_modules/limbeck-studio/dist/pages/index.html",
      "docs/lookup/generated/cli.md",
    ]),
  );
  const tarball = await stat(join(installed().clone, TARBALL));
  // One bundled model is 1.5 MB of it; the others are a package of their own.
  expect(tarball.size).toBeLessThan(5_500_000);
  const script = await readFile(bin(), "utf8");
  expect(script).not.toContain("sourceMappingURL");
});

test("every link of its pages leads to a file that it holds, or to what only a clone has", async () => {
  const held = new Set(await files());
  const onlyInClone =
    /^(?:docs\/images\/|docs\/evidence\/results\/|docs\/evidence\/generated\/matrix\.json$|packages\/|CONTRIBUTING\.md$)/;
  const missing: string[] = [];
  for (const page of [...held].filter((file) => /^(?:docs\/.+|[^/]+)\.md$/.test(file))) {
    const text = await readFile(join(installed().unpacked, page), "utf8");
    for (const [, target = ""] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
      const path = posix.join(dirname(page), target);
      if (!/^[a-z]+:/.test(target) && !held.has(path) && !onlyInClone.test(path)) missing.push(`${page}: ${target}`);
    }
  }
  expect(missing).toEqual([]);
});

test("publint finds nothing", async () => {
  const { messages } = await publint({ pkgDir: installed().unpacked, pack: false });
  expect(messages).toEqual([]);
});
