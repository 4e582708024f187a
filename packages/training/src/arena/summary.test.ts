import { expect, test } from "vitest";
import type { JournalLine } from "./journal.ts";
import { readPlan, type ArenaPlan } from "./plan.ts";
import { runResult } from "./results.ts";
import { summarise } from "./summary.ts";
import { comparisonWords, verdictWords } from "./words.ts";

const plan: ArenaPlan = readPlan({
  version: 1,
  arms: [
    { name: "slow", recipe: "grpo" },
    { name: "quick", recipe: "gigpo" },
  ],
  seeds: [1, 2],
  env: "household",
  model: "model",
  budget: { account: "steps", amount: 100 },
});

/** Points at 0, 50 and 100 steps; tokens are ten times the steps, seconds a tenth. */
function lines(arm: string, seed: number, successes: readonly number[]): JournalLine[] {
  const spent = (steps: number): object => ({
    environmentSteps: steps,
    sampledTokens: 10 * steps,
    modelTokens: 0,
    teacherTokens: 0,
    seconds: steps / 10,
  });
  return [
    { kind: "start", update: 0, arm, seed, fingerprint: "", parameters: 1 },
    ...successes.map((success, at) => ({
      kind: "point",
      update: at,
      ...spent(50 * at),
      success,
      solved: success * 10,
      tasks: 10,
      meanSteps: 5,
      invalid: 0,
    })),
    {
      kind: "final",
      update: 2,
      split: "test",
      success: 0.5,
      solved: 5,
      tasks: 10,
      meanSteps: 5,
      invalid: 0,
      families: [
        { family: "clean", tasks: 4, success: seed === 1 ? 0.25 : 0.75 },
        { family: "heat", tasks: 6, success: 0.5 },
      ],
    },
    { kind: "end", update: 2 },
  ] as JournalLine[];
}

const runs = [
  runResult("slow", 1, lines("slow", 1, [0.2, 0.2, 0.6])),
  runResult("slow", 2, lines("slow", 2, [0.2, 0.4, 0.4])),
  runResult("quick", 1, lines("quick", 1, [0.2, 0.6, 0.8])),
  runResult("quick", 2, lines("quick", 2, [0.2, 0.6, 0.6])),
];

test("areas, ends and what it took to get there, by hand", () => {
  const { accounts, arms, ratings } = summarise(plan, runs);
  expect(accounts.map(({ account }) => account)).toEqual(["steps", "tokens", "model-tokens", "seconds"]);
  const [steps, tokens] = accounts;
  // slow: (0.2 + 0.2) / 2 * 50 + (0.2 + 0.6) / 2 * 50 = 30 of 100, and 0.3 * 50 + 0.4 * 50 = 35 of 100.
  const slow = steps?.arms[0];
  expect(slow?.area.mean).toBeCloseTo(0.325, 12);
  expect(slow?.end.mean).toBeCloseTo(0.5, 12);
  // 0.6 is reached at 100 by the first seed and never by the second: the middle one is not there.
  expect(slow?.reached).toEqual([
    { target: 0.6, median: null, seeds: 1 },
    { target: 0.8, median: null, seeds: 0 },
  ]);
  // quick: 0.4 * 0.5 + 0.7 * 0.5 = 0.55, and 0.4 * 0.5 + 0.6 * 0.5 = 0.5.
  const quick = steps?.arms[1];
  expect(quick?.area.mean).toBeCloseTo(0.525, 12);
  expect(quick?.reached[0]).toEqual({ target: 0.6, median: 50, seeds: 2 });
  // The same runs in another account: ten tokens a step.
  expect(tokens?.to).toBe(1_000);
  expect(tokens?.arms[1]?.reached[0]?.median).toBe(500);
  expect(tokens?.arms[1]?.area.mean).toBeCloseTo(0.525, 12);
  // slow minus quick: -0.25 and -0.15, mean -0.2.
  expect(steps?.area.comparisons[0]?.difference).toBeCloseTo(-0.2, 12);
  expect(steps?.area.standings.arms.map(({ name }) => name)).toEqual(["quick", "slow"]);
  expect(ratings.map(({ name }) => name)).toEqual(["quick", "slow"]);
  expect(steps?.arms[0]?.curve.at).toEqual([0, 50, 100]);
  expect(steps?.arms[0]?.curve.mean.map((value) => Number(value.toFixed(12)))).toEqual([0.2, 0.3, 0.5]);
  expect(arms[0]?.final).toMatchObject({ mean: 0.5, seeds: 2 });
  // By kind of task: (0.25 + 0.75) / 2.
  expect(arms[0]?.families).toMatchObject([
    { family: "clean", tasks: 4, success: { mean: 0.5, low: 0, high: 1, seeds: 2 } },
    { family: "heat", tasks: 6, success: { mean: 0.5, seeds: 2 } },
  ]);
});

test("what the data cannot separate is not ranked, and the words say so", () => {
  const summary = summarise(plan, runs);
  const [comparison] = summary.accounts[0]?.area.comparisons ?? [];
  expect(comparison?.better).toBeNull();
  // -0.25 and -0.15: deviation 0.070711; n = 4 gives t = 5.66 > 3.182, n = 3 gives 4.899 > 4.303: one more.
  expect(comparison === undefined ? "" : comparisonWords(comparison)).toBe(
    "slow and quick: not separated by 2 seeds (−0.200); about 1 more would be needed if the difference stays.",
  );
  expect(verdictWords(summary)).toBe(
    "No winner: no two arms are separated in area under the validation curve at equal environment steps.",
  );
});

test("unfinished runs are left out and named; with none finished nothing is said", () => {
  const cut = lines("quick", 2, [0.2, 0.6, 0.6]).slice(0, -1);
  const summary = summarise(plan, [...runs.slice(0, 3), runResult("quick", 2, cut)]);
  expect(summary.missing.map(({ arm, seed }) => [arm, seed])).toEqual([["quick", 2]]);
  expect(summary.accounts[0]?.area.comparisons[0]?.pairs).toBe(1);
  const empty = summarise(plan, [runResult("slow", 1, [])]);
  expect(empty.accounts).toEqual([]);
  expect(verdictWords(empty)).toBe("No run is finished yet.");
});

test("a clear difference is called one", () => {
  const clear = { ...plan, seeds: [1, 2, 3, 4] };
  const many = clear.seeds.flatMap((seed) => [
    runResult("slow", seed, lines("slow", seed, [0.2, 0.2, 0.2 + seed / 100])),
    runResult("quick", seed, lines("quick", seed, [0.2, 0.8, 0.9])),
  ]);
  const summary = summarise(clear, many);
  expect(verdictWords(summary)).toBe(
    "quick wins: better than every other arm in area under the validation curve at equal environment steps.",
  );
  const [comparison] = summary.accounts[0]?.area.comparisons ?? [];
  expect(comparison === undefined ? "" : comparisonWords(comparison)).toMatch(
    /^quick is better than slow: \+0\.\d{3} \[\+0\.\d{3}, \+0\.\d{3}\], p below 0\.001 after correction, 4 seeds\.$/,
  );
});
