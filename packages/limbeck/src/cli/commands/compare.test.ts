import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";

let folder = "";
const rows = (wins: string): string =>
  wins
    .split("")
    .map((win, task) => `{"task":"t${task}","success":${win === "1" ? "true" : win === "0" ? "false" : "null"}}`)
    .join("\n");
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-compare-"));
  await writeFile(join(folder, "base.jsonl"), rows("0000000011"));
  // Eight gained, one lost: p = 2 (1 + 9) / 2^9 = 20/512.
  await writeFile(join(folder, "new.jsonl"), rows("1111111101"));
  await writeFile(join(folder, "close.jsonl"), rows("1000000011"));
  await writeFile(join(folder, "broken.jsonl"), rows("111111110?"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const run = (...words: readonly string[]) => limbeck(["compare", ...words], { cwd: folder });

test("better, by McNemar's exact test, with what it was counted from", async () => {
  const { code, objects } = await run("base.jsonl", "new.jsonl", "--require", "better", "--json");
  expect([code, objects()]).toEqual([
    0,
    [
      {
        verdict: "better",
        metric: "success",
        tasks: 10,
        base: { file: "base.jsonl", format: "rows", arm: null, mean: 0.2, trials: 10, alone: 0, unscored: 0 },
        new: { file: "new.jsonl", format: "rows", arm: null, mean: 0.9, trials: 10, alone: 0, unscored: 0 },
        difference: 0.7,
        // Agresti and Min: n = 12, centre 7/12, variance 10/12 - 49/144, half 1.959964 sqrt(0.493056 / 12) = 0.397288.
        low: expect.closeTo(0.186_045, 5) as number,
        high: expect.closeTo(0.980_621, 5) as number,
        p: expect.closeTo(20 / 512, 12) as number,
        test: "mcnemar",
        better: 8,
        worse: 1,
        equal: 1,
        more: 0,
        passed: true,
      },
    ],
  ]);
});

test("worse ends with the gate's code, a tie passes unless better is required", async () => {
  expect((await run("new.jsonl", "base.jsonl")).code).toBe(4);
  const tie = await run("base.jsonl", "close.jsonl");
  expect(tie.code).toBe(0);
  expect(tie.out).toMatch(/^= tied: success on 10 tasks of both\n {2}0\.200 {2}base\.jsonl \(rows\)\n {2}0\.300/);
  // d = e = 0.1: 1.959964^2 0.1 + 0.841621... = ((1.959964 sqrt(0.1) + 0.841621 sqrt(0.09)) / 0.1)^2 = 76.07, and 10: 87 in all.
  expect(tie.out).toContain("Tied is not equal: 77 tasks more would separate them with 80 % chance");
  expect((await run("base.jsonl", "close.jsonl", "--require", "better")).code).toBe(4);
});

test("what has no score is left out and named, or counts as 0", async () => {
  expect((await run("base.jsonl", "broken.jsonl")).out).toContain("left out: 1 task without a score");
  const [zero] = (await run("base.jsonl", "broken.jsonl", "--unscored", "zero", "--json")).objects();
  expect(zero).toMatchObject({ tasks: 10, better: 8, worse: 2, new: { unscored: 0, mean: 0.8 } });
});

test("the same file twice, and a file that is not there, are refused", async () => {
  expect(await run("base.jsonl", "base.jsonl")).toMatchObject({ code: 2 });
  expect(await run("base.jsonl", "none.jsonl")).toMatchObject({ code: 3 });
});
