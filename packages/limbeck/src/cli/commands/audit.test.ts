import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";

let cwd = "";
/** Eight prompts, each with a right and a wrong answer; what a wrong one is paid is the question. */
const dump = (paidWrong: number) =>
  Array.from({ length: 8 }, (_, at) => [
    { input: `sum ${at}`, output: `the answer to it is ${at}`, gts: `${at}`, score: 1, step: 1, acc: true },
    { input: `sum ${at}`, output: `another answer, ${at + 9}`, gts: `${at}`, score: paidWrong, step: 1, acc: false },
  ])
    .flat()
    .map((row) => JSON.stringify(row))
    .join("\n");
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "limbeck-audit-"));
  await writeFile(join(cwd, "honest.jsonl"), dump(0));
  await writeFile(join(cwd, "gamed.jsonl"), dump(1));
  await writeFile(join(cwd, "notes.txt"), "hello");
  await writeFile(join(cwd, "unpaid.jsonl"), '{"input":"a","output":"b","gts":"c","score":null,"step":1}');
});
afterAll(() => rm(cwd, { recursive: true, force: true }));
const run = (...words: readonly string[]) => limbeck(["audit", ...words], { cwd });

test("failures that are paid like successes are found, and the code is the gate's", async () => {
  const { code, objects } = await run("gamed.jsonl", "--json");
  expect(code).toBe(4);
  // It cannot tell a right answer from a wrong one, and pays each wrong one what a right one gets.
  expect(objects().map(({ screen }) => screen)).toEqual(["constant-scores", "unearned-reward", undefined]);
  expect(objects()[1]).toMatchObject({ event: "finding", evidence: { failures: 8, unearned: 8 } });
  expect(objects().at(-1)).toMatchObject({ event: "end", files: 1, trajectories: 16, scored: 16, judged: 16 });
});

test("honest rewards pass", async () => {
  const { code, out } = await run("honest.jsonl");
  expect([code, out]).toEqual([0, "16 trajectories with a reward, 16 with a known outcome: 0 findings.\n"]);
});

test("a folder: what shows no format is left out and named; logs without rewards are no audit", async () => {
  const { code, err } = await run(".");
  expect([code, err]).toEqual([4, expect.stringContaining("notes.txt: it shows no format")]);
  expect((await run("unpaid.jsonl")).code).toBe(3);
  expect((await run()).code).toBe(2);
});
