import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { writeTrainedRun } from "../../../../../test/support/trained-run.ts";
import { openStore } from "limbeck-store/store/open-store";

let cwd = "";
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "limbeck-report-"));
  const store = openStore(join(cwd, "runs"));
  await writeTrainedRun(store, "opid-1", { updates: 2 });
  await writeTrainedRun(store, "grpo-1", { updates: 2, finished: false, tokenizer: false });
  await store.close();
});
afterAll(() => rm(cwd, { recursive: true }));

test("one run, by the beginning of its id, beside the run", async () => {
  const { code, out, err } = await limbeck(["report", "opi"], { cwd });
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain(join("runs", "opid-1", "report.html"));
  expect(await readFile(join(cwd, "runs", "opid-1", "report.html"), "utf8")).toContain("<h1>opid-1</h1>");
});

test("several runs with labels, given as folders, into a file of choice", async () => {
  const words = ["report", "runs/opid-1", "./runs/grpo-1", "--label", "OPID", "--label", "<b>GRPO</b>"];
  const { code, objects } = await limbeck([...words, "--out", "pages/both.html", "--json"], { cwd });
  expect(code).toBe(0);
  expect(objects()).toEqual([
    { path: join("pages", "both.html"), runs: ["opid-1", "grpo-1"], bytes: expect.any(Number) },
  ]);
  expect(await readFile(join(cwd, "pages", "both.html"), "utf8")).toContain("OPID · &lt;b&gt;GRPO&lt;/b&gt;");
});

test("what cannot be done is said", async () => {
  await mkdir(join(cwd, "taken"));
  for (const [words, code, what] of [
    [["report"], 2, "report"],
    [["report", "nothing"], 2, "grpo-1"],
    [["report", "opid-1", "--label", "a", "--label", "b"], 2, "2 labels for 1 run"],
    [["report", "opid-1", "elsewhere/x"], 2, "2 stores"],
    [["report", "opid-1", "--out", "taken"], 1, "taken"],
  ] as const) {
    const failed = await limbeck(words, { cwd });
    expect([failed.code, failed.err]).toEqual([code, expect.stringContaining(what)]);
  }
});
