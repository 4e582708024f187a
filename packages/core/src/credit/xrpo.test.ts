import { expect, test } from "vitest";
import { answers, assign, round, rowAdvantages } from "../../../../test/support/credit.ts";
import { xrpo } from "./xrpo.ts";

const said = (...logprobs: number[]) => logprobs.map((logprob) => ({ logprobs: { old: [logprob] } }));
const plain = { normByStd: false };

test("a right and unlikely answer gets more, up to half of what it has", () => {
  // A 0.5 each; s -0.2 and -0.9; the wrong ones say -0.55 on average, so that the task's mean is -0.55.
  // eta = exp(0.35) = 1.419068 and exp(-0.35) = 0.704688: no bonus, and min(2.5 * 0.295312, 0.25) = 0.25.
  expect(rowAdvantages(xrpo, answers([1, 1, 0, 0], said(-0.2, -0.9, -0.5, -0.6)), plain)).toEqual([
    0.5, 0.75, -0.5, -0.5,
  ]);
});

test("a small lambda stays below the limit", () => {
  // 0.1 * 0.295312 = 0.029531
  const { terms } = assign(xrpo, answers([1, 1, 0, 0], said(-0.2, -0.9, -0.5, -0.6)), { ...plain, lambda: 0.1 });
  expect(Array.from(terms["rarity"]!.perRow!, round)).toEqual([0, 0.029531, 0, 0]);
});

test("wrong answers get nothing, however unlikely", () => {
  // Outcome 0.5 is no success and yet above the mean.
  expect(rowAdvantages(xrpo, answers([0.5, 0], said(-5, -0.1)), plain)).toEqual([0.25, -0.25]);
});

test("over tokens the mean counts, masked ones do not", () => {
  const rows = [{ mask: [1, 0, 1], logprobs: { old: [-1, -9, -0.8] } }, ...said(-0.2)];
  // s -0.9 and -0.2, as above with mean -0.55.
  const { terms } = assign(xrpo, answers([1, 0], rows), { ...plain, kappa: 10 });
  expect(round(terms["rarity"]!.perRow![0]!)).toBe(0.73828);
});
