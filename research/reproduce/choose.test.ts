import { expect, test } from "vitest";
import { readPlan } from "../../packages/training/src/arena/plan.ts";
import type { ArenaSummary } from "../../packages/training/src/arena/summary.ts";
import { tunedMethods } from "./arms.ts";
import { choose } from "./choose.ts";
import { secondMethods } from "./second-round.ts";
import { stageNames, stages } from "./stages.ts";

test("the largest mean area goes on; an arm that lost a seed does not", () => {
  const tuned = [{ method: "m", arms: ["a", "b", "c"].map((name) => ({ name, recipe: "grpo" })) }];
  const area = (mean: number) => ({ area: { mean, low: 0, high: 1, seeds: 2 } });
  const summary = {
    accounts: [
      {
        arms: [
          { name: "a", ...area(0.3) },
          { name: "b", ...area(0.5) },
          { name: "c", ...area(0.9) },
        ],
      },
    ],
    arms: [
      { name: "a", finished: 2 },
      { name: "b", finished: 2 },
      { name: "c", finished: 1 },
    ],
  } as unknown as Pick<ArenaSummary, "accounts" | "arms">;
  expect(choose(tuned, summary)).toEqual({ m: { name: "b", recipe: "grpo" } });
});

test("every method is tuned as often as the others, and every stage has a plan that can be followed", () => {
  expect(new Set(tunedMethods.map(({ arms }) => arms.length))).toEqual(new Set([3]));
  expect(new Set(secondMethods.map(({ arms }) => arms.length))).toEqual(new Set([6]));
  const chosen = Object.fromEntries(
    [...tunedMethods, ...secondMethods].map(({ method, arms }) => [method, arms[1] as (typeof arms)[0]]),
  );
  for (const quick of [true, false]) {
    for (const name of stageNames) expect(readPlan(stages[name].plan(quick, chosen)).arms.length).toBeGreaterThan(0);
  }
  // Ten paired seeds for the claim.
  expect(stages.headline.plan(false, chosen).seeds).toHaveLength(10);
  expect(stages.confirmation.plan(false, chosen).seeds).toHaveLength(10);
});
