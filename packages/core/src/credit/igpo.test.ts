import { expect, test } from "vitest";
import { assign, episodes, round, rowAdvantages } from "../../../../test/support/credit.ts";
import { igpo } from "./igpo.ts";

/** A turn that takes the answer's probability from one value to another. */
const turn = (before: number, after: number, fields: object = {}) => ({
  signals: { answerLogprob: { before: Math.log(before), after: Math.log(after) } },
  ...fields,
});
/** What the answer turn itself adds is not counted: it earns the outcome. */
const answer = turn(0.4, 0.9);

test("turn rewards are the normalised gains, the last the normalised outcome", () => {
  const batch = episodes({
    X: { outcome: 1, steps: [turn(0.1, 0.4), turn(0.4, 0.4), answer] },
    Y: { outcome: 0, steps: [turn(0.1, 0.2), turn(0.2, 0.4), answer] },
  });
  // Gains 0.3, 0, 0.1, 0.2: mean 0.15, squares 0.05, / 3, std 0.129099: 1.161886, -1.161886, -0.387295, 0.387295.
  // Outcomes: +- 0.707106. From the end: X 0.707106, 0.707106 - 1.161886 = -0.454780, + 1.161886 = 0.707106.
  const found = rowAdvantages(igpo, batch);
  for (const [at, expected] of [0.707106, -0.45478, 0.707106, -0.707106, -0.319811, -0.707106].entries()) {
    expect(found[at]).toBeCloseTo(expected, 5);
  }
  // Half of what comes later: -1.161886 + 0.353553 and 1.161886 - 0.404167.
  const half = rowAdvantages(igpo, batch, { gamma: 0.5 });
  expect(half[1]).toBeCloseTo(-0.808333, 5);
  expect(half[0]).toBeCloseTo(0.75772, 5);
});

test("cut off before the answer: the gain stays and the outcome joins it", () => {
  const batch = episodes({
    X: { outcome: 1, steps: [turn(0.1, 0.3), answer] },
    Y: { outcome: 0, steps: [turn(0.1, 0.2, { truncated: true })] },
  });
  const { terms } = assign(igpo, batch);
  // Gains 0.2 and 0.1: +- 0.0707107 / 0.0707117 = 0.707097.
  expect(Array.from(terms["information"]!.perRow!, round)).toEqual([0.707097, 0, -0.707097]);
  expect(Array.from(terms["outcome"]!.perRow!, round)).toEqual([0.707106, 0.707106, -0.707106]);
});

test("alone, there is no outcome part; raw keeps the outcome", () => {
  // One gain of 0.2 has no peers either.
  const one = episodes({ X: { outcome: 1, steps: [turn(0.1, 0.3), answer] } });
  expect(rowAdvantages(igpo, one)).toEqual([0, 0]);
  // 1 / (1 + 0.000001).
  expect(rowAdvantages(igpo, one, { singleton: "raw" })).toEqual([0.999999, 0.999999]);
});

test("without a reference answer it is GRPO; without saying so it is refused", () => {
  const none = (fields: { gold?: null }) =>
    episodes({ X: { outcome: 1, steps: [fields, fields] }, Y: { outcome: 0, steps: [fields] } });
  expect(rowAdvantages(igpo, none({ gold: null }))).toEqual([0.707106, 0.707106, -0.707106]);
  expect(() => rowAdvantages(igpo, none({}))).toThrow(/IGPO needs the mean log-probability .* gold: null/);
});
