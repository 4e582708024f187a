import { expect, test } from "vitest";
import type { PointLine } from "../journal.ts";
import { readPlan } from "../plan.ts";
import type { RunResult } from "../results.ts";
import type { Round } from "./halving.ts";
import type { StoredTune } from "./stored-tune.ts";
import { tuneSummary, tuneWords } from "./tuned.ts";

const NAMES = ["1,low", "2,middle", "3,high"] as const;

function tuneOf(rounds: readonly Round[], seeds: readonly number[]): StoredTune {
  return {
    version: 1,
    budget: { account: "steps", amount: 1_000 },
    jobs: 2,
    trials: NAMES.map((name, at) => ({ name, values: { learningRate: String(at) }, own: at === 1 })),
    words: ["--recipe", "grpo"],
    plan: readPlan({
      version: 1,
      arms: NAMES.map((name) => ({ name, recipe: "grpo" })),
      seeds: [...seeds],
      env: "household",
      model: "model",
      budget: { account: "steps", amount: 1 },
    }),
    rounds,
  };
}

/** Runs that all start at 0.3. */
function runsFrom(seeds: readonly number[], start = 0.3): RunResult[] {
  const nothing = { environmentSteps: 0, sampledTokens: 0, modelTokens: 0, teacherTokens: 0, seconds: 0 };
  const measured = { success: start, solved: 0, tasks: 10, meanSteps: 5, invalid: 0 };
  const point: PointLine = { kind: "point", update: 0, ...nothing, ...measured };
  return NAMES.flatMap((arm) =>
    seeds.map((seed) => ({
      arm,
      seed,
      finished: true,
      points: [point],
      updates: [],
      final: undefined,
      retention: undefined,
      notices: [],
      failure: undefined,
    })),
  );
}

test("the best, its gain with an interval, and what is too close to call", () => {
  const seeds = [1, 2, 3];
  const rounds: Round[] = [
    {
      trials: NAMES,
      amount: 100,
      spent: 900,
      scores: { "1,low": [0.4, 0.4, 0.4], "2,middle": [0.5, 0.55, 0.6], "3,high": [0.1, 0.16, 0.19] },
    },
    {
      trials: ["1,low", "2,middle"],
      amount: 200,
      spent: 1_500,
      scores: { "1,low": [0.6, 0.7, 0.5], "2,middle": [0.6, 0.6, 0.75] },
    },
  ];
  const found = tuneSummary(tuneOf(rounds, seeds), runsFrom(seeds));
  expect(found.trials.map(({ name, rounds: count }) => [name, count])).toEqual([
    ["2,middle", 2],
    ["1,low", 2],
    ["3,high", 1],
  ]);
  // Gains 0.3, 0.3, 0.45: mean 0.35, deviation 0.0866, half width 4.303 * 0.0866 / root 3 = 0.2151.
  expect(found.best?.gain.mean).toBeCloseTo(0.35, 9);
  expect(found.best?.gain.low).toBeCloseTo(0.1349, 3);
  expect(found.best?.gain.high).toBeCloseTo(0.5651, 3);
  expect(found.outcome).toBe("found");
  // low: differences 0, 0.1, -0.25, mean -0.05; high, in its own round: -0.4, -0.39, -0.41, mean -0.4.
  expect(
    found.comparisons.map(({ left, difference, better }) => [left, Number(difference.toFixed(6)), better]),
  ).toEqual([
    ["1,low", -0.05, null],
    ["3,high", -0.4, "2,middle"],
  ]);
  expect(found.tooClose).toEqual(["1,low"]);
  const words = tuneWords(found).join("\n");
  expect(words).toContain("Best: learningRate=1, validation success 0.650, +0.350 [+0.135, +0.565] from its start.");
  expect(words).toContain("These are the recipe's own values.");
  expect(words).toContain("Too close to call: 1 of 2 others may be as good.");
  expect(words).toContain("learningRate=0 and the best: not separated by 3 seeds");
  expect(words).not.toContain("The budget was spent");
});

test("where every setting unlearns, that is said and none is advised", () => {
  const seeds = [1, 2];
  const scores = { "1,low": [0.25, 0.25], "2,middle": [0.2, 0.1], "3,high": [0, 0] };
  const found = tuneSummary(tuneOf([{ trials: NAMES, amount: 9, spent: 99, scores }], seeds), runsFrom(seeds));
  expect([found.outcome, found.best, found.roundsLeftOut]).toEqual(["worse", null, 1]);
  const [said, left] = tuneWords(found);
  expect(said).toContain(
    "Every setting made the policy worse or left it as it was; the least bad is learningRate=0 (−0.050 on validation tasks)",
  );
  expect(said).toContain("try lower learning rates");
  expect(left).toContain("The budget was spent 1 round before the end");
});

test("a gain whose interval holds 0 is said to be unsure, and without a whole round nothing is said", () => {
  const seeds = [1, 2];
  const round = { trials: NAMES, amount: 9, spent: 99 };
  const wide = { "1,low": [0.31, 0.5], "2,middle": [0.2, 0.1], "3,high": [0, 0] };
  const unsure = tuneSummary(tuneOf([{ ...round, scores: wide }], seeds), runsFrom(seeds));
  expect([unsure.outcome, unsure.best?.name]).toEqual(["unsure", "1,low"]);
  expect(tuneWords(unsure)[0]).toContain("that it learns at all is not beyond doubt");
  const lost = { "1,low": [null, 0.5], "2,middle": [0.2, null], "3,high": [null, null] };
  const failed = tuneSummary(tuneOf([{ ...round, scores: lost }], seeds), runsFrom(seeds));
  expect([failed.outcome, failed.best]).toEqual(["failed", null]);
  expect(tuneWords(failed)).toEqual(["No setting has finished a round with every seed: nothing can be said."]);
});
