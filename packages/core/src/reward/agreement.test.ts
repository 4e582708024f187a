import { expect, test } from "vitest";
import { krippendorffAlpha, sampleAgreement } from "./agreement.ts";

test("alpha by hand", () => {
  // Units (0, 0), (1, 1), (0, 1). Observed: only the third differs: 2 ordered pairs of 1, over n_u - 1 = 1: 2.
  // All six values: 0 0 1 1 0 1, three of each: ordered pairs that differ 2 * 3 * 3 = 18, over 5: 3.6.
  // alpha = 1 - 2 / 3.6 = 0.444444
  const alpha = krippendorffAlpha([
    [0, 0],
    [1, 1],
    [0, 1],
  ]);
  expect(alpha).toBeCloseTo(0.444444, 6);
});

test("full agreement is 1; a constant judge and lone samples have none", () => {
  expect(
    krippendorffAlpha([
      [0, 0, 0],
      [1, 1],
    ]),
  ).toBe(1);
  expect(
    krippendorffAlpha([
      [1, 1],
      [1, 1],
    ]),
  ).toBeUndefined();
  expect(krippendorffAlpha([[0], [1]])).toBeUndefined();
  expect(krippendorffAlpha([])).toBeUndefined();
});

test("agreement of the samples of one trajectory", () => {
  expect(sampleAgreement([0.5, 0.5])).toBe(1);
  expect(sampleAgreement([0, 1])).toBe(0);
  // Mean 0.5, deviations 0.25 and 0.25: 1 - 0.5
  expect(sampleAgreement([0.25, 0.75])).toBe(0.5);
});
