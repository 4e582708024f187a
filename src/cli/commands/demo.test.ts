import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck } from "../../../test/support/fake-io.ts";
import { writeTinyModel } from "../../../test/support/tiny-folder.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-demo-"));
  await writeTinyModel(join(folder, "start"), 1, 2_048);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const SETTINGS = ["tasks=1", "group=2", "answerTokens=3", "maxSteps=2"].flatMap((setting) => ["--set", setting]);
const demo = (words: readonly string[]) =>
  limbeck(
    ["demo", "--model", "start", "--threads", "1", "--steps", "1", "--report-tasks", "2", ...SETTINGS, ...words],
    {
      cwd: folder,
    },
  );

test("shows a failure, trains, measures, shows the errand again and writes the report", async () => {
  const { code, out, err } = await demo(["--dir", "runs/shown"]);
  expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
  const places = [
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
