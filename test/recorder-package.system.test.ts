/** What users of limbeck-recorder get: packed, installed alone, and run by plain node where recording cannot work. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { publint } from "publint";
import { afterAll, beforeAll, expect, test } from "vitest";
import { importsOf } from "./support/house.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);
let folder: string;
let app: string;
let tarball: string;

/** Packs a copy, so that building does not disturb the working tree; installs it offline, with nothing beside it. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-recorder-package-"));
  await run(
    process.execPath,
    ["--import", "tsx", "scripts/pack.ts", "--each", "--out", folder, "--work", join(folder, "build")],
    { cwd: root },
  );
  tarball = join(
    folder,
    (await readdir(folder)).find((name) => name.startsWith("limbeck-recorder-")) ?? "nothing was packed",
  );
  app = join(folder, "app");
  await mkdir(app);
  await writeFile(join(app, "package.json"), '{"name": "app", "type": "module", "private": true}');
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { cwd: app });
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test("is small, depends on nothing and has no native part", async () => {
  expect((await stat(tarball)).size).toBeLessThanOrEqual(62_000);
  expect((await readdir(join(app, "node_modules"))).filter((name) => !name.startsWith("."))).toEqual([
    "limbeck-recorder",
  ]);
  const files = await readdir(join(app, "node_modules", "limbeck-recorder"), { recursive: true });
  expect(files.filter((file) => /\.node$|\.wasm$|binding\.gyp|\.test\./.test(file))).toEqual([]);
  expect(files).toContain("README.md");
  const manifest = JSON.parse(
    await readFile(join(app, "node_modules", "limbeck-recorder", "package.json"), "utf8"),
  ) as object;
  expect(Object.keys(manifest).filter((key) => /dependencies/i.test(key))).toEqual([]);
  expect((await publint({ pkgDir: join(app, "node_modules", "limbeck-recorder"), pack: false })).messages).toEqual([]);
});

test("its sources import nothing from outside their folder", async () => {
  const names = (await readdir(join(root, "packages", "recorder", "src"), { recursive: true })).filter((name) =>
    /^(?!.*\.test\.).*\.ts$/.test(name),
  );
  expect(names.length).toBeGreaterThan(20);
  expect(names).toContain("selection/select.ts");
  for (const name of names) {
    const path = `record/recorder/${name}`;
    // Examples in comments are written for those who have the engine.
    const text = (await readFile(join(root, "packages", "recorder", "src", name), "utf8")).replaceAll(/^ \*.*$/gm, "");
    const outside = importsOf({ path, text }).filter((target) => !target.startsWith("record/recorder/"));
    const packages = [...text.matchAll(/(?:from|import\()\s*"([^."][^"]*)"/g)].map((match) => match[1] ?? "");
    expect({ name, outside, packages: packages.filter((from) => !from.startsWith("node:")) }).toEqual({
      name,
      outside: [],
      packages: [],
    });
  }
});

const AGENT = `
import { createRecorder } from "limbeck-recorder";
const recorder = createRecorder({ to: process.argv[2] === "off" ? false : process.argv[2] });
const model = recorder.model({
  modelId: "m", provider: "p",
  doGenerate: async () => ({ content: [{ type: "text", text: "42" }], finishReason: "stop", usage: { inputTokens: 1, outputTokens: 1 } }),
});
const prompt = [{ role: "user", content: [{ type: "text", text: "?" }] }];
const answers = [];
await recorder.run({ task: "t" }, async (id) => {
  for (let index = 0; index < 3; index += 1) answers.push((await model.doGenerate({ prompt })).content[0].text);
  recorder.feedback(id, { success: true });
});
await recorder.flush();
process.stdout.write(JSON.stringify({ answers, ...recorder.status() }));
`;

const GUIDED = `
import { createInjector, createRecorder } from "limbeck-recorder";
const [, , skills, to] = process.argv;
const recorder = createRecorder({ to });
const injector = createInjector({ skills });
const model = injector.model(recorder.model({
  doGenerate: async ({ prompt }) => ({ content: [{ type: "text", text: prompt[0].role }] }),
}));
const prompt = [{ role: "user", content: [{ type: "text", text: "Which city is warmer?" }] }];
const { content } = await model.doGenerate({ prompt });
await recorder.flush();
process.stdout.write(JSON.stringify({ first: content[0].text, ...injector.status() }));
`;

test("its injector reads a file of skills, and its recorder names them; without the file the call is as it was", async () => {
  const skills = [{ id: "both", text: "Which city is warmer: ask for both." }];
  await writeFile(join(app, "skills.json"), JSON.stringify({ skills }));
  await writeFile(join(app, "guided.mjs"), GUIDED);
  const guided = async (file: string): Promise<unknown> => {
    const { stdout } = await run(process.execPath, ["guided.mjs", file, "guided"], { cwd: app });
    return JSON.parse(stdout) as unknown;
  };
  expect(await guided("skills.json")).toEqual({
    first: "system",
    injected: 1,
    passed: 0,
    failures: 0,
    skills: 1,
    skipped: 0,
  });
  const [file = ""] = await readdir(join(app, "guided"));
  expect(JSON.parse(await readFile(join(app, "guided", file), "utf8"))).toMatchObject({ skills: ["both"] });
  expect(await guided("missing.json")).toMatchObject({ first: "user", injected: 0, failures: 1 });
});

async function agent(to: string, environment: Readonly<Record<string, string>> = {}): Promise<Record<string, unknown>> {
  await writeFile(join(app, "agent.mjs"), AGENT);
  const { stdout } = await run(process.execPath, ["agent.mjs", to], {
    cwd: app,
    env: { ...process.env, ...environment },
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

test("works with recording on, off, on a read-only disk and without the store", async () => {
  const answers = ["42", "42", "42"];
  expect(await agent("recordings")).toEqual({ answers, on: true, written: 5, waiting: 0, dropped: 0 });
  const [file = ""] = await readdir(join(app, "recordings"));
  expect((await readFile(join(app, "recordings", file), "utf8")).trim().split("\n")).toHaveLength(5);
  expect(await agent("off")).toEqual({ answers, on: false, written: 0, waiting: 0, dropped: 0 });
  // No user, root included, can make a folder there.
  expect(await agent("/proc/limbeck/recordings")).toMatchObject({ answers, on: true, written: 0, waiting: 5 });
  // Port 9 of this machine: nobody listens.
  expect(await agent("http://127.0.0.1:9")).toMatchObject({ answers, on: true, written: 0, waiting: 5 });
});
