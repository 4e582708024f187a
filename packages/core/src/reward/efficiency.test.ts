import { expect, test } from "vitest";
import { sampleStep, sampleTrajectory, totals, withActions, withSteps } from "../../../../test/support/reward.ts";
import { efficiency } from "./efficiency.ts";

const part = (name: string) => ({ part: name });
/** Equal letters in a row happen in one state. */
const actions = (id: string, text: string) =>
  sampleTrajectory(id, { steps: text.split("").map((action, at) => sampleStep(at, { action, stateKey: action })) });

test("repetition: the same action in the same state as the step before", () => {
  // a a b b b c: three of five steps after the first repeat.
  expect(totals(efficiency, [actions("a", "aabbbc")], {}, part("repetition"))).toEqual([0.6]);
  // The same action where the state has changed is no repeat.
  expect(totals(efficiency, [withActions("b", ["go", "go", "go"])], {}, part("repetition"))).toEqual([0]);
  expect(totals(efficiency, [actions("c", "a"), actions("d", "")], {}, part("repetition"))).toEqual([0, 0]);
});

test("overhead: steps beyond the shortest success known", () => {
  const nine = withSteps(
    "a",
    Array.from({ length: 9 }, () => 0),
    { success: false },
  );
  const six = withSteps(
    "b",
    Array.from({ length: 6 }, () => 0),
    { success: true },
  );
  // 9 / 6 - 1 = 0.5
  expect(totals(efficiency, [nine, six], {}, part("overhead"))).toEqual([0.5, 0]);
  expect(totals(efficiency, [nine], {}, part("overhead"))).toEqual(["unscored: no success of its task is known"]);
  const givens = { references: new Map([["task-1", 3]]) };
  expect(totals(efficiency, [nine], {}, { ...part("overhead"), givens })).toEqual([2]);
});

test("cache: cached of all prompt tokens", () => {
  const steps = [
    sampleStep(0, { usage: { promptTokens: 4000, cachedTokens: 1000 } }),
    sampleStep(1, { usage: { promptTokens: 6000, cachedTokens: 5000 } }),
  ];
  expect(totals(efficiency, [sampleTrajectory("a", { steps })], {}, part("cache"))).toEqual([0.6]);
  const usage = { promptTokens: 10, cachedTokens: 1 };
  expect(totals(efficiency, [sampleTrajectory("b", { usage })], {}, part("cache"))).toEqual([0.1]);
});

test("the sum, with what is missing left out and named", () => {
  const options = { repetition: 1, overhead: 1, cache: 1 };
  const lone = { ...actions("a", "aabbbc"), success: false };
  // - 0.6, no success known, no tokens counted
  expect(totals(efficiency, [lone], options)).toEqual([-0.6]);
  expect(totals(efficiency, [lone], { repetition: 0, overhead: 1 })).toEqual([
    "unscored: without a score: overhead (no success of its task is known)",
  ]);
  // Six steps where one was enough: overhead 5, capped at 2. - 0.6 - 2
  const givens = { references: new Map([["task-1", 1]]) };
  expect(totals(efficiency, [lone], { repetition: 1, overhead: 1 }, { givens })).toEqual([-2.6]);
});

test("a short failure is not paid for", () => {
  const givens = { references: new Map([["task-1", 10]]) };
  expect(totals(efficiency, [{ ...actions("a", "ab"), success: false }], {}, { givens })).toEqual([0]);
});
