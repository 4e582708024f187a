import { expect, test } from "vitest";
import { answers, assign, rowAdvantages } from "../../../../test/support/credit.ts";
import { stepGrpo } from "./step-grpo.ts";

const guided = (...steps: number[]) => steps.map((guidedSteps) => ({ signals: { guidedSteps } }));
const batch = answers([0, 0, 1, 0], guided(0, 0, 2, 2));

test("like guidance with like", () => {
  // All fail without help: 0. With two steps given: 1 and 0, +- 0.707106.
  expect(rowAdvantages(stepGrpo, batch)).toEqual([0, 0, 0.707106, -0.707106]);
  expect(assign(stepGrpo, batch).metrics).toMatchObject({ groups: 2, equalGroups: 1 });
});

test("or all of the task in one group", () => {
  // 0, 0, 1, 0: mean 0.25, std 0.5.
  expect(rowAdvantages(stepGrpo, batch, { groups: "task" })).toEqual([-0.499999, -0.499999, 1.499997, -0.499999]);
});

test("a level of its own has nothing to compare with", () => {
  expect(rowAdvantages(stepGrpo, answers([1, 0], guided(0, 1)))).toEqual([0, 0]);
});
