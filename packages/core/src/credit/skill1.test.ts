import { expect, test } from "vitest";
import { episodes, rowAdvantages } from "../../../../test/support/credit.ts";
import { skill1 } from "./skill1.ts";

const step = (name: string, score: number) => ({ signals: { segment: { name, score } } });
const pair = episodes({
  X: { outcome: 1, steps: [step("selection", 0.12), step("utilisation", 1), step("distillation", 0.18)] },
  Y: { outcome: 0, steps: [step("selection", 0.03), step("utilisation", 0), step("distillation", -0.12)] },
});
/** Two values: distance to the mean d / 2, deviation d / sqrt(2), so that z = 1 / sqrt(2) = 0.707107 less epsilon's share. */
const near = (values: readonly number[], wanted: readonly number[]): void => {
  expect(values).toHaveLength(wanted.length);
  values.forEach((value, at) => expect(value).toBeCloseTo(wanted[at] as number, 4));
};
const z = 0.70711;

test("each segment against the same segment of the other episodes", () => {
  near(rowAdvantages(skill1, pair), [z, z, z, -z, -z, -z]);
});

test("centred, the weights of the segments count", () => {
  // Means 0.075, 0.5 and 0.03.
  near(rowAdvantages(skill1, pair, { scale: "centre" }), [0.045, 0.5, 0.15, -0.045, -0.5, -0.15]);
});

test("each credit can be taken away", () => {
  near(rowAdvantages(skill1, pair, { selectionCredit: false }), [0, z, z, 0, -z, -z]);
  near(rowAdvantages(skill1, pair, { utilisationCredit: false }), [z, 0, z, -z, 0, -z]);
  near(rowAdvantages(skill1, pair, { distilCredit: false }), [z, z, 0, -z, -z, 0]);
});

test("a trajectory counts once, however many steps its segment has, and segments that are missing are not zeros", () => {
  const batch = episodes({
    X: { outcome: 1, steps: [step("selection", 0.12), step("selection", 0.12), step("utilisation", 1)] },
    Y: { outcome: 0, steps: [step("selection", 0.03), step("utilisation", 0), step("utilisation", 0)] },
    // The library was empty when it began: nothing to compare its writing with, and no choice.
    Z: { outcome: 0.5, steps: [step("utilisation", 0.5), step("distillation", 0.3)] },
  });
  // Acting: 1, 0, 0.5: mean 0.5, deviation 0.5: 1, -1, 0. A segment of its own: 0.
  near(rowAdvantages(skill1, batch), [z, z, 1, -z, -1, -1, 0, 0]);
});

test("rows without a segment are refused by name", () => {
  expect(() => rowAdvantages(skill1, episodes({ X: { outcome: 1, steps: [{}] } }))).toThrow(
    /Row 0 .* has no "signals.segment"/,
  );
});
