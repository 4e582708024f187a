import fc from "fast-check";
import { expect, test } from "vitest";
import { weighPositions, type PositionWeights } from "./position-weights.ts";

const published: PositionWeights = { form: "sigmoid", least: 0.25, rise: 0.3, width: 0.1, slope: 1 };
const weightsOf = (mask: readonly number[], options: Partial<PositionWeights> = {}): number[] => [
  ...weighPositions(Uint8Array.from(mask), { ...published, ...options }),
];

test("the published weights: low at the beginning, 1 from the middle on", () => {
  const weights = weightsOf(Array.from({ length: 1000 }, () => 1));
  const at = (share: number): number => weights[Math.round(1000 * share - 0.5)] as number;
  // 0.25 + 0.75 / (1 + e^3), e^2, e^0, e^-2, e^-4.
  for (const [share, weight] of [
    [0, 0.29],
    [0.1, 0.34],
    [0.3, 0.63],
    [0.5, 0.91],
    [0.7, 0.99],
  ] as const) {
    expect(at(share)).toBeCloseTo(weight, 2);
  }
  expect(weights.at(-1)).toBeCloseTo(1, 2);
  // They are not brought to mean 1.
  expect(weights.reduce((sum, weight) => sum + weight, 0) / 1000).toBeCloseTo(0.771, 3);
});

test("two tokens, and what is not said takes no place", () => {
  // t 0.25 and 0.75: 0.25 + 0.75 / (1 + e^0.5) and 0.25 + 0.75 / (1 + e^-4.5).
  const [first, second] = weightsOf([1, 1]);
  expect(first).toBeCloseTo(0.533156, 6);
  expect(second).toBeCloseTo(0.99176, 6);
  expect(weightsOf([0, 1, 0, 1])).toEqual([0, first, 0, second]);
  expect(weightsOf([0, 0])).toEqual([0, 0]);
});

test("the linear form: the worked weights of four tokens", () => {
  // 1 + (2 (t - 0.5) / 4 - 1) = (t - 0.5) / 2: 0.25, 0.75, 1.25, 1.75.
  expect(weightsOf([1, 1, 1, 1], { form: "linear" })).toEqual([0.25, 0.75, 1.25, 1.75]);
  expect(weightsOf([0, 1, 1, 0, 1, 1], { form: "linear" })).toEqual([0, 0.25, 0.75, 0, 1.25, 1.75]);
  expect(weightsOf([0, 1], { form: "linear" })).toEqual([0, 1]);
  expect(weightsOf([1, 1, 1, 1], { form: "linear", slope: 0 })).toEqual([1, 1, 1, 1]);
});

test("linear weights have mean 1, those of the sigmoid rise from least to 1", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 1, maxLength: 40 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (mask, slope) => {
        const tokens = mask.filter((one) => one === 1).length;
        const sum = weightsOf(mask, { form: "linear", slope }).reduce((total, weight) => total + weight, 0);
        expect(sum).toBeCloseTo(tokens, 9);
        const risen = weightsOf(mask, { least: slope }).filter((_, at) => mask[at] === 1);
        expect(risen).toEqual(risen.toSorted((left, right) => left - right));
        for (const weight of risen) expect(weight >= slope && weight <= 1).toBe(true);
      },
    ),
  );
});

test("impossible options are refused", () => {
  expect(() => weightsOf([1], { form: "linear", slope: 2 })).toThrow(/slope of position weights is 2/);
  expect(() => weightsOf([1], { least: -1 })).toThrow(/least of position weights is -1/);
  expect(() => weightsOf([1], { width: 0 })).toThrow(/width of position weights is 0/);
});
