import { expect, test } from "vitest";
import { episodes, plainSteps, rowAdvantages } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { multiContextGrpo } from "./multi-context-grpo.ts";

test("trajectories count once, whatever their length", () => {
  // 1 and 0: std 0.707107; 0.5 / 0.707108 = 0.707106.
  const batch = episodes({ X: { outcome: 1, steps: plainSteps(2) }, Y: { outcome: 0, steps: plainSteps(3) } });
  expect(rowAdvantages(multiContextGrpo, batch)).toEqual([0.707106, 0.707106, -0.707106, -0.707106, -0.707106]);
});

test("alone: raw, or 0", () => {
  const one = episodes({ X: { outcome: 1, steps: plainSteps(2) } });
  expect(rowAdvantages(multiContextGrpo, one)).toEqual([0.999999, 0.999999]);
  expect(rowAdvantages(multiContextGrpo, one, { singleton: "zero" })).toEqual([0, 0]);
});

publishedCredit("multi-context-grpo", multiContextGrpo);
