import { expect, test } from "vitest";
import { answers, assign, episodes, round, rowAdvantages } from "../../../../test/support/credit.ts";
import { logoGrpo } from "./logo-grpo.ts";

test("the global part is GRPO over whole rollouts", () => {
  expect(rowAdvantages(logoGrpo, answers([1, 0, 1, 0]))).toEqual([0.866024, -0.866024, 0.866024, -0.866024]);
});

const alternative = (reward: number) => ({
  outcome: reward,
  steps: [{ step: 1, parent: { trajectory: "X", step: 1 }, signals: { snapshot: { id: "m1", reward } } }],
});
const batch = episodes({
  X: { outcome: 1, steps: [{}, {}] },
  Y: { outcome: 0, steps: [{}] },
  ...Object.fromEntries([0.8, 0.2, 0.5].map((reward, at) => [`X${at}`, alternative(reward)])),
});

test("alternatives are compared with each other only", () => {
  // 0.8, 0.2, 0.5: mean 0.5, std 0.3; 0.3 / 0.300001 = 0.999997. X and Y: +- 0.707106, untouched by the alternatives.
  expect(rowAdvantages(logoGrpo, batch)).toEqual([0.707106, 0.707106, -0.707106, 0.999997, -0.999997, 0]);
  expect(rowAdvantages(logoGrpo, batch, { localWeight: 0.5 })[3]).toBe(0.499998);
});

test("one alternative, or equal rewards, say nothing", () => {
  const one = episodes({ X: { outcome: 1, steps: [{}, {}] }, Z: alternative(0.4) });
  const { terms } = assign(logoGrpo, one);
  expect(Array.from(terms["local"]!.perRow!, round)).toEqual([0, 0, 0]);
  const equal = episodes({ X: { outcome: 1, steps: [{}, {}] }, Z: alternative(0.4), W: alternative(0.4) });
  expect([...assign(logoGrpo, equal).terms["local"]!.perRow!]).toEqual([0, 0, 0, 0]);
});
