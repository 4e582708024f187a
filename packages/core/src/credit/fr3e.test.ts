import { expect, test } from "vitest";
import { answers, assign, episodes, rowAdvantages } from "../../../../test/support/credit.ts";
import { published } from "../../../../test/support/published.ts";
import { fr3e } from "./fr3e.ts";

/** Outcomes from the start, and from places of the first of these episodes. */
const explored = (start: readonly number[], ...places: readonly (readonly number[])[]) =>
  episodes(
    Object.fromEntries([
      ...start.map((outcome, at) => [`R${at}`, { outcome, steps: Array.from({ length: 6 }, () => ({})) }]),
      ...places.flatMap((outcomes, place) =>
        outcomes.map((outcome, at) => [
          `P${place}-${at}`,
          { outcome, steps: [{ step: place + 1, parent: { trajectory: "R0", step: place + 1 } }] },
        ]),
      ),
    ]),
  );

const [LOW, HALF, HIGH] = [
  [1, 0, 0, 0],
  [1, 1, 0, 0],
  [1, 1, 1, 0],
];
const plain = { sharpen: false };
const firstOf = (found: readonly number[], starts: number) => [found[0], ...found.slice(6 * starts)];

test("a rise holds back, a fall counts more", () => {
  // V 0.25, 0.5, 0.75: exp(-0.75) = 0.472367, exp(-0.25) = 0.778801.
  const rising = firstOf(rowAdvantages(fr3e, explored(LOW, HALF, HIGH), plain), 4);
  expect(rising.slice(0, 1)).toEqual([0.354275]);
  expect(rising.slice(1, 5)).toEqual([0.3894, 0.3894, -0.3894, -0.3894]);
  expect(rising.slice(5)).toEqual([0.1947, 0.1947, 0.1947, -0.584101]);
  // A fall by 0.25: exp(0.25) = 1.284025.
  const falling = firstOf(rowAdvantages(fr3e, explored(HALF, LOW), plain), 4);
  expect(falling[1]).toBe(0.963019);
});

test("sharpened differences add up to 1", () => {
  // d 0.75 and 0.25: |d|^1.5 0.649519 and 0.125, of 0.774519: 0.838610 and 0.161390.
  const found = firstOf(rowAdvantages(fr3e, explored(LOW, HALF)), 4);
  expect(found.slice(0, 2)).toEqual([0.324233, 0.42548]);
});

test("places without a difference are left out, or stand between others", () => {
  const batch = explored(LOW, [1, 1, 1, 1], HALF);
  expect(firstOf(rowAdvantages(fr3e, batch, plain), 4).slice(1)).toEqual([
    0, 0, 0, 0, 0.3894, 0.3894, -0.3894, -0.3894,
  ]);
  // V 0.25, 0, 0.5: exp(-0.5) = 0.606531.
  const between = firstOf(rowAdvantages(fr3e, batch, { ...plain, skipEqual: false }), 4);
  expect(between.slice(5)).toEqual([0.303265, 0.303265, -0.303265, -0.303265]);
});

test("rows of places without a difference take no part in the mean", () => {
  const batch = explored(LOW, [1, 1, 1, 1], HALF);
  // Behind the 24 rows from the start.
  expect(assign(fr3e, batch).dropped).toEqual([24, 25, 26, 27]);
  expect(assign(fr3e, batch, { skipEqual: false }).dropped).toEqual([]);
});

test("without branches, and with one continuation", () => {
  expect(rowAdvantages(fr3e, answers([1, 0]), plain)).toEqual([0.303265, -0.303265]);
  expect(rowAdvantages(fr3e, answers([1]))).toEqual([0]);
});

interface PublishedGroup {
  readonly places: readonly (readonly number[])[];
  readonly sharpen: boolean;
  readonly normByStd: boolean;
  readonly skipEqual: boolean;
  readonly advantages: readonly (readonly number[])[];
}

test.each(published<PublishedGroup>("fr3e").cases)("as published: $places, sharpen $sharpen", (given) => {
  const { sharpen, normByStd, skipEqual } = given;
  const [start = [], ...places] = given.places;
  const found = rowAdvantages(fr3e, explored(start, ...places), { sharpen, normByStd, skipEqual });
  const perTrajectory = [...start.map((_, at) => found[6 * at]), ...found.slice(6 * start.length)];
  for (const [at, value] of given.advantages.flat().entries()) expect(perTrajectory[at]).toBeCloseTo(value, 5);
});
