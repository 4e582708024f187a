import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sampleStore } from "../../../../test/support/sample-store.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTrainedRun, type TrainedRunOptions } from "../../../../test/support/trained-run.ts";
import { openStore } from "../store/open-store.ts";
import type { Store } from "../store/store.ts";
import { writeReport } from "./page.ts";

const folder = temporaryFolders();

/** Written once, read by all. */
const RUNS: readonly (readonly [string, TrainedRunOptions])[] = [
  ["one", {}],
  ["two", { updates: 6, rise: 0.02 }],
  ["lost", { lost: 2 }],
  ["unfinished", { finished: false, tokenizer: false }],
];
let root = "";
let store: Store;
let one = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "limbeck-report-"));
  store = openStore(root, { keepOpen: true });
  for (const [id, options] of RUNS) await writeTrainedRun(store, id, options);
  one = await report("one");
});
afterAll(async () => {
  await store.close();
  await rm(root, { recursive: true });
});

async function report(...runs: string[]): Promise<string> {
  const file = join(await folder(), "pages", "report.html");
  await writeReport(store, { runs: runs.map((run) => ({ run, label: `label of ${run}` })), file });
  expect(await readdir(dirname(file))).toEqual(["report.html"]);
  return await readFile(file, "utf8");
}

/** Tags out, spaces together: what a reader reads. */
function textOf(page: string): string {
  return page
    .replace(/<(style|script)>[\s\S]*?<\/\1>/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");
}

test("a finished training is shown in full", () => {
  const page = one;
  const text = textOf(page);
  // 2 of 8 before, 6 of 8 after; the fixture's intervals are one task wide on each side.
  expect(text).toContain("Before 0.250 of 8 held-out tasks; 95% interval [0.125, 0.375]");
  expect(text).toContain("After 0.750 of 8 held-out tasks; 95% interval [0.625, 0.875]");
  // Tasks 0 and 1 are solved both times, 2 to 5 only afterwards. Differences are four ones and four zeros.
  expect(text).toMatch(/\+0\.500 \[\+0\.\d{3}, \+0\.\d{3}\] on the same tasks \(95% interval\)/);
  expect(text).toContain("4 newly solved, 0 lost, 2 solved both times, 2 never.");
  expect(text).toContain("tokens sampled 6,400");
  expect(text).toContain("5 min 12 s");
  expect(text).toContain("put away 4 0.250");
  for (const chart of ["Success", "Reward", "Entropy", "Teacher shift", "Seconds an update"])
    expect(page).toContain(`aria-label="${chart}"`);
  // 1.5 of 3 seconds are play.
  expect(text).toContain("play the episodes 1.50 s 50%");
  expect(text).toContain("The first task that was not solved before the training");
  expect(text).toContain("Early: update 1");
  expect(text).toContain("Late: update 6");
  expect(text).toContain("2 of 3 episodes succeeded");
  expect(page).toMatch(
    /title="advantage \+0\.500 · teacher shift −0\.100 \(episode skill\) · probability 0\.368 · token \d+">take<\/i>/,
  );
  expect(text).toContain("−0.81 nats a token: the agent's words became less likely");
  expect(text).toContain("The agent had said: take mug 1 from shelf 1");
  expect(text).toContain("settings.learningRate 0.002");
  expect(text).not.toContain("has not finished");
});

test("what a run said is text and nothing else, and nothing outside is asked for", () => {
  const page = one;
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page).not.toContain("<img");
  for (const letter of ["\u001b", "\u202E"]) expect(page).not.toContain(letter);
  expect(page).toContain("&lt;script&gt;document.title=");
  expect(page).toContain("default-src 'none'".replaceAll("'", "&#39;"));
  // Every address in an attribute is a place in the page or empty data.
  const addresses = [...page.matchAll(/\s(?:src|href|action|poster|data)="([^"]*)"/g)].map(([, address]) => address);
  expect(addresses.filter((address) => !address?.startsWith("#") && address !== "data:,")).toEqual([]);
  expect(page).not.toMatch(/@import|url\(/);
});

test("the same run gives the same file", async () => {
  expect(await report("one")).toBe(one);
});

test("two runs are drawn together, compared on the same tasks, and their settings told apart", async () => {
  const page = await report("one", "two");
  const text = textOf(page);
  expect(text).toContain("label of one compared with “label of two”, after training: +0.000 [+0.000, +0.000]");
  expect(text).toContain("These tasks do not tell the two apart.");
  expect(text).toContain(
    "Where the runs differ setting label of one label of two settings.rise 0.1 0.02 All 7 settings",
  );
  expect(page).toContain('class="line s1 faint" stroke-dasharray="7 4"');
});

test("lost episodes are no failures: they are told, and make no pair", async () => {
  const page = await report("lost");
  const text = textOf(page);
  expect(text).toContain("of 6 of 8 held-out tasks (2 lost: ");
  for (const letter of ["\u001b", "\u202E", "<img"]) expect(page).not.toContain(letter);
  // Six tasks were seen both times: four newly solved, two solved before too.
  expect(text).toContain("4 newly solved, 0 lost, 2 solved both times, 0 never.");
});

test("an unfinished run without a tokenizer says what is missing", async () => {
  const text = textOf(await report("unfinished"));
  expect(text).toContain("has not finished; what stands here is its state after 6 updates");
  expect(text).toContain("After not measured");
  expect(text).toContain("No task was played both before and after.");
  expect(text).toContain("tokens are shown by their ids");
  expect(text).toContain("tokens sampled 6,000");
});

test("a run that did not train says so, in every section", async () => {
  const sample = await sampleStore();
  const played = openStore(sample.root);
  const file = join(await folder(), "report.html");
  await writeReport(played, { runs: [{ run: "demo", label: "demo" }], file });
  const text = textOf(await readFile(file, "utf8"));
  for (const said of [
    "did not train",
    "Success: nothing was recorded",
    "No skills were written",
    "No credit was recorded",
  ])
    expect(text).toContain(said);
  await expect(writeReport(played, { runs: [], file })).rejects.toMatchObject({ code: "bad-options" });
  await expect(writeReport(played, { runs: [{ run: "x", label: "x" }], file })).rejects.toMatchObject({
    code: "no-run",
  });
  await played.close();
  await sample.remove();
});
