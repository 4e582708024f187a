import { mkdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../../test/support/tiny-folder.ts";

const newFolder = temporaryFolders();
const SMALL = ["tasks=1", "group=2", "answerTokens=3", "maxSteps=2"].flatMap((setting) => ["--set", setting]);

test("two arms, one seed: a table, a verdict that claims nothing, a page and two files; shown again by --resume", async () => {
  const root = await newFolder();
  const model = join(root, "start");
  await writeTinyModel(model, 1, 2_048);
  const dir = join(root, "arena");
  const words = ["arena", "--model", model, "--dir", dir, "--recipes", "grpo", "--vary", "credit=grpo,gigpo"];
  const more = [
    "--seeds",
    "1",
    "--budget",
    "updates=1",
    "--validation-tasks",
    "1",
    "--final-tasks",
    "1",
    "--jobs",
    "2",
  ];
  const first = await limbeck([...words, ...more, ...SMALL]);
  expect([first.code, first.code === 0 ? "" : first.out]).toEqual([0, ""]);
  expect(first.out).toContain("2 arms × 1 seed on household");
  expect(first.out).toMatch(/✓ grpo\+credit=gigpo\s+seed 1/);
  expect(first.out).toContain(
    "grpo+credit=grpo and grpo+credit=gigpo: one seed separates nothing; give at least three.",
  );
  expect(first.out).toContain("No winner");
  expect(await readFile(join(dir, "report.html"), "utf8")).toContain("Limbeck arena");
  for (const file of ["points.parquet", "comparisons.parquet"]) {
    expect((await readFile(join(dir, file))).subarray(0, 4).toString()).toBe("PAR1");
  }

  const journal = join(dir, "grpo+credit=grpo", "1.jsonl");
  const { mtimeMs } = await stat(journal);
  const again = await limbeck(["arena", "--resume", dir, "--json"]);
  expect(again.code).toBe(0);
  const looked = await limbeck(["arena", "--resume", dir, "--report-only"]);
  expect(looked.out).not.toContain("was finished");
  expect(looked.out).toContain("No winner");
  expect((await stat(journal)).mtimeMs).toBe(mtimeMs);
  const objects = again.objects();
  expect(objects.filter(({ event }) => event === "run").map(({ how }) => how)).toEqual(["kept", "kept"]);
  expect(objects.at(-1)).toMatchObject({ winner: null, missing: [] });

  await rm(join(dir, "report.html"));
  await mkdir(join(dir, "report.html"));
  const closed = await limbeck(["arena", "--resume", dir, "--report-only"], { cwd: root });
  expect([closed.code, closed.out.includes("No winner")]).toEqual([1, true]);
  expect(closed.err).toContain("./arena holds the plan and the numbers of every run.");
  expect(closed.err).toContain("npm run limbeck -- arena --resume ./arena --report-only");

  const taken = await limbeck([...words, ...more, ...SMALL]);
  expect(taken.code).toBe(2);
  expect(taken.err).toContain("--resume");
});

test("what cannot be meant is refused by name", async () => {
  const told = async (...words: string[]): Promise<string> => {
    const { code, err } = await limbeck(["arena", "--dry-run", ...words]);
    expect(code).toBe(2);
    return err;
  };
  expect(await told("--recipes", "grpo,nonsense")).toContain("nonsense");
  expect(await told("--seeds", "many")).toContain("--seeds takes a number of seeds or a range such as 11-20");
  expect(await told("--budget", "hours=1")).toContain("is not a budget");
  expect(await told("--vary", "colour=red")).toContain("colour");
  expect(await told("--set", "colour=red")).toContain('has a setting "colour"');
  expect(await told("--targets", "60")).toContain("--targets takes shares");
  expect(await told("--resume", "nowhere")).toContain("holds no arena");
});

test("a dry run shows arms and order and touches nothing", async () => {
  const { code, out } = await limbeck([
    "arena",
    "--dry-run",
    "--recipes",
    "opid",
    "--vary",
    "teacher=self,ema",
    "--seeds",
    "11-12",
  ]);
  expect(code).toBe(0);
  expect(out).toContain("2 arms × 2 seeds");
  expect(out).toMatch(/Order: opid\+teacher=\w+\/11, opid\+teacher=\w+\/11, opid\+teacher=\w+\/12/);
});
