import { mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runIn } from "../../../../../test/support/clone-without.ts";
import { COMMAND_LINE } from "../../../../../test/support/command-line.ts";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { writeTinyModel } from "../../../../../test/support/tiny-folder.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-demo-"));
  await writeTinyModel(join(folder, "start"), 1, 2_048);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const SETTINGS = ["tasks=1", "group=2", "answerTokens=3", "maxSteps=2"].flatMap((setting) => ["--set", setting]);
const SHORT = ["--threads", "1", "--steps", "1", "--report-tasks", "2", ...SETTINGS];
const demo = (words: readonly string[]) =>
  limbeck(["demo", "--model", "start", ...SHORT, ...words], {
    cwd: folder,
  });

test("shows a failure, trains, measures, shows the errand again and writes the report; --quick has fewer updates, and says so", async () => {
  const { code, out, err } = await demo(["--dir", "runs/shown", "--quick"]);
  expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
  const places = [
    "Recorded on 19 November 2026, on two x64 cores",
    "0.235 before, 0.7",
    "From here on everything is computed on this machine.",
    "Before training, an errand it fails",
    "not done after",
    "Training with OPID",
    "After training, the same errand",
    "Success on held-out errands",
    join("runs", "shown", "report.html"),
    "npm run limbeck -- studio",
  ].map((line) => out.indexOf(line));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  const page = await readFile(join(folder, "runs", "shown", "report.html"), "utf8");
  expect(page).toContain("<h1>OPID</h1>");
  expect(page).toContain("of 2 held-out tasks");
  expect(out).toContain("Quick: fewer updates and errands than the whole demo, which has 20 and 200.");
  const help = await limbeck(["demo", "--help"], { cwd: folder });
  expect(help.out.replace(/\s+/g, " ")).toContain("The same in about a minute: 6 updates and 100 held-out errands");
});

test("compares with a run without the teacher, and prints both as JSON", async () => {
  const { code, objects, err } = await demo(["--dir", "runs/two", "--compare", "--json"]);
  expect([code, err]).toEqual([0, ""]);
  const lines = objects();
  expect(lines.filter(({ event }) => event === "start").map(({ run }) => run)).toEqual(["two", "two-without-teacher"]);
  const last = lines.at(-1);
  expect(last).toMatchObject({
    run: join("runs", "two"),
    report: join("runs", "two", "report.html"),
    studio: "npm run limbeck -- studio",
    before: { success: 0, tasks: 2 },
    after: { tasks: 2 },
    compared: { run: join("runs", "two-without-teacher"), after: { tasks: 2 } },
  });
  const page = await readFile(join(folder, "runs", "two", "report.html"), "utf8");
  expect(page).toContain("<h1>OPID · without the teacher</h1>");
});

test("a report that cannot be written takes nothing along: weights, store and numbers stay, limbeck report makes it", async () => {
  const dir = join(folder, "runs", "kept");
  const report = join(dir, "report.html");
  // A folder where the report belongs; the real process, as npm start runs it.
  await mkdir(report, { recursive: true });
  const repository = fileURLToPath(new URL("../../../../..", import.meta.url));
  const given = ["--model", join(folder, "start"), "--dir", dir, ...SHORT];
  const { code, out, err } = await runIn(repository, [COMMAND_LINE, "demo", ...given]);
  expect([code, err.includes("only its report failed")]).toEqual([1, true]);
  expect(out).toMatch(/before {2}0\.000 .* of 2 tasks\n {2}after /);
  expect(out).not.toContain("Report, for a browser");
  expect(err.replace(/\s+/g, " ")).toContain("runs/kept holds the weights (in model), the store and the numbers.");
  expect((await stat(join(dir, "model", "model.safetensors"))).size).toBeGreaterThan(1_000);
  expect(err).toMatch(/npm run limbeck -- report \S*runs\/kept --label OPID\n/);

  await rm(report, { recursive: true });
  const made = await limbeck(["report", "./runs/kept", "--label", "OPID"], { cwd: folder });
  expect([made.code, made.err]).toEqual([0, ""]);
  const page = await readFile(report, "utf8");
  expect(page).toContain("<h1>OPID</h1>");
  expect(page).toContain("of 2 held-out tasks");
}, 240_000);

test("the same as JSON: the numbers on standard output, the error beside them", async () => {
  await mkdir(join(folder, "runs", "told", "report.html"), { recursive: true });
  const { code, objects, err } = await demo(["--dir", "runs/told", "--json"]);
  expect(code).toBe(1);
  expect(objects().at(-1)).toMatchObject({ run: join("runs", "told"), report: null, before: { tasks: 2 } });
  const { error } = JSON.parse(err) as { readonly error: Record<string, unknown> };
  expect(error).toMatchObject({
    code: "report-failed",
    details: { command: "npm run limbeck -- report ./runs/told --label OPID" },
  });
});
