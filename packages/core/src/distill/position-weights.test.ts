import fc from "fast-check";
import { expect, test } from "vitest";
import { weighPositions, type PositionWeights } from "./position-weights.ts";

const linear: PositionWeights = { form: "linear", slope: 1, exponent: 1, most: null };
const weightsOf = (mask: readonly number[], options: Partial<PositionWeights> = {}): number[] => [
  ...weighPositions(Uint8Array.from(mask), { ...linear, ...options }),
];

test("the worked weights of four tokens", () => {
  // 1 + (2 (t - 0.5) / 4 - 1) = (t - 0.5) / 2: 0.25, 0.75, 1.25, 1.75.
  expect(weightsOf([1, 1, 1, 1])).toEqual([0.25, 0.75, 1.25, 1.75]);
  // What is not said counts for nothing and takes no place.
  expect(weightsOf([0, 1, 1, 0, 1, 1])).toEqual([0, 0.25, 0.75, 0, 1.25, 1.75]);
});

test("the worked losses: weighed, and clamped before they are weighed", () => {
  const weights = weightsOf([1, 1, 1, 1]);
  const divergences = [0.4, 0.3, 0.2, 0.1];
  const loss = (clamp: number): number =>
    weights.reduce((sum, weight, at) => sum + weight * Math.min(divergences[at] as number, clamp), 0) / 4;
  // (0.1 + 0.225 + 0.25 + 0.175) / 4 = 0.1875; uniform weights would give 0.25.
  expect(loss(Infinity)).toBeCloseTo(0.1875, 12);
  // The first two become 0.25: (0.0625 + 0.1875 + 0.25 + 0.175) / 4 = 0.16875.
  expect(loss(0.25)).toBeCloseTo(0.16875, 12);
});

test("the power form", () => {
  // (t / 4)^2 = 1, 4, 9, 16 sixteenths; their mean is 7.5 sixteenths.
  expect(weightsOf([1, 1, 1, 1], { form: "power", exponent: 2 })).toEqual(
    [1 / 7.5, 4 / 7.5, 9 / 7.5, 16 / 7.5].map((weight) => expect.closeTo(weight, 12)),
  );
  expect(weightsOf([1, 1, 1], { form: "power", exponent: 0 })).toEqual([1, 1, 1]);
});

test("one token weighs 1, a cap holds, no slope is uniform", () => {
  expect(weightsOf([0, 1])).toEqual([0, 1]);
  expect(weightsOf([1, 1, 1, 1], { most: 1 })).toEqual([0.25, 0.75, 1, 1]);
  expect(weightsOf([1, 1, 1, 1], { slope: 0 })).toEqual([1, 1, 1, 1]);
  expect(weightsOf([0, 0])).toEqual([0, 0]);
});

test("weights of either form have mean 1", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 1, maxLength: 40 }),
      fc.constantFrom("linear" as const, "power" as const),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 4, noNaN: true }),
      (mask, form, slope, exponent) => {
        const tokens = mask.filter((one) => one === 1).length;
        const sum = weightsOf(mask, { form, slope, exponent }).reduce((total, weight) => total + weight, 0);
        expect(sum).toBeCloseTo(tokens, 9);
      },
    ),
  );
});

test("impossible options are refused", () => {
  expect(() => weightsOf([1], { slope: 2 })).toThrow(/slope of position weights is 2/);
  expect(() => weightsOf([1], { exponent: -1 })).toThrow(/exponent of position weights is -1/);
});
