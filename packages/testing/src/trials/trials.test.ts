import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { trialMatchers, type TrialBar } from "./matchers.ts";
import { TrialsReporter } from "./reporter.ts";
import { isHeldOut, passAll, runTrials } from "./run-trials.ts";

declare module "vitest" {
  // oxlint-disable-next-line typescript/no-explicit-any
  interface Matchers<T = any> {
    toPassTrials(bar?: TrialBar): T;
  }
}
expect.extend(trialMatchers);

const half = (index: number): boolean => index % 2 === 0;

test("a trial passes unless it throws or gives false; the others go on, and the test keeps them all", async ({
  task,
}) => {
  const outcome = await runTrials(
    4,
    (index) => {
      if (index === 1) throw new Error("paid twice");
      return index === 2 ? false : undefined;
    },
    { task, heldOut: true },
  );
  expect(outcome).toMatchObject({ trials: [true, false, false, true], passed: 2, rate: 0.5 });
  expect(outcome.errors).toEqual([new Error("paid twice")]);
  expect(task.meta).toEqual({ limbeck: { trials: [true, false, false, true], heldOut: true } });
});

test("trials keep their places and their number at any concurrency", async () => {
  let [open, most] = [0, 0];
  const outcome = await runTrials(
    9,
    async (index) => {
      most = Math.max(most, (open += 1));
      await Promise.resolve();
      open -= 1;
      return half(index);
    },
    { concurrency: 3 },
  );
  expect(outcome.trials).toEqual([true, false, true, false, true, false, true, false, true]);
  expect(most).toBe(3);
  for (const count of [0, 1.5, Number.NaN, 10_001])
    await expect(runTrials(count, half)).rejects.toThrow("from 1 to 10000");
});

test("the matcher: the share seen, what is sure, and pass^k", async () => {
  const nine = await runTrials(10, (index) => index !== 0);
  expect(nine).toPassTrials({ rate: 0.9 });
  expect(nine).not.toPassTrials();
  // Wilson for 9 of 10: 0.596 to 0.982.
  expect(nine).toPassTrials({ rate: 0.59, confidence: 0.95 });
  expect(() => expect(nine).toPassTrials({ rate: 0.9, confidence: 0.95 })).toThrow(
    "9 of 10 trials passed [0.596, 0.982]; expected surely at least 0.9 (95 %).",
  );
  // pass^2 = C(9, 2) / C(10, 2) = 36 / 45.
  expect(passAll(nine.trials, 2)).toBeCloseTo(0.8, 12);
  expect(nine).toPassTrials({ all: 2, rate: 0.79 });
  const broken = await runTrials(1, () => Promise.reject(new Error("no answer")));
  expect(() => expect(broken).toPassTrials()).toThrow("The first failure: no answer");
  expect(() => expect([]).toPassTrials()).toThrow("takes what runTrials gives");
});

test("held out is by name alone", () => {
  expect([isHeldOut("a", 0), isHeldOut("a", 1)]).toEqual([false, true]);
  const names = Array.from({ length: 500 }, (_, at) => `n${at}`);
  // What is held out at a small share is held out at a larger one.
  expect(names.filter((name) => isHeldOut(name, 0.1) && !isHeldOut(name, 0.3))).toEqual([]);
});

test("the reporter: tests with trials, held-out ones apart, rows for compare", async () => {
  const folder = await mkdtemp(join(tmpdir(), "limbeck-trials-"));
  const file = join(folder, "rows.jsonl");
  const lines: string[] = [];
  const meta = (trials: readonly boolean[], heldOut: boolean) => ({ limbeck: { trials, heldOut } });
  const tests = [
    { fullName: "refund > pays", meta: () => meta([true, true, false, true], false) },
    { fullName: "refund > \u001b[31masks", meta: () => meta([true, false], true) },
    { fullName: "plain", meta: () => ({}) },
    { fullName: "hostile", meta: () => ({ limbeck: { trials: ["x"] } }) },
  ];
  const reporter = new TrialsReporter({ file, print: (line) => lines.push(line) });
  await reporter.onTestRunEnd([{ children: { allTests: () => tests } }]);
  expect(lines.slice(0, 2)).toEqual(["Repeated trials", "3 of 4  refund > pays"]);
  expect(lines[2]).not.toContain("\u001b");
  // C(3, 4) = 0; C(1, 2) = 0.
  // One task is one draw of tasks: Wilson with n = 1, (0.75 + 1.920729) / 4.841459 -+ 1.959964 sqrt(0.1875 + 0.960365) / 4.841459.
  expect(lines[3]).toBe("Seen: 1 test, pass 0.750 [0.118, 0.985], pass^4 0.000");
  expect(lines[4]).toBe("Held out: 1 test, pass 0.500 [0.055, 0.945], pass^2 0.000");
  const rows = (await readFile(file, "utf8")).trim().split("\n");
  expect(rows).toHaveLength(6);
  expect(JSON.parse(rows[2] ?? "")).toEqual({ task: "refund > pays", metric: "pass", success: false });
  await rm(folder, { recursive: true });
});
