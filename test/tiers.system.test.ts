/** What the tiers promise, on planted files: a unit test that does too much fails, an idle skip fails the run, and costs are written. */
import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "./support/temporary-folder.ts";

const ROOT = resolve(import.meta.dirname, "..");
const newFolder = temporaryFolders();

const PLANTED = `
import { execFile, execSync, fork, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { expect, test } from "vitest";

const ends = (child) => new Promise((done) => child.on("close", done));
test("small", () => expect(1 + 1).toBe(2));
test("execFile", () => ends(execFile(process.execPath, ["--version"])));
test("fork", () => ends(fork("nothing.mjs", { stdio: "ignore" })));
test("execSync", () => void execSync("true"));
test("spawnSync", () => void spawnSync("true"));
test("listens", () => new Promise((done) => { const server = createServer().listen(0, () => server.close(done)); }));
test("model", () => void readFileSync(${JSON.stringify(join(ROOT, "packages/household-model/model.safetensors"))}));
test("model, later", () => readFile(${JSON.stringify(join(ROOT, "packages/household-model/model.safetensors"))}));
test("long", () => {
  const begun = process.cpuUsage();
  // Nearly forty times the bound, since the bound of a slow machine is that much wider.
  let [sum, turn] = [0, 0];
  while (process.cpuUsage(begun).user < 3e6) for (const end = turn + 1e6; turn < end; turn += 1) sum += Math.sqrt(turn);
  expect(sum).toBeGreaterThan(0);
}, 120_000);
`;

const CONFIG = `
import { CostReporter } from ${JSON.stringify(join(ROOT, "test/support/cost-reporter.ts"))};
import { SkippedReporter } from ${JSON.stringify(join(ROOT, "test/support/skipped-reporter.ts"))};
export default {
  test: {
    reporters: [["json", { outputFile: "report.json" }], new CostReporter(import.meta.dirname, "costs/costs.txt"), new SkippedReporter()],
    setupFiles: [${JSON.stringify(join(ROOT, "test/setup.ts"))}, ${JSON.stringify(join(ROOT, "test/unit-limits.ts"))}],
    isolate: false,
  },
};
`;

/** Runs the files in a folder of their own. */
async function vitest(files: Readonly<Record<string, string>>) {
  const folder = await newFolder();
  await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");
  await mkdir(join(folder, "costs"));
  await writeFile(join(folder, "vitest.config.ts"), CONFIG);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const program = join(ROOT, "node_modules/vitest/vitest.mjs");
  const env = { ...process.env, LIMBECK_TEST_PATIENCE: "0.02" };
  return await new Promise<{ code: number; out: string; folder: string }>((done) => {
    execFile(process.execPath, [program, "run", "--root", folder], { cwd: folder, env }, (error, out, err) =>
      done({ code: error === null ? 0 : Number(error.code), out: `${out}${err}`, folder }),
    );
  });
}

test(
  "a unit test that starts a program, listens, opens a bundled model or takes too long fails and is told where it belongs",
  { timeout: 240_000 },
  async () => {
    const { code, folder } = await vitest({ "planted.test.ts": PLANTED });
    const report = JSON.parse(await readFile(join(folder, "report.json"), "utf8")) as {
      readonly testResults: readonly {
        readonly assertionResults: readonly { title: string; failureMessages: string[] }[];
      }[];
    };
    const faults = report.testResults[0]?.assertionResults.map(({ title, failureMessages: [first = "passed"] }) => [
      title,
      first.split("\n")[0],
    ]);
    const belongs = "Make it smaller, or move it to planted.system.test.ts; CONTRIBUTING.md says what lives where.";
    const says = (text: string): unknown =>
      expect.stringMatching(new RegExp(`A unit test that ${text}.*${belongs}`)) as unknown;
    expect(Object.fromEntries(faults ?? [])).toEqual({
      small: "passed",
      execFile: says("starts a program"),
      fork: says("starts a program"),
      execSync: says("starts a program"),
      spawnSync: says("starts a program"),
      listens: says("listens"),
      model: says("opens a bundled model"),
      "model, later": says("opens a bundled model"),
      long: says("takes [\\d.]+ s of processor time, where a unit test has 0.08"),
    });
    expect(code).toBe(1);
    expect(await readFile(join(folder, "costs/costs.txt"), "utf8")).toMatch(
      /Processor time of 1 test files?[\s\S]*s {2}planted\.test\.ts \(9\)/,
    );
  },
);

const SKIPPED = (title: string): string =>
  `import { test } from "vitest";\ntest.skip(${JSON.stringify(title)}, () => undefined);\ntest("b", () => undefined);\n`;

test(
  "a skip for a missing program is counted; a skip for anything else fails the run",
  { timeout: 120_000 },
  async () => {
    const fine = await vitest({ "a.test.ts": SKIPPED("a (needs redis-server: apt-get install redis-server)") });
    expect(fine.out).toContain(
      "Skipped 1: needs redis-server: apt-get install redis-server\nTests: 1 passed, 0 failed, 1 skipped",
    );
    expect(fine.code).toBe(0);
    const idle = await vitest({ "a.test.ts": SKIPPED("a (needs more time)") });
    expect(idle.out).toMatch(/Skipped otherwise:\n {2}a \(needs more time\)/);
    expect(idle.code).toBe(1);
  },
);
